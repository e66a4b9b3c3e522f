/** A sandbox on the state file named by the first argument, as a process that tests can kill. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer } from "effect"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"

const serve = Effect.gen(function* () {
  yield* Console.log(JSON.stringify(yield* SandboxServer.SandboxConnection))
  return yield* Effect.never
})

NodeRuntime.runMain(
  Effect.provide(serve, SandboxServer.layer({ state: process.argv[2] }).pipe(Layer.provide(NodeServices.layer)))
)
