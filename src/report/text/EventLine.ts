/**
 * One sentence per event, for the terminal and the log. `undefined` for events that only serve recovery: they are in
 * the journal and in `--json`, but tell a person nothing.
 */
import type { BotEvent, Of, PlacementEvent, Recorded } from "../../domain/BotEvent.ts"
import { format as price } from "../../domain/Decimal.ts"
import * as Drift from "../../domain/Drift.ts"
import { isStale } from "../../domain/Payload.ts"
import { iso } from "../../domain/Text.ts"
import { age, clock, clockText, counted } from "../../domain/Words.ts"
import { inOneLine } from "../../strategy/Problem.ts"
import { type Assets, withSymbol } from "./Money.ts"
import { printable } from "./Table.ts"

/** How much a person should care. */
export type Weight = "quiet" | "good" | "warn" | "alarm"

export interface EventLine {
  readonly subject: string
  readonly text: string
  readonly weight: Weight
}

export const describe = (event: BotEvent, assets: Assets): EventLine | undefined => {
  const said = sentence(event, assets)
  if (said === undefined) return undefined
  const [text, weight = "quiet"] = said
  return { subject: subjectOf(event), text, weight }
}

/** "12:34:56.789  grid/cell-03  FILL …", for a log. */
export const logLine = ({ at, event }: Recorded, assets: Assets): string | undefined => {
  const line = describe(event, assets)
  return line === undefined ? undefined : printable(`${clock(at)}  ${line.subject}  ${line.text}`)
}

const subjectOf = (event: BotEvent): string =>
  "slot" in event ? `${event.strategy}/${event.slot}` : "strategy" in event ? event.strategy : "limitbot"

type Said = readonly [text: string, weight?: Weight] | undefined

const reconciled = ({ contradictions, foreign, witnesses }: Of<"Reconciled">): Said => {
  const strangers = foreign.map(
    ({ address, kind, subject }) => `${kind} ${subject}${subject === address ? "" : ` at ${address}`}`
  )
  const named = `not in this journal, and left alone: ${strangers.join(", ")}`
  if (contradictions.length > 0)
    return [`RECONCILIATION: ${contradictions.join("; ")}${foreign.length > 0 ? `; ${named}` : ""}`, "alarm"]
  if (foreign.length > 0) return [`of this account and ${named}: limitbot reconcile`, "warn"]
  return [`compared with ${witnesses.join(", ")}: all agrees again`, "good"]
}

const compared = (drift: ReadonlyArray<Drift.Drift>): Said => {
  if (drift.length === 0) return ["the service is as it was recorded again", "good"]
  const all = drift.map(Drift.sentenceOf).join("; ")
  return Drift.closing(drift) === undefined
    ? [`the service differs from what was recorded: ${all}`, "warn"]
    : [`SERVICE CHANGED: ${all}; nothing is placed or funded: limitbot canary`, "alarm"]
}

/** Limits that have alarms of their own. */
const toldBefore: ReadonlySet<string> = new Set(["frozen", "kill-switch", "paused"])

