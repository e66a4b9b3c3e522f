/** Describes each event in one sentence, for terminal and log. `undefined` for events that only serve recovery. */
import { magnitude } from "../../domain/Amount.ts"
import type { BotEvent, LeftPosition, Of, Recorded, Tag } from "../../domain/BotEvent.ts"
import { averagePrice } from "../../domain/CostBasis.ts"
import { format as price, short } from "../../domain/Decimal.ts"
import * as Drift from "../../domain/Drift.ts"
import { isStale } from "../../domain/Payload.ts"
import {
  age,
  clock,
  clockText,
  correlationText,
  countText,
  diskFullText,
  pausedBy,
  printable,
  utc
} from "../../domain/Text.ts"
import { inOneLine } from "../../strategy/Problem.ts"
import { type Assets, withSymbol } from "./Money.ts"

export type Weight = "quiet" | "good" | "warn" | "alarm"

export interface EventLine {
  readonly subject: string
  readonly text: string
  readonly weight: Weight
}

export const describe = (event: BotEvent, assets: Assets, write = withSymbol): EventLine | undefined => {
  const sentence = sentenceOf(event._tag, event, assets, write)
  if (sentence === undefined) return undefined
  const [text, weight = "quiet"] = sentence
  return { subject: subjectOf(event), text: `${text}${traceOf(event)}`, weight }
}

const traced = new Set<Tag>(["CreateRefused", "CancelRefused", "FundingAnswered", "OrderMissing", "Contradiction"])
const traceOf = (event: BotEvent): string =>
  traced.has(event._tag) && "correlationId" in event ? correlationText(event) : ""

export const logLine = ({ at, event }: Recorded, assets: Assets): string | undefined => {
  const line = describe(event, assets)
  return line === undefined ? undefined : printable(`${clock(at)}  ${line.subject}  ${line.text}`)
}

const subjectOf = (event: BotEvent): string =>
  "slot" in event ? `${event.strategy}/${event.slot}` : "strategy" in event ? event.strategy : "limitbot"

type Said = readonly [text: string, weight?: Weight] | undefined

const reconciled = ({ contradictions, foreign, witnesses }: Of<"Reconciled">): Said => {
  const foreignOrders = foreign.map(
    ({ address, kind, subject }) => `${kind} ${subject}${subject === address ? "" : ` at ${address}`}`
  )
  const foreignText = `not in this journal, not touched: ${foreignOrders.join(", ")}`
  if (contradictions.length > 0)
    return [`RECONCILIATION: ${contradictions.join("; ")}${foreign.length > 0 ? `; ${foreignText}` : ""}`, "alarm"]
  if (foreign.length > 0) return [`of this account and ${foreignText}: limitbot reconcile`, "warn"]
  return [`compared with ${witnesses.join(", ")}: all agrees again`, "good"]
}

const compared = ({ drift: all, of }: Of<"ServiceCompared">): Said => {
  const feed = all.find(({ what }) => what === Drift.incidentFeed)
  if (of === "incidents") return [`${Drift.incidentFeed} is ${feed?.is ?? "quiet again"}`, feed ? "warn" : "good"]
  const drift = all.filter((each) => each !== feed)
  if (drift.length === 0) return ["the service matches its record again", "good"]
  const differences = drift.map(Drift.sentenceOf).join("; ")
  return Drift.closing(drift) === undefined
    ? [`the service differs from its record: ${differences}`, "warn"]
    : [`SERVICE CHANGED: ${differences}; nothing is placed or funded: limitbot check --service`, "alarm"]
}

const toldBefore: ReadonlySet<string> = new Set(["frozen", "kill-switch", "paused"])

type Money = (symbol: string, amount: bigint) => string

const exitText = ({ asset, price: limit, quantity, side }: NonNullable<Of<"Denied">["exit"]>, money: Money): string =>
  `${side} ${money(asset, quantity)} at ${price(limit)}`

const unsaid = (): Said => undefined

export const leftText = ({ base, cost, market }: LeftPosition, assets: Assets): string => {
  const [baseSymbol = "", quoteSymbol = ""] = market.split("/")
  const [ofBase, ofQuote] = [assets.get(baseSymbol), assets.get(quoteSymbol)]
  const basis = { position: base, cost, realised: 0n }
  const entry = ofBase && ofQuote && averagePrice(basis, { base: ofBase, quote: ofQuote })
  const entryText = entry === undefined ? "" : ` at ${short(entry)} ${quoteSymbol} on average`
  const amount = withSymbol(assets, baseSymbol, magnitude(base))
  return base > 0n ? `holds ${amount}, bought${entryText}` : `has sold ${amount}${entryText} and not bought it back`
}

