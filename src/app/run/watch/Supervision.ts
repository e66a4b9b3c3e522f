/**
 * Keeps the loops beside the engine running: a failure is recorded and shown, and the loop restarts after a second. Also has two such loops:
 * the verification of the journal, and the sign of life to systemd.
 */
import { Cause, Clock, Config, Effect, Option, Schedule } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { live } from "../../../control/view/Health.ts"
import { messageOf } from "../../../domain/Text.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import * as Chain from "../../../journal/Chain.ts"
import * as Sqlite from "../../../journal/Sqlite.ts"
import type { Pulse } from "../../../views/Pulse.ts"

const pause = Schedule.spaced("1 second")

export const supervised = Effect.fnUntraced(function* <A, E, R>(what: string, loop: Effect.Effect<A, E, R>) {
  const books = yield* Bookkeeper
  const note = (cause: Cause.Cause<unknown>) =>
    books.record({ _tag: "LoopFailed", what, reason: messageOf(Cause.squash(cause)) })
  const attempt = loop.pipe(
    Effect.as(true),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : // Retries until the failure is recorded, because the journal itself may have failed.
          Effect.as(Effect.retry(note(cause), pause), false)
    )
  )
  yield* Effect.repeat(attempt, { schedule: pause, until: (isOver) => isOver })
})

/**
 * Verifies the journal that a bot continues: its end now, and the rest in the returned loop. After a change nothing is paid. Orders are still
 * followed and cancelled, because the operator needs that while investigating.
 */
export const verifyJournal = Effect.fn("Supervision.verifyJournal")(function* (journal: string) {
  const books = yield* Bookkeeper
  const note = ({ sequence: number, text }: Chain.ChainBroken) => books.record({ _tag: "JournalBroken", number, text })
  const reading = Sqlite.layer({ filename: journal, readOnly: true })
  yield* Chain.verifyTail.pipe(Effect.asVoid, Effect.catchTag("ChainBroken", note), Effect.provide(reading))
  const whole = Chain.verify().pipe(Effect.asVoid, Effect.catchTag("ChainBroken", note), Effect.provide(reading))
  return Effect.suspend(() => (books.state.broken === undefined ? whole : Effect.void))
})

const variable = (name: string) => Effect.map(Effect.option(Config.String(name)), Option.getOrUndefined)

/**
 * Tells systemd that turns end, so that it restarts a hanging bot. Ends at once if systemd has no watchdog for this unit. Node cannot write
 * to its datagram socket; `systemd-notify` can.
 */
export const tellSystemd = Effect.fn("Supervision.tellSystemd")(function* (pulse: Pulse) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { state } = yield* Bookkeeper
  if ((yield* variable("NOTIFY_SOCKET")) === undefined) return
  const say = (word: string) =>
    spawner.exitCode(ChildProcess.make("systemd-notify", [word])).pipe(
      Effect.timeout("5 seconds"),
      Effect.catch(({ message }) => Effect.logWarning(`cannot report ${word} to systemd: ${message}`))
    )
  yield* say("READY=1")
  const micros = Number(yield* variable("WATCHDOG_USEC"))
  if (!(micros > 0)) return
  const once = Effect.gen(function* () {
    if (live(state, pulse, yield* Clock.currentTimeMillis).length === 0) yield* say("WATCHDOG=1")
    // systemd expects two signs in each of its periods.
    yield* Effect.sleep(micros / 2_000)
  })
  return yield* Effect.forever(once)
})