const sentence = (event: BotEvent, assets: Assets): Said => {
  const money = (symbol: string, amount: bigint) => withSymbol(assets, symbol, amount)
  const exitText = ({ asset, price: limit, quantity, side }: NonNullable<Of<"Denied">["exit"]>) =>
    `${side} ${money(asset, quantity)} at ${price(limit)}`
  switch (event._tag) {
    case "BotStarted":
      return [`started (${event.mode}) for account ${event.account} at ${event.venue}`]
    case "BotStopped":
      return [event.reason.startsWith("stopped") ? event.reason : `stopped: ${event.reason}`]
    case "JournalMoved":
      return [`closed: the bot goes on elsewhere with ${event.to}`, "warn"]
    case "JournalRestored":
      return [`restored from a copy of ${event.events} events`, "warn"]
    case "JournalCut":
      return [`JOURNAL CUT: ${event.text}; the venue is asked first what happened since`, "alarm"]
    case "JournalBroken":
      return [
        `JOURNAL CHANGED: ${event.text} (event ${event.event}); nothing is placed or funded: limitbot journal verify`,
        "alarm"
      ]
    case "StrategyLoaded":
      return [`loaded ${event.file} (${event.kind} on ${event.market})`]
    case "BudgetAllotted":
      return [`may use ${money(event.asset, event.amount)}`]
    case "StrategyRemoved":
      return [`was taken away; its orders are ${event.orders}`, "warn"]
    case "StrategiesRefused":
      return [`edited file rejected, still running the old one: ${event.problems.map(inOneLine).join("; ")}`, "warn"]
    case "EditMended":
      return ["the files are right again", "good"]
    case "LoopFailed":
      return [`${event.what} failed and begins anew: ${event.reason}`, "alarm"]
    case "PlanFailed":
      return [`cannot be planned (${event.reason}): its orders stay as they are, nothing new is placed for it`, "alarm"]
    case "PlanMended":
      return ["is planned again", "good"]
    case "Reconciled":
      return reconciled(event)
    case "CapitalMoved": {
      const { amount, asset, witness } = event
      const by = witness === "history" ? "the account's history names it" : "accepted by the operator"
      return amount > 0n
        ? [`${money(asset, amount)} came without an origin, as capital: ${by}`, "warn"]
        : [`${money(asset, -amount)} LEFT the account without an origin, as capital that went: ${by}`, "alarm"]
    }
    case "ServiceCompared":
      return compared(event.drift)
    case "ClockCompared":
      return event.ok ? undefined : [`${clockText(event.skewMillis)}; set it right`, "alarm"]
    case "OddOrderSeen":
      return [
        `the venue lists something that is not a usable order (${event.orderId ?? "without an id"}): ${event.reason}`,
        "warn"
      ]
    case "JournalBehind":
      return [
        `JOURNAL BEHIND: the venue has order ${event.orderId} of this bot (${event.status}, ${money(event.asset, event.deposited)} deposited), and the journal does not know it; nothing is funded: limitbot resolve`,
        "alarm"
      ]
    case "DiskFull":
      return ["DISK FULL: nothing new is placed or funded; cancels and the kill switch still work. Make room", "alarm"]
    case "DiskFreed":
      return [`there is room on the disk again after ${age(event.fullMillis)}`, "good"]
    case "LeaseLost":
      return [
        `JOURNAL GONE: ${event.reason} Nothing new is placed or funded; cancels and the kill switch still work`,
        "alarm"
      ]
    case "LeaseRegained":
      return ["the journal's file is back", "good"]
    case "KillSwitch":
      return event.on ? [`KILL SWITCH: ${event.reason}`, "alarm"] : ["kill switch released", "good"]
    case "PriceDoubted":
      return [`${event.market} has no price, nothing new is placed or withdrawn by it: ${event.reason}`, "warn"]
    case "PriceConfirmed":
      return [`${event.market} has a price again`, "good"]
    case "VenueDown":
      return [`the venue does not answer: ${event.reason}`, "alarm"]
    case "VenueUp":
      return [`the venue answers again after ${age(event.downMillis)}`, "good"]
    case "Decided":
      return [
        `wants ${counted(event.desired.length, "order")}; ${counted(event.absent.length, "slot")} ${event.absent.length === 1 ? "stays" : "stay"} empty`
      ]
    case "EquityMarked":
      return [`is worth ${money(event.asset, event.equity)} today, at most ${money(event.asset, event.peak)} so far`]
    case "Paused":
      return [
        `${event.action === "drain" ? "PAUSED and withdraws" : "PAUSED"} by ${event.limit === "operator" ? "the operator" : `its limit ${event.limit}`}: ${event.reason}`,
        event.follows === undefined ? "alarm" : "warn"
      ]
    case "Resumed":
      return [`resumes: ${event.reason}`, "good"]
    case "Denied":
      return event.exit === undefined
        ? [`denied by our limit ${event.limit}: ${event.reason}`, "warn"]
        : [
            `EXIT NOT PLACED, denied by our limit ${event.limit}: ${exitText(event.exit)}: ${event.reason}`,
            toldBefore.has(event.limit) ? "warn" : "alarm"
          ]
    case "LegClosed": {
      const left = event.rest === 0n ? "" : `; ${money(event.asset, event.rest)} of it stays`
      const more = event.carried === undefined ? "" : `; the next sale sells ${money(event.asset, event.carried)} more`
      return [`this side of the slot is done: ${event.reason}${left}${more}`]
    }
    case "Deferred":
      return event.exit === undefined
        ? [`waits: ${event.reason}`]
        : [`EXIT NOT PLACED: ${exitText(event.exit)}: ${event.reason}`, "alarm"]
    default:
      return placementSentence(event, money)
  }
}

