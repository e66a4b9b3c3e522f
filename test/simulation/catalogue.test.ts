/**
 * The catalogue live: each file run by a whole bot on a sandbox of its own, in virtual time, while requests get lost, the
 * service goes away and the process is killed. At the end everything is withdrawn, and both books agree to the unit.
 * `npm run catalogue` runs all of them for a quarter of a day and prints a table.
 * Candles are of a minute each, whatever the files say, so that indicators are warm soon.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hourMillis } from "../../src/domain/Durations.ts"
import * as Rehearsal from "../../src/rehearsal/Rehearsal.ts"
import { defaultSettings } from "../../src/sandbox/core/Settings.ts"
import { strategyOf } from "../strategy/support.ts"

const folder = "strategies/catalogue"
const isWhole = process.env["LIMITBOT_CATALOGUE"] === "all"
const days = isWhole ? 0.25 : 0.04
const short = ["safety-orders", "trailing-grid", "ema-cross"]
const names = readdirSync(folder)
  .map((file) => file.replace(".yaml", ""))
  .filter((name) => isWhole || short.includes(name))

/** The catalogue is written for a price around 2,000. */
const assets = defaultSettings("native").assets.map((asset) =>
  asset.symbol === "ETH" ? { ...asset, priceUsd: 2_000, volatility: 1.5, initial: 100 } : { ...asset, initial: 100_000 }
)

describe("the catalogue, live", () => {
  it.each(names.map((name, index) => [name, index + 1] as const))(
    "%s: every unit is accounted for",
    { timeout: 600_000 },
    async (name, seed) => {
      const text = readFileSync(`${folder}/${name}.yaml`, "utf8")
      const strategy = strategyOf(text.replace(/timeframe: \w+/, "timeframe: 1m"))
      const room = mkdtempSync(join(tmpdir(), "limitbot-catalogue-"))
      const outcome = await Effect.runPromise(
        Effect.scoped(
          Rehearsal.run({
            strategies: [strategy],
            markets: new Map([[strategy.market.name, strategy.market]]),
            ledger: "native",
            assets,
            candles: undefined,
            candlesSymbol: "ETH",
            seed,
            days,
            level: "medium",
            journalFile: join(room, "journal.sqlite"),
            progress: () => Effect.void
          })
        )
      ).finally(() => rmSync(room, { recursive: true }))
      const count = (event: string) => outcome.events.get(event) ?? 0
      const crashes = outcome.accidents.get("crash") ?? 0
      const columns = [name, strategy.kind, count("Planned"), outcome.fills, crashes, outcome.differences.length]
      if (isWhole) process.stdout.write(`| ${columns.join(" | ")} |\n`)
      assert.isUndefined(outcome.ended, name)
      assert.isTrue(outcome.isAtRest, `${name}: ${outcome.stillOpen} orders still open`)
      assert.deepStrictEqual(outcome.differences, [], name)
      assert.isAtLeast(outcome.virtualMillis, days * 24 * hourMillis)
    }
  )
})
