/** The figures of many bots for Prometheus: bounded in number, and nothing is missing without a figure that says so. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rendered } from "../../src/control/view/Metrics.ts"
import { families } from "../../src/fleet/server/FleetMetrics.ts"
import { type BotLine, unreachable } from "../../src/fleet/server/FleetView.ts"

const bot = (name: string, assets: ReadonlyArray<string>, toldSecondsAgo: number | null = 3): BotLine => ({
  ...unreachable(name, ""),
  state: "running",
  problems: [],
  money: assets.map((asset) => ({ asset, id: asset, amount: "1.5" })),
  toldSecondsAgo
})

const many = Array.from({ length: 100 }, (_, index) => `A${String(index).padStart(3, "0")}`)

describe("the metrics of a fleet", () => {
  it.effect("have the assets that most bots own, and the number of the others", () =>
    Effect.gen(function* () {
      const text = yield* rendered(families([bot("a", [...many, "ZEC"]), bot("b", ["ZEC"])]))
      assert.include(text, 'limitbot_fleet_money{class="none",asset="ZEC"} 3\n')
      assert.lengthOf(text.match(/^limitbot_fleet_money\{/gm) ?? [], 100)
      assert.match(text, /^limitbot_fleet_assets_left_out 1$/m)
    })
  )

  it.effect("have no finite age while a bot has no figures", () =>
    Effect.gen(function* () {
      const age = (lines: ReadonlyArray<BotLine>) =>
        Effect.map(rendered(families(lines)), (text) => /fleet_told_seconds\{.*\} (.*)/.exec(text)?.[1])
      assert.strictEqual(yield* age([bot("a", [], 3), bot("b", [], 7)]), "7")
      assert.strictEqual(yield* age([bot("a", [], 3), unreachable("b", "no response")]), "+Inf")
      assert.strictEqual(yield* age([bot("a", [], 3), bot("b", [], null)]), "+Inf")
    })
  )
})