const placementSentence = (event: PlacementEvent, money: (symbol: string, amount: bigint) => string): Said => {
  switch (event._tag) {
    case "Planned": {
      const base =
        event.side === "SELL"
          ? money(event.inputAsset, event.inputAmount)
          : money(event.outputAsset, event.outputAmount)
      return [`plans ${event.side} ${base} at ${price(event.price)}: ${event.why.text}`]
    }
    case "CreateRefused":
      return [`the venue refused to create the order: ${event.code}: ${event.text}`, "warn"]
    case "Abandoned":
      return [`gave the attempt up: ${event.reason}`]
    case "FeeEchoed":
      return [`the order's answer names a fee of ${event.basisPoints} basis points of the input`]
    case "OrphanSeen":
      return [`found the spare order ${event.orderId}; it stays unfunded and is cancelled`, "warn"]
    case "FundingSigned":
      return [`signed ${money(event.asset, event.amount)} to order ${event.orderId}`]
    case "PaymentAsked": {
      const memo = event.depositMemo === undefined ? "" : ` with memo ${event.depositMemo}`
      const until = iso(event.validUntil)
      const to = `exactly ${money(event.asset, event.amount)} to ${event.depositAddress}${memo} before ${until}`
      return event.wallet === "manual" ? [`PLEASE PAY ${to}`, "warn"] : [`asks the wallet to pay ${to}`]
    }
    case "PaymentAskedAgain":
      return [`asks the wallet again, as the operator says (attempt ${event.attempt})`, "warn"]
    case "PaymentMade":
      return [`the wallet paid: transaction ${event.txHash}`]
    case "PaymentUnclear":
      return [
        `UNCLEAR whether the wallet paid: ${event.text}; it is not asked again. See whether it paid, and pay yourself if not`,
        "alarm"
      ]
    case "FundingHeld":
      return [
        event.attempt === undefined || event.attempt === 1
          ? `the signed payment was held back: ${event.reason}`
          : `the payment was not sent again: ${event.reason}`,
        "warn"
      ]
    case "FundingAnswered":
      return [
        `the venue answered the funding with ${event.code}: ${event.text}${
          isStale({ lastVerdict: event.verdict })
            ? "; its verifier has changed its salt: the payload waits until it has expired, and what is paid next gets a new one"
            : ""
        }`,
        "warn"
      ]
    case "FundingInDoubt":
      return [
        `IN DOUBT: ${event.reason}; ${money(event.asset, event.amount)} stays reserved (limitbot resolve)`,
        "alarm"
      ]
    case "Resolved":
      return [
        event.received === undefined
          ? `the operator says ${event.word}: ${event.text}`
          : `taken as succeeded, with what arrived by somebody's word: ${event.text}`,
        "warn"
      ]
    case "FundingDead":
      return [`${event.reason}; ${money(event.asset, event.amount)} never left the account and is free again`, "warn"]
    case "DepositSeen":
      return [
        `funded with ${money(event.asset, event.fresh)}, the ${event.by === "swap" ? "swap is under way" : "order rests"}`
      ]
    case "FillSeen":
      return [
        `FILL ${event.side} ${money(event.inputAsset, event.amountIn)} → ${money(event.outputAsset, event.amountOut)}`,
        "good"
      ]
    case "CancelRequested":
      return [`cancels: ${event.why.text}`]
    case "CancelRefused":
      return [`the venue refused the cancel: ${event.code}: ${event.text}`, "warn"]
    case "Closed":
      return [
        `order ended ${event.status}${event.unspent > 0n ? `, ${money(event.inputAsset, event.unspent)} to come back` : ""}`
      ]
    case "PaidOut":
      return [`paid out ${money(event.asset, event.amount)} (fee ${money(event.asset, event.fee)})`, "good"]
    case "Refunded":
      return [`refunded ${money(event.asset, event.amount)} (fee ${money(event.asset, event.fee)})`, "good"]
    case "OrderMissing":
      return [
        `the venue answers that it has no order ${event.orderId} (${event.text}), and our money is in it: is venue.apiKey that of the order? It stays in the books and is asked for again`,
        "alarm"
      ]
    case "OrderBack":
      return [`the venue knows order ${event.orderId} again`, "good"]
    case "Reopened":
      return [
        `the order is not over: it is ${event.status}, and ${money(event.asset, event.amount)} is in it again`,
        "warn"
      ]
    case "WrittenOff":
      return [`${money(event.asset, event.amount)} is given up as lost`, "warn"]
    case "Found":
      return [`${money(event.asset, event.amount)} that was given up as lost has come after all`, "good"]
    case "TakenBack": {
      const fills =
        event.fills.length === 0 ? "" : `, without the ${counted(event.fills.length, "fill")} that the books had`
      return [
        `order ${event.orderId} is open again in the books: ${money(event.inputAsset, event.deposited)} is in it${fills}, until the venue is read again`,
        "warn"
      ]
    }
    case "LegFailed":
      return [
        `the ${event.leg} of ${money(event.asset, event.amount)} FAILED: ${event.reason}`,
        event.follows === undefined ? "alarm" : "warn"
      ]
    case "Contradiction":
      return [`CONTRADICTION: ${event.what}; no new funding in this slot (${event.evidence})`, "alarm"]
    default:
      return undefined
  }
}
