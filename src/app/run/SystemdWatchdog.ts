/** Tells systemd that turns end, so that it restarts a hanging bot. Node cannot write to its datagram socket; `systemd-notify` can. */
import { Clock, Config, Effect, Option } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { live } from "../../control/view/Health.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type { Pulse } from "../../views/Pulse.ts"

const text = (name: string) => Effect.map(Effect.option(Config.String(name)), Option.getOrUndefined)

/** Ends at once if systemd has no watchdog for this unit. */
export const watch = Effect.fn("SystemdWatchdog.watch")(function* (pulse: Pulse) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { state } = yield* Bookkeeper
  if ((yield* text("NOTIFY_SOCKET")) === undefined) return
  const say = (word: string) =>
    spawner.exitCode(ChildProcess.make("systemd-notify", [word])).pipe(
      Effect.timeout("5 seconds"),
      Effect.catch(({ message }) => Effect.logWarning(`cannot report ${word} to systemd: ${message}`))
    )
  yield* say("READY=1")
  const micros = Number(yield* text("WATCHDOG_USEC"))
  if (!(micros > 0)) return
  const once = Effect.gen(function* () {
    if (live(state, pulse, yield* Clock.currentTimeMillis).length === 0) yield* say("WATCHDOG=1")
    // systemd expects two signs in each of its periods.
    yield* Effect.sleep(micros / 2_000)
  })
  return yield* Effect.forever(once)
})
