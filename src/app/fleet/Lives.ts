/**
 * The accounts that this process runs, each in a fiber of its own: begun, steered by what its row says, ended in order. One that fails is
 * told of, and is begun anew by the runner's next look.
 */
import { Cause, Deferred, Effect, Fiber, FiberMap, Option } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"
import { messageOf } from "../../domain/Text.ts"
import { type OwnedAccount, Registry } from "../../journal/postgres/Registry.ts"
import { RateAsker } from "../../venue/http/FairLine.ts"
import { Process } from "../process/Process.ts"
import * as AccountBot from "./AccountBot.ts"
import * as Shared from "./sharing/Shared.ts"

/** When something has happened; a problem that only time makes is told within the longer one. */
const tellMillis = 5_000
const tellQuietMillis = 30_000
/** A turn that has begun gets so long to end. */
const graceMillis = 3_000
const againMillis = 10_000

/** An account as this process runs it. */
interface Life {
  readonly revision: number
  readonly stop: Deferred.Deferred<void>
  bot: AccountBot.AccountBot | undefined
  /** What it was told last: only what is new wakes it. */
  wanted: Pick<OwnedAccount, "wanted" | "why">
}

export interface LivesOptions {
  /** The runner's name. */
  readonly name: string
  /** Where each account has a folder with its secrets. */
  readonly folder: string
  readonly say: (line: string) => Effect.Effect<void>
}

/** They end with the scope. */
export const make = Effect.fn("Lives.make")(function* ({ folder, name, say }: LivesOptions) {
  const registry = yield* Registry
  const { pid } = yield* Process
  const fibers = yield* FiberMap.make<string>()
  const lives = new Map<string, Life>()
  const sharedBy = yield* Shared.make(name)

  const failed = Effect.fnUntraced(function* (account: string, why: string) {
    yield* say(`${account}: ${why}`)
    yield* Effect.ignore(registry.tellFailing(name, account, why))
  })

  const live = Effect.fnUntraced(function* (account: OwnedAccount, life: Life) {
    const text = yield* registry.text(account.name)
    if (text === undefined) return
    const loaded = yield* AccountBot.loaded(folder, text)
    const shared = yield* sharedBy(loaded)
    yield* Effect.gen(function* () {
      const bot = yield* AccountBot.make(loaded, account, pid, Deferred.await(life.stop))
      life.bot = bot
      let told = { events: -1, at: 0 }
      const telling = Effect.gen(function* () {
        told = { events: bot.events(), at: yield* monotonicMillis }
        yield* Effect.ignore(registry.tell(name, account.name, yield* bot.told))
      })
      const tellingIfNew = Effect.flatMap(monotonicMillis, (now) =>
        bot.events() === told.events && now - told.at < tellQuietMillis ? Effect.void : telling
      )
      const always = Effect.forever(Effect.andThen(tellingIfNew, Effect.sleep(tellMillis)))
      yield* Effect.raceFirst(bot.runs, always)
      yield* telling
    }).pipe(
      Effect.provide(AccountBot.layer(account.name, loaded, shared)),
      Effect.provideService(RateAsker, account.name),
      Effect.scoped
    )
  })

  /** Begun again as long as it is ours. */
  const begin = Effect.fnUntraced(function* (account: OwnedAccount) {
    const { revision, wanted, why } = account
    const life: Life = { revision, stop: yield* Deferred.make<void>(), bot: undefined, wanted: { wanted, why } }
    lives.set(account.name, life)
    const whole = live(account, life).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.andThen(failed(account.name, messageOf(Cause.squash(cause))), Effect.sleep(againMillis))
      ),
      Effect.ensuring(
        Effect.sync(() => {
          if (lives.get(account.name) === life) lives.delete(account.name)
        })
      )
    )
    yield* FiberMap.run(fibers, account.name, whole)
  })

  /** Orders go on resting; whoever runs the account next goes on with them. */
  const end = Effect.fnUntraced(function* (account: string) {
    const life = lives.get(account)
    if (life === undefined) return
    yield* Deferred.succeed(life.stop, undefined)
    const fiber = yield* FiberMap.get(fibers, account)
    if (Option.isSome(fiber)) yield* Effect.timeoutOption(Fiber.await(fiber.value), graceMillis)
    yield* FiberMap.remove(fibers, account)
    lives.delete(account)
  })

  const steer = Effect.fnUntraced(function* (life: Life, account: OwnedAccount) {
    const isKnown = life.wanted.wanted === account.wanted && life.wanted.why === account.why
    if (isKnown || life.bot === undefined) return
    life.wanted = account
    // A journal that refuses this refuses everything: the account is started again, and then obeys its row.
    yield* Effect.catch(life.bot.steer(account), () => end(account.name))
  })

  return {
    end,
    botOf: (account: string) => lives.get(account)?.bot,
    /** Begins it, or tells it what is new. */
    keep: (account: OwnedAccount) => {
      const life = lives.get(account.name)
      return life === undefined ? begin(account) : steer(life, account)
    },
    isOutdated: ({ name, revision }: OwnedAccount): boolean => (lives.get(name)?.revision ?? revision) !== revision,
    names: (): ReadonlyArray<string> => [...lives.keys()]
  } as const
})
