/** The service behind the interface: one state, changed by one command at a time. Each command is in the state file before its answer. */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { apply, type Command, type CommandAnswers, type CommandTag, replay } from "./core/Commands.ts"
import { advance } from "./core/Control.ts"
import type { Refusal } from "./core/Refusal.ts"
import * as State from "./core/State.ts"
import * as MarketModel from "./market/MarketModel.ts"
import type { SandboxSettings } from "./Settings.ts"
import type { StateFile } from "./StateFile.ts"

export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly settings: SandboxSettings
    read<A>(view: (state: State.State) => A): Effect.Effect<A, Refusal>
    change<T extends CommandTag>(command: Command<T>): Effect.Effect<CommandAnswers[T], Refusal>
  }
>()("limitbot/sandbox/Sandbox") {
  static readonly layer = (...terms: Parameters<typeof make>) => Layer.sync(Sandbox, () => make(...terms))
}

const make = (
  settings: SandboxSettings,
  stateFile: StateFile,
  candles: MarketModel.ReplayedCandles | undefined
): Sandbox["Service"] => {
  const { startedAt } = stateFile
  const state = State.make(settings, MarketModel.make(settings, startedAt, candles), startedAt)
  for (const command of stateFile.commands) replay(state, command)

  const turns = Semaphore.makeUnsafe(1)
  let isBroken = false
  const refuseBroken: Refusal = { code: "service-unavailable", faults: [{ detail: "The state file failed" }] }
  const whole = Effect.suspend(() => (isBroken ? Effect.fail(refuseBroken) : Effect.void))

  const present = Effect.map(Clock.currentTimeMillis, (now) => now + state.aheadMillis)

  const query = Effect.fnUntraced(function* <A>(view: (state: State.State) => A) {
    yield* whole
    advance(state, yield* present)
    return view(state)
  }, turns.withPermit)

  // An applied command must reach the file, so an aborted request may not interrupt the two steps.
  const change = Effect.fnUntraced(
    function* <T extends CommandTag>(command: Command<T>) {
      yield* whole
      const at = Math.max(state.now, yield* present)
      const answer = yield* Effect.fromResult(apply(state, command, at))
      yield* stateFile.append({ ...command, at }).pipe(
        Effect.tapError((error) => Effect.logError(error.message)),
        Effect.catch(() => {
          isBroken = true
          return Effect.fail(refuseBroken)
        })
      )
      return answer
    },
    Effect.uninterruptible,
    turns.withPermit
  )

  return Sandbox.of({ settings, read: query, change })
}