const withLeft = (said: NonNullable<Said>, left: ReadonlyArray<LeftPosition> = [], assets: Assets): Said => {
  const positions = left.map((each) => `${each.strategy} ${leftText(each, assets)}`)
  return positions.length === 0 ? said : [`${said[0]}. NO FILE HAS THE NAME: ${positions.join("; ")}`, "alarm"]
}

const sentences: { readonly [T in Tag]: (event: Of<T>, money: Money, assets: Assets) => Said } = {
  BotStarted: ({ account, left, mode, venue }, _money, assets) =>
    withLeft([`started (${mode}) for account ${account} at ${venue}`], left, assets),
  BotStopped: (event) => [event.reason.startsWith("stopped") ? event.reason : `stopped: ${event.reason}`],
  JournalMoved: (event) => [`closed: the bot continues with ${event.to}`, "warn"],
  JournalRestored: (event) => [`restored from a copy of ${event.events} events`, "warn"],
  JournalCut: (event) => [`JOURNAL CUT: ${event.text}; the bot first asks the venue for later events`, "alarm"],
  JournalBroken: (event) => [
    `JOURNAL CHANGED: ${event.text} (event ${event.number}); nothing is placed or funded: limitbot journal verify`,
    "alarm"
  ],
  WitnessDisagreed: (event) => [
    `JOURNAL DIFFERS FROM ITS WITNESS: ${event.text}; nothing is placed or funded`,
    "alarm"
  ],
  StrategyLoaded: (event) => [`loaded ${event.file} (${event.kind} on ${event.market})`],
  BudgetAllotted: (event, money) => [`may use ${money(event.asset, event.amount)}`],
  StrategyRemoved: ({ left, orders }, _money, assets) =>
    withLeft([`was removed; its orders are ${orders}`, "warn"], left, assets),
  StrategiesRefused: (event) => [
    `edited file rejected, still running the old one: ${event.problems.map(inOneLine).join("; ")}`,
    "warn"
  ],
  EditMended: () => ["the files are valid again", "good"],
  LoopFailed: (event) => [`${event.what} failed and was restarted: ${event.reason}`, "alarm"],
  PlanFailed: (event) => [`cannot be planned (${event.reason}): its orders stay open, no new ones are placed`, "alarm"],
  PlanMended: () => ["is planned again", "good"],
  Reconciled: reconciled,
  CapitalMoved: (event, money) => {
    const { amount, asset, witness } = event
    const by = witness === "history" ? "the account's history names it" : "accepted by the operator"
    return amount > 0n
      ? [`${money(asset, amount)} arrived from an unknown source, booked as capital: ${by}`, "warn"]
      : [`${money(asset, -amount)} LEFT the account for an unknown reason, booked as withdrawn capital: ${by}`, "alarm"]
  },
  ServiceCompared: compared,
  ClockCompared: (event) => (event.ok ? undefined : [`${clockText(event.skewMillis)}; set the clock`, "alarm"]),
  OddOrderSeen: (event) => [
    `the venue lists an unreadable order (${event.orderId ?? "without an id"}): ${event.reason}`,
    "warn"
  ],
  JournalBehind: (event, money) => [
    event.isAnothers === true
      ? `ANOTHER BOT RUNS WITH A COPY OF THIS JOURNAL: it made order ${event.orderId} (${event.status}, ${money(event.asset, event.deposited)} deposited) since this bot started; nothing is funded. Stop one of the two, then: limitbot resolve`
      : `JOURNAL BEHIND: the venue has order ${event.orderId} of this bot (${event.status}, ${money(event.asset, event.deposited)} deposited), which is not in the journal; nothing is funded: limitbot resolve`,
    "alarm"
  ],
  DiskFull: ({ reason = diskFullText }) => [
    `DISK: ${reason}; nothing new is placed or funded; cancels and the kill switch still work`,
    "alarm"
  ],
  DiskFreed: (event) => [`there is room on the disk again after ${age(event.fullMillis)}`, "good"],
  LeaseLost: (event) => [
    `JOURNAL GONE: ${event.reason} Nothing new is placed or funded; cancels and the kill switch still work`,
    "alarm"
  ],
  LeaseRegained: () => ["the journal's file is back", "good"],
  KillSwitch: (event) => (event.on ? [`KILL SWITCH: ${event.reason}`, "alarm"] : ["kill switch released", "good"]),
  Commanded: ({ by, command, target, why }) => [
    `${by}: ${command}${target === undefined ? "" : ` ${target}`}${why === undefined ? "" : ` (${why})`}`
  ],
  SignalReceived: ({ by, name, note, value }) => [
    `signal ${name} is ${value} (${by}${note === undefined ? "" : `: ${note}`})`
  ],
  AlertReached: ({ alert, mid }) => [`ALERT ${alert}: the price is ${price(mid)}`, "warn"],
  AlertUnpriced: ({ market, reason }) => [
    `NO PRICE of ${market}, its price alerts wait (limitbot alert list): ${reason}`,
    "warn"
  ],
  PriceDoubted: ({ isUnquoted, market, reason }) =>
    isUnquoted === true
      ? [`NO PRICE of ${market}, its stops and orders wait for one: ${reason}`, "alarm"]
      : [`${market} has no price, orders are neither placed nor moved on it: ${reason}`, "warn"],
  PriceConfirmed: (event) => [`${event.market} has a price again`, "good"],
  VenueDown: (event) => [`the venue does not answer: ${event.reason}`, "alarm"],
  VenueUp: (event) => [`the venue answers again after ${age(event.downMillis)}`, "good"],
  Decided: (event) => [
    `${countText(event.desired.length, "order")} planned, ${countText(event.absent.length, "slot")} idle`
  ],
  EquityMarked: (event, money) => [
    `equity ${money(event.asset, event.equity)} today, peak ${money(event.asset, event.peak)}`
  ],
  Paused: (event) => [
    `${event.action === "drain" ? "PAUSED, orders cancelled," : "PAUSED"} ${pausedBy(event)}`,
    event.follows === undefined ? "alarm" : "warn"
  ],
  Resumed: (event) => [`resumes: ${event.reason}`, "good"],
  Denied: (event, money) =>
    event.exit === undefined
      ? [`not placed, limit ${event.limit}: ${event.reason}`, event.limit === "leaving-orders" ? "quiet" : "warn"]
      : [
          `EXIT NOT PLACED, limit ${event.limit}: ${exitText(event.exit, money)}: ${event.reason}`,
          toldBefore.has(event.limit) ? "warn" : "alarm"
        ],
  LegClosed: (event, money) => {
    const restText = event.rest === 0n ? "" : `; ${money(event.asset, event.rest)} remains`
    const more = event.carried === undefined ? "" : `; the next sale includes ${money(event.asset, event.carried)} more`
    return [`this leg is done: ${event.reason}${restText}${more}`]
  },
  Deferred: (event, money) =>
    event.exit === undefined
      ? [`waits: ${event.reason}`]
      : [
          `EXIT NOT ${event.exit.rests ? "FILLED" : "PLACED"}: ${exitText(event.exit, money)}: ${event.reason}`,
          "alarm"
        ],
  Planned: (event, money) => {
    const base =
      event.side === "SELL" ? money(event.inputAsset, event.inputAmount) : money(event.outputAsset, event.outputAmount)
    return [`plans ${event.side} ${base} at ${price(event.price)}: ${event.why.text}`]
  },
  CreateRefused: (event) => [`the venue refused to create the order: ${event.code}: ${event.text}`, "warn"],
  Abandoned: (event) => [`attempt given up: ${event.reason}`],
  FeeEchoed: (event) => [`the venue charges a fee of ${event.basisPoints} basis points of the input`],
  OrphanSeen: (event) => [`found the spare order ${event.orderId}; it stays unfunded and is cancelled`, "warn"],
  FundingSigned: (event, money) => [`signed ${money(event.asset, event.amount)} to order ${event.orderId}`],
  PaymentAsked: (event, _money, assets) => {
    const memo = event.depositMemo === undefined ? "" : ` with memo ${event.depositMemo}`
    const to = `exactly ${withSymbol(assets, event.asset, event.amount)} to ${event.depositAddress}${memo} before ${utc(event.validUntil)}`
    return event.wallet === "manual" ? [`PLEASE PAY ${to}`, "warn"] : [`asks the wallet to pay ${to}`]
  },
  PaymentAskedAgain: (event) => [
    `asks the wallet again, by command of the operator (attempt ${event.attempt})`,
    "warn"
  ],
  PaymentMade: (event) => [`the wallet paid: transaction ${event.txHash}`],
  PaymentUnclear: (event) => [
    `UNCLEAR whether the wallet paid: ${event.text}; it is not asked again. Check the wallet, and pay yourself if it did not pay`,
    "alarm"
  ],
  FundingHeld: (event) => [
    event.attempt === undefined || event.attempt === 1
      ? `the signed payment was held back: ${event.reason}`
      : `the payment was not sent again: ${event.reason}`,
    "warn"
  ],
  FundingAnswered: (event) => [
    `the venue answered the funding with ${event.code}: ${event.text}${
      isStale({ lastVerdict: event.verdict })
        ? "; the verifier has changed its salt: the payload must expire first, later payments get a new one"
        : ""
    }`,
    "warn"
  ],
  FundingInDoubt: (event, money) => [
    `IN DOUBT: ${event.reason}; ${money(event.asset, event.amount)} stays reserved (limitbot resolve)`,
    "alarm"
  ],
  Resolved: (event) => [
    event.received === undefined
      ? `resolved by the operator as ${event.word}: ${event.text}`
      : `booked as succeeded with the amount that the operator stated: ${event.text}`,
    "warn"
  ],
  FundingDead: (event, money) => [
    `${event.reason}; ${money(event.asset, event.amount)} never left the account and is free again`,
    "warn"
  ],
  DepositSeen: (event, money) => [
    `funded with ${money(event.asset, event.fresh)}, the ${event.by === "swap" ? "swap is under way" : "order is open"}`
  ],
  FillSeen: (event, money) => [
    `FILL ${event.side} ${money(event.inputAsset, event.amountIn)} → ${money(event.outputAsset, event.amountOut)}`,
    "good"
  ],
  CancelRequested: (event) => [`cancels: ${event.why.text}`],
  CancelRefused: (event) => [`the venue refused the cancel: ${event.code}: ${event.text}`, "warn"],
  Closed: (event, money) => [
    `order ended ${event.status}${event.unspent > 0n ? `, ${money(event.inputAsset, event.unspent)} to be refunded` : ""}`
  ],
  PaidOut: (event, money) => [`paid out ${money(event.asset, event.amount)} (fee ${money(event.asset, event.fee)})`],
  Refunded: (event, money) => [`refunded ${money(event.asset, event.amount)} (fee ${money(event.asset, event.fee)})`],
  OrderMissing: (event) => [
    `the venue does not find our funded order ${event.orderId} (${event.text}): check that venue.apiKey made it. It stays booked and is requested again`,
    "alarm"
  ],
  OrderBack: (event) => [`the venue lists order ${event.orderId} again`, "good"],
  Reopened: (event, money) => [
    `the order is still ${event.status}, with ${money(event.asset, event.amount)} deposited`,
    "warn"
  ],
  WrittenOff: (event, money) => [`${money(event.asset, event.amount)} is written off as lost`, "warn"],
  Found: (event, money) => [`${money(event.asset, event.amount)} that was written off as lost has arrived`, "good"],
  TakenBack: (event, money) => {
    const fills = event.fills.length === 0 ? "" : `; ${countText(event.fills.length, "booked fill")} undone`
    return [
      `order ${event.orderId} counts as open again, with ${money(event.inputAsset, event.deposited)} deposited${fills}, until the next read of the venue`,
      "warn"
    ]
  },
  LegFailed: (event, money) => [
    `the ${event.leg} of ${money(event.asset, event.amount)} FAILED: ${event.reason}`,
    event.follows === undefined ? "alarm" : "warn"
  ],
  Contradiction: (event) => [`CONTRADICTION: ${event.what}; no new funding in this slot (${event.evidence})`, "alarm"],
  Bound: unsaid,
  CancelSent: unsaid,
  CreateSent: unsaid,
  FeesEstimated: unsaid,
  FundingAcknowledged: unsaid,
  FundingSent: unsaid,
  OrphanCancelled: unsaid,
  PaymentReported: unsaid,
  PayoutStarted: unsaid,
  Settled: unsaid,
  StatusSeen: unsaid,
  SwapReported: unsaid
}

const sentenceOf = <T extends Tag>(tag: T, event: Of<T>, assets: Assets, write: typeof withSymbol): Said =>
  sentences[tag](event, (symbol, amount) => write(assets, symbol, amount), assets)
