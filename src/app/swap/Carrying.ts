/**
 * Carries a swap: shows the quote, funds it exactly once after a yes, follows it to its end, and closes with evidence. While a bot runs on
 * the journal, that bot carries it. After an interruption `--resume` or the next bot continues it.
 */
import { Clock, Console, Effect } from "effect"
import { Prompt } from "effect/cli"
import { isFinished } from "../../domain/Placement.ts"
import { mayStillBeMade, unclearPayment } from "../../engine/funding/Paying.ts"
import * as StartUp from "../../engine/StartUp.ts"
import * as SwapsByHand from "../../engine/SwapsByHand.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as VenueTime from "../../engine/tracking/VenueTime.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import * as TlsCheck from "../../files/TlsCheck.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Layers from "../../Layers.ts"
import * as KillFile from "../../process/KillFile.ts"
import { Process } from "../../process/Process.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { ask, Terminal } from "../../process/Terminal.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as SwapLine from "../../report/text/SwapLine.ts"
import { Swaps } from "../../venue/Swaps.ts"
import { Venue } from "../../venue/Venue.ts"
import { VenueError } from "../../venue/VenueError.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import { commandFailed } from "../CommandFailed.ts"
import { readingOf } from "../journal/JournalView.ts"
import * as SwapFollow from "./SwapFollow.ts"
import * as SwapRequest from "./SwapRequest.ts"
import * as VenueAccess from "./VenueAccess.ts"

export const carry = Effect.fn("swap.carry")(function* (
  config: ConfigFile.BotConfig,
  given: SwapRequest.Terms,
  { json, payAgain, resume, yes }: Ways & { readonly payAgain: boolean; readonly resume: string | undefined }
) {
  const signerId = yield* VenueAccess.signerOf(config)
  if (given.dry) {
    return yield* Effect.provide(looked(given, config, signerId, json), VenueAccess.venue(config, signerId))
  }
  const isResumed = resume !== undefined
  if (!isResumed) yield* someoneAgrees({ yes, json })
  const { pid } = yield* Process
  yield* Effect.gen(function* () {
    const assets = Layers.idsBySymbol(config.markets)
    yield* StartUp.belongs({ account: signerId, venue: config.venue.url, assets })
    const killed = yield* killSwitch(config.journal)
    const closed = (yield* killed) ?? (yield* unfit)
    const name = isResumed ? resume : yield* startSwap(given, config, signerId, closed, { yes, json })
    const again = payAgain ? yield* released(name) : new Set<string>()
    const { advance } = yield* SwapsByHand.make(killed)
    yield* SwapFollow.toTheEnd({ name, json, isResumed }, Effect.as(patiently(advance(name, again)), undefined))
  }).pipe(
    Effect.scoped,
    Effect.provide(VenueAccess.swapping(config, signerId, pid)),
    Effect.catchTag("JournalInUse", (bot) =>
      Effect.gen(function* () {
        const name = isResumed
          ? yield* resumedByBot(bot, resume, payAgain)
          : yield* handOver(bot, given, agree({ yes, json }))
        yield* follow(bot, { name, json, isResumed })
      })
    )
  )
})

export interface Ways {
  readonly yes: boolean
  readonly json: boolean
}

/** Runs before any request to the venue, because a person must be there to agree. */
export const someoneAgrees = Effect.fnUntraced(function* ({ json, yes }: Ways) {
  const terminal = yield* Terminal
  yield* TlsCheck.verified
  if (!yes && (json || !terminal.isInteractive))
    return yield* wrongUsage("Not interactive: add --yes to accept, or --dry to see the terms only")
})

const killSwitch = (journal: string) =>
  Effect.map(KillFile.watch(journal), (killed) =>
    Effect.map(killed, (why) => (why === undefined ? undefined : `The kill switch is on: ${why}`))
  )

/** Checks, before a quote, the conditions that would also close the gate. */
const unfit = Effect.gen(function* () {
  const venue = yield* Venue
  return (yield* yield* Lease.LeaseLost) ?? VenueTime.problemOf(yield* venue.clockSkewMillis)
})

const looked = Effect.fnUntraced(function* (
  given: SwapRequest.Terms,
  config: ConfigFile.BotConfig,
  signerId: string,
  json: boolean
) {
  const request = yield* SwapRequest.requestOf(given, config, signerId, yield* Clock.currentTimeMillis)
  const { value } = yield* (yield* Swaps).quote(request.request)
  yield* showDry(request, value, json)
})

const startSwap = Effect.fnUntraced(function* (
  given: SwapRequest.Terms,
  config: ConfigFile.BotConfig,
  signerId: string,
  closed: string | undefined,
  ways: Ways
) {
  const now = yield* Clock.currentTimeMillis
  const swapRequest = yield* SwapRequest.requestOf(given, config, signerId, now)
  if (closed !== undefined) return yield* commandFailed(`Nothing is paid now: ${closed}`)
  const agreed = yield* SwapRequest.quoted(swapRequest, { config, signerId })
  yield* agree(ways)(SwapLine.terms(agreed))
  return yield* SwapsByHand.begin(agreed)
})

