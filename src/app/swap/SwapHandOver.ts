/**
 * Hands a swap to the bot that runs on the journal: the bot quotes it and, after a yes of the operator, carries it under its own lease and
 * gate. This process only follows the journal. A bot without a control server cannot take it, and the error says so.
 */
import { Effect, Schema } from "effect"
import * as Lease from "../../journal/Lease.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import { readingOf } from "../journal/JournalView.ts"
import * as SwapFollow from "./SwapFollow.ts"
import * as SwapRequest from "./SwapRequest.ts"

export class BotIsRunning extends Schema.TaggedError<BotIsRunning>()("BotIsRunning", { message: Schema.String }) {}

type Bot = Pick<Lease.JournalInUse, "journal" | "pid">

/** Returns the name of the swap. `agrees` shows the terms and fails if the user rejects them. */
export const startSwap = Effect.fn("SwapHandOver.begun")(function* <E, R>(
  { journal, pid }: Bot,
  given: SwapRequest.Terms,
  agrees: (terms: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const payload = yield* plain(given)
  if ((yield* RunningBot.addressOf(journal)) === undefined)
    return yield* new BotIsRunning({
      message: `A bot (process ${pid}) works with ${journal}, and only one may pay from it. It has no control server to take the swap: add \`dashboard: {}\` to its configuration and start it again, or stop it and swap then. Until then only --dry works.`
    })
  const { quote, terms } = yield* RunningBot.ask(journal, (api) => api.command.swapQuote({ payload }))
  yield* agrees(terms)
  return (yield* RunningBot.ask(journal, (api) => api.command.swap({ payload: { quote, confirm: "swap" } }))).swap
})

export const resumed = Effect.fn("SwapHandOver.resumed")(function* (
  { journal, pid }: Bot,
  name: string,
  payAgain: boolean
) {
  if (!payAgain) return name
  return yield* new SwapFollow.NotResumable({
    message: `A bot (process ${pid}) works with ${journal}. To pay again, stop it, and run it once with the --pay-again that \`limitbot status\` names for ${name}`
  })
})

const restartMillis = 5_000

/** Runs before the last read of the journal, so that the end of a bot that finished its work is seen. */
const absenceText = Effect.fnUntraced(function* ({ journal, pid }: Bot) {
  if ((yield* Lease.holder(journal)) !== undefined) return undefined
  // The check takes the lease for an instant, so it does not run every second.
  yield* Effect.sleep(restartMillis)
  if ((yield* Lease.holder(journal)) !== undefined) return undefined
  return `the bot that carried it (process ${pid}) has ended, and none runs on ${journal}: the next one continues it`
})

export const follow = (bot: Bot, followed: SwapFollow.Followed) =>
  Effect.provide(SwapFollow.toTheEnd(followed, absenceText(bot)), readingOf(bot.journal))

/** Returns the terms for a bot. It pays only to places of its own account, so that a holder of its token cannot send money away. */
const plain = Effect.fnUntraced(function* (given: SwapRequest.Terms) {
  const { amount, from, to, type, slippage, deadline: deadlineMillis, ...others } = given
  if (from !== undefined && from === to) {
    return yield* new WrongUsage({
      message: "A running bot moves no money between accounts: stop it, move the money, and start it again"
    })
  }
  const [unknown] = Object.entries(others).flatMap(([name, value]) => (isLeftOut(name, value) ? [] : [flagOf(name)]))
  if (unknown !== undefined) {
    return yield* new WrongUsage({
      message: `A running bot swaps on its own terms, to its own account: it does not support ${unknown}. Omit it, or stop the bot first`
    })
  }
  if (type !== "EXACT_INPUT" && type !== "EXACT_OUTPUT") {
    return yield* new WrongUsage({ message: `A running bot makes no swaps of type ${type}: stop the bot first` })
  }
  if (amount === undefined || from === undefined || to === undefined) {
    return yield* new WrongUsage({ message: "Name the swap: limitbot swap AMOUNT FROM TO" })
  }
  return { amount, from, to, type, slippage, deadlineMillis }
})

const defaults: Readonly<Record<string, unknown>> = SwapRequest.usual

const isLeftOut = (name: string, value: unknown): boolean => value === undefined || value === defaults[name]

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
