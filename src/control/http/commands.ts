/** Commands of the operator, recorded as events. The engine obeys in its next turn, which begins at once. */
import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { BotEvent, Reason } from "../../domain/BotEvent.ts"
import { hasNoBudget } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import { counted } from "../../domain/Words.ts"
import * as Problems from "../../engine/funding/Problems.ts"
import * as OperatorPause from "../../engine/holds/OperatorPause.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import { ControlApi, Refused, Unknown } from "../api/ControlApi.ts"
import { Bot, type DeskRefused } from "../Bot.ts"

const asRefused = ({ message }: DeskRefused) => new Refused({ message })
const done = (message: string) => ({ message })
const byOperator = "by the operator"

const takenAs: Readonly<Record<Problems.Word, string>> = {
  paid: "paid",
  "not-paid": "not paid",
  adopt: "the venue says",
  forget: "forgotten: what it holds counts as lost"
}

export const layer = HttpApiBuilder.group(
  ControlApi,
  "command",
  Effect.fnUntraced(function* (handlers) {
    const bot = yield* Bot
    const books = yield* Bookkeeper

    /** All running strategies, or the named one. */
    const named = (name: string | undefined): Effect.Effect<ReadonlyArray<string>, Unknown> => {
      const names = bot.strategies().map((strategy) => strategy.name)
      if (name === undefined) return Effect.succeed(names)
      if (names.includes(name) || books.state.strategies.has(name)) return Effect.succeed([name])
      return Effect.fail(new Unknown({ message: `There is no strategy ${name}. There are: ${names.join(", ")}` }))
    }

    /** Recorded from the state at that instant; then the bot starts a turn. */
    const record = Effect.fnUntraced(function* (events: (state: BotState) => ReadonlyArray<BotEvent>) {
      yield* Effect.orDie(books.recordFrom(events)) // A journal that cannot be written stops the bot.
      yield* bot.wake
    })

    const withdraw = Effect.fnUntraced(function* (strategies: ReadonlyArray<string>, why: Reason) {
      const orders = unfinished(books.state).filter(({ strategy }) => strategies.includes(strategy))
      yield* bot.withdrawPlacements(
        orders.map(({ id }) => id),
        why
      )
      return orders.length
    })

    return handlers.handleAll({
      pause: Effect.fnUntraced(function* ({ payload: { strategy, why = byOperator } }) {
        const names = yield* named(strategy)
        yield* record((state) => names.flatMap((name) => OperatorPause.pause(state, name, "pause", why)))
        return done(`${names.join(", ")} paused: nothing new is placed, what rests stays`)
      }),
      resume: Effect.fnUntraced(function* ({ payload: { strategy, why = byOperator } }) {
        const names = yield* named(strategy)
        yield* record((state) => names.flatMap((name) => OperatorPause.resume(state, name, why)))
        return done(`${names.join(", ")} may place orders again`)
      }),
      drain: Effect.fnUntraced(function* ({ payload: { strategy, why = byOperator } }) {
        const names = yield* named(strategy)
        yield* record((state) => names.flatMap((name) => OperatorPause.pause(state, name, "drain", why)))
        const count = yield* withdraw(names, { code: "operator", text: why })
        return done(`${strategy} paused; ${counted(count, "order")} withdrawn`)
      }),
      cancel: Effect.fnUntraced(function* ({ payload: { slot, why = byOperator } }) {
        const placement = unfinished(books.state).find((each) => slotKey(each.strategy, each.slot) === slot)
        if (placement === undefined) return yield* new Unknown({ message: `No order is open in a slot ${slot}` })
        yield* bot.withdrawPlacements([placement.id], { code: "operator", text: why })
        return done(`The order of ${slot} is withdrawn; the slot is placed anew if its strategy still wants it`)
      }),
      cancelAll: Effect.fnUntraced(function* ({ payload: { why = byOperator } }) {
        const names = [...new Set([...(yield* named(undefined)), ...unfinished(books.state).map((p) => p.strategy)])]
        const paused = names.filter((name) => !hasNoBudget(name))
        yield* record((state) => paused.flatMap((name) => OperatorPause.pause(state, name, "drain", why)))
        const count = yield* withdraw(names, { code: "operator", text: why })
        return done(
          `All strategies paused; ${counted(count, "order")} withdrawn. Resume each when you want it to trade`
        )
      }),
      kill: Effect.fnUntraced(function* ({ payload: { why = byOperator } }) {
        yield* Effect.mapError(bot.setKillSwitch(why), asRefused)
        yield* bot.wake
        return done("Kill switch on: nothing more is signed, all orders are withdrawn")
      }),
      resolve: Effect.fnUntraced(function* ({ payload: { placement, received, word, why = byOperator } }) {
        const now = yield* Clock.currentTimeMillis
        const answer = { placement, word, text: why, ...present({ received }) }
        const verdict = Problems.resolve(books.state, answer, now)
        if (Result.isFailure(verdict)) return yield* new Refused({ message: verdict.failure })
        // Checked again against the state it is recorded in: the venue may have said something in the meantime.
        yield* record((state) => {
          const settled = Problems.resolve(state, answer, now)
          return Result.isSuccess(settled) ? settled.success : []
        })
        return done(`${placement} is taken as ${takenAs[word]}`)
      }),
      release: Effect.fnUntraced(function* () {
        yield* Effect.mapError(bot.releaseKillSwitch, asRefused)
        yield* bot.wake
        return done("Kill switch off: the bot trades again")
      }),
      reload: Effect.fnUntraced(function* () {
        const objection = yield* Effect.mapError(bot.reload, asRefused)
        yield* bot.wake
        return done(
          objection === ""
            ? "The strategy files were read; see the events for what changed"
            : `The strategy files were read and do not run: ${objection}`
        )
      }),
      reconcile: () => Effect.mapError(bot.desk.reconcile, asRefused),
      swapQuote: ({ payload }) => Effect.mapError(bot.swaps.quote(payload), asRefused),
      swap: Effect.fnUntraced(function* ({ payload: { quote } }) {
        const swap = yield* Effect.mapError(bot.swaps.take(quote), asRefused)
        yield* bot.wake
        return { ...done(`Swap ${swap} is made`), swap }
      }),
      check: ({ payload: { files } }) =>
        bot.desk.check(files).pipe(
          Effect.map((problems) => ({ problems })),
          Effect.mapError(asRefused)
        ),
      planWith: ({ payload: { files } }) => Effect.mapError(bot.desk.plan(files), asRefused),
      apply: Effect.fnUntraced(function* ({ payload: { hash, ...file } }) {
        yield* Effect.mapError(bot.desk.apply(file, hash), asRefused)
        const objection = yield* Effect.mapError(bot.reload, asRefused)
        yield* bot.wake
        return done(`${file.file} is saved and ${objection === "" ? "taken up" : `does not run: ${objection}`}`)
      })
    })
  })
)
