/** The kill switch as a file: whether it is on when the file cannot be read. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, PlatformError } from "effect"
import * as KillFile from "../../../src/process/KillFile.ts"

const failing = (tag: "Unknown" | "PermissionDenied") =>
  Effect.fail(PlatformError.systemError({ _tag: tag, module: "FileSystem", method: "open" }))

const seen = (fileSystem: Partial<FileSystem.FileSystem>) =>
  Effect.flatten(KillFile.watch("journal.sqlite")).pipe(Effect.provide(FileSystem.layerNoop(fileSystem)))

describe("a missing kill file", () => {
  it.effect("is checked several times a second without being opened", () =>
    Effect.gen(function* () {
      let opened = 0
      const readFileString = () =>
        Effect.suspend(() => failing("Unknown")).pipe(Effect.tapError(() => Effect.sync(() => (opened += 1))))
      assert.isUndefined(yield* seen({ readFileString, exists: () => Effect.succeed(false) }))
      assert.strictEqual(opened, 0)
    })
  )
})

describe("an unreadable kill file", () => {
  it.effect("cancels no order if only file descriptors are lacking", () =>
    Effect.gen(function* () {
      const readFileString = () => failing("Unknown")
      assert.isUndefined(yield* seen({ readFileString, exists: () => Effect.succeed(false) }))
      assert.include(yield* seen({ readFileString, exists: () => Effect.succeed(true) }), "cannot be read")
      assert.include(yield* seen({ readFileString, exists: () => failing("PermissionDenied") }), "cannot be read")
    })
  )
})
