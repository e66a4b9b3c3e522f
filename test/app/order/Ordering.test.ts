/** The way of a command to an order by hand. */
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Ordering from "../../../src/app/order/Ordering.ts"
import { assertSays, nowhere, runHere, workspace } from "../../world/processes/program.ts"

describe("the options of a command about an order by hand", () => {
  it.effect("are read without the journal", () =>
    Effect.gen(function* () {
      const folder = workspace(nowhere, { "journal.sqlite": "no journal" })
      const options = yield* Ordering.optionsOf({ config: join(folder, "config.yaml"), json: false, yes: true })
      assert.strictEqual(options.config.journal, join(folder, "journal.sqlite"))
      assert.strictEqual((yield* Effect.exit(options.earlierOrders))._tag, "Failure")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("a command about an order by hand without a bot", () => {
  it("looks at the journal before the account", async () => {
    const cwd = workspace(nowhere, { "journal.sqlite": "no journal", "account.key": "no key" })
    const words = ["order", "cancel", "buy-00000000", "--config", "config.yaml"]
    assertSays(await runHere(words, { cwd }), 1, /^limitbot: Cannot read the journal: /)
  })
})
