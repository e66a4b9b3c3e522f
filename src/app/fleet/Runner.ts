/**
 * A process of a fleet. It says every two seconds that it is alive. It takes accounts that nobody alive owns, up to its share, and gives
 * some back when others have come. It runs a bot for each. What fails in one account is told of that account and tried again; no other notices. One
 * whose runner died is taken up within fifteen seconds. A runner that cannot reach the database goes on with what it has: it can record
 * nothing, so it pays nothing, and what it owned is another's when it is back.
 */
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Cause, Effect, Fiber } from "effect"
import { messageOf } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import { Registry } from "../../journal/postgres/Registry.ts"
import { Process } from "../process/Process.ts"
import * as Hearing from "./Hearing.ts"
import * as Lives from "./Lives.ts"

const beatMillis = 2_000
/** Taken in one look: so many start at once. */
const mostAtOnce = 50

export interface RunnerOptions {
  /** Where each account has a folder with its secrets. */
  readonly folder: string
  /** Completes when the runner is to leave. */
  readonly stop: Effect.Effect<void>
  readonly say: (line: string) => Effect.Effect<void>
}

export const run = Effect.fn("Runner.run")(function* ({ folder, say, stop }: RunnerOptions) {
  const registry = yield* Registry
  const { pid } = yield* Process
  const name = `${hostname()}-${pid}-${randomBytes(3).toString("hex")}`
  const lives = yield* Lives.make({ name, folder, say })

  const look = Effect.gen(function* () {
    const { owned, share } = yield* registry.look(name)
    const mine = new Map(owned.map((account) => [account.name, account]))
    const lost = lives.names().filter((account) => !mine.has(account))
    yield* Effect.forEach(lost, lives.end, { concurrency: "unbounded", discard: true })
    const spare = owned.slice(share).map((account) => account.name)
    yield* Effect.forEach(spare, lives.end, { concurrency: "unbounded", discard: true })
    yield* registry.release(name, spare)
    const taken = owned.length < share ? yield* registry.claim(name, Math.min(mostAtOnce, share - owned.length)) : []
    if (taken.length > 0) yield* say(`took ${counted(taken.length, "account")}, owns ${owned.length + taken.length}`)
    const kept = owned.slice(0, share)
    const edited = kept.filter(lives.isOutdated)
    yield* Effect.forEach(edited, (account) => lives.end(account.name), { concurrency: "unbounded", discard: true })
    yield* Effect.forEach(kept, lives.keep, { discard: true })
    return taken.length
  })

  const looking = Effect.forever(
    look.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.as(say(`the database: ${messageOf(Cause.squash(cause))}`), 0)
      ),
      // What was just taken begins at once.
      Effect.flatMap((taken) => (taken > 0 ? Effect.void : Effect.sleep(beatMillis)))
    )
  )
  yield* Effect.ignoreCause(registry.beat(name))
  yield* say(`runs as ${name}`)
  // However long accounts take to end and begin, the others are told that this runner is alive.
  const breath = yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.ignoreCause(registry.beat(name)), Effect.sleep(beatMillis)))
  )
  yield* Effect.forkScoped(Hearing.listen(name, lives.botOf))
  yield* Effect.raceFirst(looking, stop)
  yield* Effect.forEach(lives.names(), lives.end, { concurrency: "unbounded", discard: true })
  yield* Fiber.interrupt(breath)
  yield* Effect.ignore(registry.leave(name))
}, Effect.scoped)