const confirmed = (message: string) =>
  Effect.catchTag(ask(Prompt.Confirm({ message })), "QuitError", () => Effect.succeed(false))

export const agree = ({ json, yes }: Ways, question = "Pay and swap?") =>
  Effect.fnUntraced(function* (terms: ReadonlyArray<string>) {
    if (!json) yield* Console.log(terms.join("\n"))
    if (!yes && !(yield* confirmed(question))) return yield* commandFailed("Not accepted; nothing was paid")
  })

const showDry = (
  { destination, origin }: SwapRequest.AskedSwap,
  { quote }: Effect.Success<ReturnType<Swaps["Service"]["quote"]>>["value"],
  json: boolean
) =>
  json
    ? Console.log(JSON.stringify({ dry: true, origin: origin.symbol, destination: destination.symbol, quote }))
    : Console.log(
        [
          "DRY: a quote only, nothing was created or paid.",
          `pay        ${quote.amountInFormatted ?? quote.amountIn} ${origin.symbol}`,
          `receive    ${quote.amountOutFormatted ?? quote.amountOut} ${destination.symbol}`,
          ...SwapLine.feeOfMove({
            origin,
            destination,
            amountIn: Wire.parseAmount(quote.amountIn ?? "") ?? 0n,
            amountOut: Wire.parseAmount(quote.amountOut ?? "") ?? 0n
          }),
          `takes      about ${quote.timeEstimate ?? "?"} s`
        ].join("\n")
      )

const released = Effect.fnUntraced(function* (name: string) {
  const { state } = yield* Bookkeeper
  const placement = state.placements.get(name)
  const payment = placement === undefined ? undefined : unclearPayment(placement)
  const isOpen = placement !== undefined && !isFinished(placement.state)
  if (isOpen && payment === undefined) {
    return yield* commandFailed(`Swap ${name} has no unclear payment`)
  }
  const why = placement && mayStillBeMade(placement, yield* Clock.currentTimeMillis)
  if (isOpen && why !== undefined) return yield* commandFailed(`--pay-again ${name}: ${why}`)
  return new Set(payment === undefined ? [] : [payment])
})

const patiently = <E, R>(step: Effect.Effect<void, E | VenueError, R>) =>
  Effect.catchIf(
    step,
    (error): error is VenueError => error instanceof VenueError && error.reason._tag !== "Unauthorized",
    ({ message }) => Effect.logDebug(message)
  )

type Bot = Pick<Lease.JournalInUse, "journal" | "pid">

/**
 * Hands a swap to the bot that runs on the journal: the bot quotes it and, after a yes of the operator, carries it under its own lease and
 * gate. Returns the name of the swap. `agrees` shows the terms and fails if the user rejects them.
 */
const handOver = Effect.fn("SwapHandOver.begun")(function* <E, R>(
  { journal, pid }: Bot,
  given: SwapRequest.Terms,
  agrees: (terms: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const payload = yield* plain(given)
  if ((yield* RunningBot.addressOf(journal)) === undefined)
    return yield* commandFailed(
      `A bot (process ${pid}) works with ${journal}, and only one may pay from it. It has no control server to take the swap: add \`dashboard: {}\` to its configuration and start it again, or stop it and swap then. Until then only --dry works.`
    )
  const { quote, terms } = yield* RunningBot.ask(journal, (api) => api.command.swapQuote({ payload }))
  yield* agrees(terms)
  return (yield* RunningBot.ask(journal, (api) => api.command.swap({ payload: { quote, confirm: "swap" } }))).swap
})

const resumedByBot = Effect.fn("SwapHandOver.resumed")(function* (
  { journal, pid }: Bot,
  name: string,
  payAgain: boolean
) {
  if (!payAgain) return name
  return yield* commandFailed(
    `A bot (process ${pid}) works with ${journal}. To pay again, stop it, and run it once with the --pay-again that \`limitbot status\` names for ${name}`
  )
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
    return yield* wrongUsage(
      "A running bot moves no money between accounts: stop it, move the money, and start it again"
    )
  }
  const unknown = flagIn(others)
  if (unknown !== undefined) {
    return yield* wrongUsage(
      `A running bot swaps on its own terms, to its own account: it does not support ${unknown}. Omit it, or stop the bot first`
    )
  }
  if (type !== "EXACT_INPUT" && type !== "EXACT_OUTPUT")
    return yield* wrongUsage(`A running bot makes no swaps of type ${type}: stop the bot first`)
  if (amount === undefined || from === undefined || to === undefined)
    return yield* wrongUsage("Name the swap: limitbot swap AMOUNT FROM TO")
  return { amount, from, to, type, slippage, deadlineMillis }
})

/** Returns the flag, in the singular, of the first of these terms that is not the usual one; `undefined` if all are usual. */
export const flagIn = (terms: object): string | undefined => {
  const usual: Readonly<Record<string, unknown>> = SwapRequest.usual
  const [term] = Object.entries(terms).find(([name, value]) => value !== undefined && value !== usual[name]) ?? []
  const flag = term?.replace(/s$/, "").replace("quoteWaiting", "quoteWaitingMs")
  return flag && `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
