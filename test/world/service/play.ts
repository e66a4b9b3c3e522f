/** Runs a test against a sandbox in process, under a virtual clock that goes on by itself. */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { SandboxOptions } from "../../../src/sandbox/SandboxOptions.ts"
import * as SandboxServer from "../../../src/sandbox/SandboxServer.ts"
import { venueFrom } from "./clients.ts"

export const start = Date.parse("2026-01-01T00:00:00Z")

const served = (options: SandboxOptions, depositType: DepositType = "INTENTS") =>
  venueFrom(depositType).pipe(Layer.provideMerge(SandboxServer.layerMemory(options)))

type DepositType = Parameters<typeof venueFrom>[0]
type Served = Layer.Success<ReturnType<typeof served>>

export const play = <A, E>(
  test: Effect.Effect<A, E, Served>,
  options: SandboxOptions = {},
  depositType?: DepositType
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const fiber = yield* Effect.forkChild(Effect.provide(test, served(options, depositType)))
    // Finely while orders move, coarsely once a test only waits.
    for (let turn = 0; fiber.pollUnsafe() === undefined; turn++) yield* TestClock.adjust(turn < 3000 ? 20 : 2000)
    return yield* Fiber.join(fiber)
  })
