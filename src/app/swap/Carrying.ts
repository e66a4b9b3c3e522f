/**
 * Carries a swap: shows the quote, funds it exactly once after a yes, follows it to its end, and closes with evidence. While a bot runs on
 * the journal, that bot carries it. After an interruption `--resume` or the next bot continues it.
 */
import { Clock, Console, Effect, Schema } from "effect"
import { Prompt } from "effect/cli"
import { isFinished } from "../../domain/Placement.ts"
import { mayStillBeMade, unclearPayment } from "../../engine/funding/Paying.ts"
import * as StartUp from "../../engine/StartUp.ts"
import * as SwapsByHand from "../../engine/SwapsByHand.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as VenueTime from "../../engine/tracking/VenueTime.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import * as TlsCheck from "../../files/TlsCheck.ts"
import { LeaseLost } from "../../journal/Lease.ts"
import * as Layers from "../../Layers.ts"
import * as KillFile from "../../process/KillFile.ts"
import { Process } from "../../process/Process.ts"
import { ask, Terminal } from "../../process/Terminal.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as SwapLine from "../../report/text/SwapLine.ts"
import { Swaps } from "../../venue/Swaps.ts"
import { Venue } from "../../venue/Venue.ts"
import { VenueError } from "../../venue/VenueError.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as SwapFollow from "./SwapFollow.ts"
import * as SwapHandOver from "./SwapHandOver.ts"
import * as SwapRequest from "./SwapRequest.ts"
import * as VenueAccess from "./VenueAccess.ts"

export class SwapHeld extends Schema.TaggedError<SwapHeld>()("SwapHeld", { why: Schema.String }) {
  override get message(): string {
    return `Nothing is paid now: ${this.why}`
  }
}

export class NotAgreed extends Schema.TaggedError<NotAgreed>()("NotAgreed", {}) {
  override get message(): string {
    return "Not accepted; nothing was paid"
  }
}

export const carry = Effect.fn("swap.carry")(function* (
  config: ConfigFile.BotConfig,
  given: SwapRequest.Terms,
  { json, payAgain, resume, yes }: Ways & { readonly payAgain: boolean; readonly resume: string | undefined }
) {
  const signerId = yield* VenueAccess.signerOf(config)
  if (given.dry && resume === undefined) {
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
          ? yield* SwapHandOver.resumed(bot, resume, payAgain)
          : yield* SwapHandOver.startSwap(bot, given, agree({ yes, json }))
        yield* SwapHandOver.follow(bot, { name, json, isResumed })
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
  if (!yes && (json || !terminal.isInteractive)) {
    return yield* new WrongUsage({
      message: "Not interactive: add --yes to accept, or --dry to see the terms only"
    })
  }
})

const killSwitch = (journal: string) =>
  Effect.map(KillFile.watch(journal), (killed) =>
    Effect.map(killed, (why) => (why === undefined ? undefined : `The kill switch is on: ${why}`))
  )

/** Checks, before a quote, the conditions that would also close the gate. */
const unfit = Effect.gen(function* () {
  const venue = yield* Venue
  return (yield* yield* LeaseLost) ?? VenueTime.problemOf(yield* venue.clockSkewMillis)
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
  if (closed !== undefined) return yield* new SwapHeld({ why: closed })
  const agreed = yield* SwapRequest.quoted(swapRequest, { config, signerId })
  yield* agree(ways)(SwapLine.terms(agreed))
  return yield* SwapsByHand.begin(agreed)
})

const confirmed = (message: string) =>
  Effect.catchTag(ask(Prompt.Confirm({ message })), "QuitError", () => Effect.succeed(false))

export const agree = ({ json, yes }: Ways, question = "Pay and swap?") =>
  Effect.fnUntraced(function* (terms: ReadonlyArray<string>) {
    if (!json) yield* Console.log(terms.join("\n"))
    if (!yes && !(yield* confirmed(question))) return yield* new NotAgreed()
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
    return yield* new SwapFollow.NotResumable({ message: `Swap ${name} has no unclear payment` })
  }
  const why = placement && mayStillBeMade(placement, yield* Clock.currentTimeMillis)
  if (isOpen && why !== undefined) return yield* new SwapFollow.NotResumable({ message: `--pay-again ${name}: ${why}` })
  return new Set(payment === undefined ? [] : [payment])
})

const patiently = <E, R>(step: Effect.Effect<void, E | VenueError, R>) =>
  Effect.catchIf(
    step,
    (error): error is VenueError => error instanceof VenueError && error.reason._tag !== "Unauthorized",
    ({ message }) => Effect.logDebug(message)
  )
