/**
 * Runs the bot of an account while this process holds the account's shard. A bot that fails is reported in the account's row and restarted.
 * When the shard leaves, the current turn ends and the account's orders stay open; the next owner continues with them.
 */
import { Cause, Deferred, Effect, Fiber, FiberHandle, Option, Queue, Semaphore } from "effect"
import { CurrentAddress, CurrentRunnerAddress } from "effect/cluster/Entity"
import { Account } from "../../app/cluster/Account.ts"
import { monotonicMillis } from "../../domain/Durations.ts"
import { messageOf } from "../../domain/Text.ts"
import { type OwnedAccount, Registry } from "../../journal/postgres/Registry.ts"
import { Process } from "../../process/Process.ts"
import { RateAsker } from "../../venue/http/FairLine.ts"
import * as AccountBot from "./AccountBot.ts"
import type * as Shared from "./sharing/Shared.ts"

/** Reports after this time if there was an event. A problem that arises only from time passing is reported within the longer interval. */
const reportMillis = 5_000
const reportQuietMillis = 30_000
const graceMillis = 3_000
const againMillis = 10_000
/** An entity ends after this time without a row: a removed account gets no more rows. */
const maxIdleMillis = 20_000

export interface OwnerOptions {
  readonly folder: string
  readonly say: (line: string) => Effect.Effect<void>
  readonly starting: Map<string, number>
  readonly sharedBy: Effect.Success<ReturnType<typeof Shared.make>>
}

/** Runs until the bot fails or is interrupted. On interruption the current turn ends first. */
const live = Effect.fnUntraced(function* (
  { folder, sharedBy }: OwnerOptions,
  row: OwnedAccount,
  begun: (bot: AccountBot.AccountBot) => Effect.Effect<unknown>
) {
  const [registry, { host: runner }, { pid }] = [yield* Registry, yield* CurrentRunnerAddress, yield* Process]
  yield* registry.own(runner, row.name)
  const stored = yield* registry.one(row.name)
  if (stored === undefined) return
  const loaded = yield* AccountBot.loaded(folder, stored)
  const shared = yield* sharedBy(loaded)
  yield* Effect.gen(function* () {
    const stop = yield* Deferred.make<void>()
    const bot = yield* AccountBot.make(loaded, row, pid, Deferred.await(stop))
    yield* begun(bot)
    let last = { events: -1, at: 0 }
    const report = Effect.gen(function* () {
      last = { events: bot.events(), at: yield* monotonicMillis }
      yield* Effect.ignore(registry.tell(runner, row.name, yield* bot.told))
    })
    const reportIfDue = Effect.flatMap(monotonicMillis, (now) =>
      bot.events() === last.events && now - last.at < reportQuietMillis ? Effect.void : report
    )
    const reporting = Effect.forever(Effect.andThen(reportIfDue, Effect.sleep(reportMillis)))
    const running = yield* Effect.forkScoped(bot.runs)
    const leave = Deferred.succeed(stop, undefined).pipe(
      Effect.andThen(Effect.timeoutOption(Fiber.await(running), graceMillis)),
      Effect.andThen(report)
    )
    yield* Effect.onInterrupt(Effect.raceFirst(Fiber.join(running), reporting), () => leave)
  }).pipe(
    Effect.provide(AccountBot.layer(row.name, loaded, shared)),
    Effect.provideService(RateAsker, row.name),
    Effect.scoped
  )
})

const make = Effect.fnUntraced(function* (options: OwnerOptions) {
  const [{ entityId: account }, { host: runner }] = [yield* CurrentAddress, yield* CurrentRunnerAddress]
  const registry = yield* Registry
  const rows = yield* Queue.sliding<OwnedAccount>(1)
  const fiber = yield* FiberHandle.make<void>()
  const oneWord = Semaphore.makeUnsafe(1)
  /** Commands wait until the bot is running. After the bot has ended they wait for its successor. */
  let bot = Deferred.makeUnsafe<AccountBot.AccountBot>()
  let present: OwnedAccount | undefined

  const failed = Effect.fnUntraced(function* (why: string) {
    yield* options.say(`${account}: ${why}`)
    yield* Effect.ignore(registry.tellFailing(runner, account, why))
  })

  const begin = Effect.fnUntraced(function* (row: OwnedAccount) {
    yield* FiberHandle.clear(fiber)
    present = row
    const onStart = (made: AccountBot.AccountBot) => {
      options.starting.delete(account)
      return Deferred.succeed(bot, made)
    }
    const once = Effect.suspend(() => live(options, present ?? row, onStart)).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.interrupt : failed(messageOf(Cause.squash(cause)))
      ),
      Effect.ensuring(
        Effect.sync(() => {
          options.starting.delete(account)
          if (Deferred.isDoneUnsafe(bot)) bot = Deferred.makeUnsafe()
        })
      )
    )
    yield* FiberHandle.run(fiber, Effect.forever(Effect.andThen(once, Effect.sleep(againMillis))))
  })

  const obey = Effect.fnUntraced(function* (row: OwnedAccount) {
    if (present?.revision !== row.revision) return yield* begin(row)
    const isKnown = present.wanted === row.wanted && present.why === row.why
    const running = yield* Deferred.poll(bot)
    if (isKnown || Option.isNone(running)) return
    present = row
    // A journal that refuses this record refuses all: the account starts again and then follows its row.
    const steered = Effect.flatMap(running.value, ({ steer }) => steer(row))
    yield* Effect.catch(steered, () => begin(row))
  })

  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(rows), obey)))
  return Account.of({
    Ensure: ({ payload }) => Effect.asVoid(Queue.offer(rows, payload)),
    // One after the other, in their order, once the bot runs.
    Word: ({ payload: { by, word } }) =>
      Effect.suspend(() => Deferred.await(bot)).pipe(
        Effect.flatMap(({ hear }) => hear(by, word)),
        oneWord.withPermits(1)
      )
  })
})

export const layer = (options: OwnerOptions) =>
  Account.toLayer(make(options), { maxIdleTime: maxIdleMillis, concurrency: "unbounded" })
