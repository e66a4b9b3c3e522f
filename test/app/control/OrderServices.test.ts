/** Orders by hand: what is in their file after a command. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as OrderServices from "../../../src/app/control/OrderServices.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import * as ByHand from "../../../src/files/ByHand.ts"
import * as ConfigFile from "../../../src/files/ConfigFile.ts"
import type { PlanFacts } from "../../../src/views/Plan.ts"
import { nowhere, workspace } from "../../world/processes/program.ts"

const lists = {
  absent: [],
  changes: [],
  charged: [],
  findings: [],
  locked: [],
  readiness: [],
  renewals: [],
  warnings: []
}
const facts: PlanFacts = {
  ...{ ...lists, at: 0, journal: "", hasJournal: false, killed: undefined, strategies: [], isBalanceKnown: false },
  ...{ prices: new Map(), uncommitted: new Map(), fees: new Map() }
}

describe("an order by hand", () => {
  it.effect("leaves no line that the bot has refused, also if its caller disconnects meanwhile", () =>
    Effect.gen(function* () {
      const config = yield* ConfigFile.load(join(workspace(nowhere, {}), "config.yaml"))
      const [asked, answered] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<{ objection: string; note: string }>()
      ]
      const services = yield* OrderServices.make({
        config,
        running: () => [],
        state: Effect.sync(BotState.make),
        plan: () => Effect.succeed(facts),
        reload: () => Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answered))
      })
      const request = { side: "buy", market: "BTC/USDC", amount: "0.01", price: "59000" } as const
      const placing = yield* Effect.forkChild(services.place(request, "a key of mine"))
      yield* Deferred.await(asked)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(placing))
      yield* Effect.yieldNow
      yield* Deferred.succeed(answered, { objection: "the market has moved", note: "" })
      yield* Fiber.join(leaving)
      assert.isFalse(existsSync(ByHand.fileOf(config.journal, { name: "BTC/USDC" })))
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
