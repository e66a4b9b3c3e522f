/** A reload answers as the edit of a file does: it fails if the files do not run. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type Commanded, obey } from "../../src/control/Operator.ts"
import { Bookkeeper } from "../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"

const bookkeeper = Bookkeeper.layer.pipe(
  Layer.provide(Journal.layer),
  Layer.provide(Sqlite.layer({ filename: ":memory:" }))
)

const botWhoseFiles = (objection: string): Commanded => ({
  strategies: () => [],
  wake: Effect.void,
  withdrawPlacements: () => Effect.void,
  setKillSwitch: () => Effect.void,
  releaseKillSwitch: Effect.void,
  reload: () => Effect.succeed({ objection, note: "" })
})

describe("a reload", () => {
  it.effect("fails with the reason for which the files do not run", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(obey(botWhoseFiles("grid: over-commit"), "the operator", "reload"))
      assert.strictEqual(message, "The strategy files were read and do not run: grid: over-commit")
      const read = yield* obey(botWhoseFiles(""), "the operator", "reload")
      assert.strictEqual(read, "The strategy files were read; see the events for what changed")
    }).pipe(Effect.provide(bookkeeper))
  )
})
