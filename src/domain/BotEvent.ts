/**
 * Everything that can happen to the bot, as one closed union. The journal stores only these events; every other view is a fold of them. An
 * event says what *we* did or saw. It is written before the effect that it announces, and never changed. A tag is never reused with another
 * meaning.
 *
 * Amounts are smallest units (text in JSON), prices decimals (text), times epoch milliseconds, assets configured symbols.
 */
import { Schema } from "effect"
import { Drift } from "./Drift.ts"
import { feeEcho } from "./EchoedFee.ts"
import {
  Amount,
  bookedOrder,
  ContradictionKind,
  DecisionBounds,
  HiddenBytes,
  PlannedLeg,
  Price,
  pause,
  QuotedDepth,
  SeenConditions,
  type SignedBytes,
  StoredBytes,
  shownFees,
  WantedExit
} from "./EventValues.ts"
import { MoneyPath } from "./MoneyPath.ts"
import { OrderTerms } from "./Order.ts"
import { refusalVerdicts } from "./Payload.ts"
import { AgreedSwap, swapReport } from "./SwapRecord.ts"

const Text = Schema.String
const Time = Schema.Int
const Side = Schema.Literals(["BUY", "SELL"])
const Leg = Schema.Literals(["payout", "refund"])
const By = Schema.Literals(["swap"])
const Payer = Schema.Literals(["wallet"])

/** The reason for a decision: a stable code, a sentence with the numbers in it, and the place in the strategy file. */
export const Reason = Schema.Struct({ code: Text, text: Text, source: Schema.optionalKey(Text) })
export type Reason = typeof Reason.Type

/**
 * A position whose strategy no file names. `base` is negative if it was sold and not bought back. `cost`: quote paid for it, or received.
 */
const LeftPosition = Schema.Struct({ strategy: Text, market: Text, base: Amount, cost: Amount })
export type LeftPosition = typeof LeftPosition.Type
const LeftPositions = Schema.Array(LeftPosition)

const placement = { strategy: Text, slot: Text, placement: Text }
const correlation = { correlationId: Schema.optionalKey(Text) }
/** The earlier report that people received on this subject. */
const follows = { follows: Schema.optionalKey(Schema.Literals(["contradiction"])) }
/** Mid of the market when the limits were checked. */
const mid = Schema.optionalKey(Price)

const lifecycle = {
  /** First event of every run. `account`, `venue` and `mode` bind the journal: another one refuses to start. */
  BotStarted: {
    pid: Schema.Int,
    /** Only in the first one of a journal: the mark that the deadlines of its orders share. */
    mark: Schema.optionalKey(Schema.Int),
    /** Identifies one start of the machine or the database's server; within it, nothing written is lost. */
    boot: Schema.optionalKey(Text),
    database: Schema.optionalKey(Text),
    /** The path of the journal. A copy uses it to find out whether its source still runs here. */
    journal: Schema.optionalKey(Text),
    version: Text,
    sources: Schema.optionalKey(Text),
    decisionCode: Schema.optionalKey(Text),
    mode: Text,
    account: Text,
    venue: Text,
    /** The venue's asset ids by symbol; only for live bots. */
    assets: Schema.optionalKey(Schema.Record(Text, Text)),
    fillBasisPoints: Schema.optionalKey(Schema.Finite),
    left: Schema.optionalKey(LeftPositions),
    /** Limits over all strategies together; exposures by symbol. */
    overall: Schema.optionalKey(
      Schema.Struct({
        maxOpenOrders: Schema.optionalKey(Schema.Int),
        maxOrdersPerHour: Schema.optionalKey(Schema.Int),
        exposure: Schema.Record(Text, Amount)
      })
    )
  },
  BotStopped: { reason: Text },
  /** The last event of a journal that continues elsewhere: no bot starts on it any more. */
  JournalMoved: { to: Text },
  /** The journal was restored from a copy with this number of events, whose last hash is `head`. */
  JournalRestored: { events: Schema.Int, head: Text },
  /** Events are missing at the end of the journal, as data outside it or an order of the venue shows. */
  JournalCut: { text: Text },
  /** A stored event was changed. Nothing is paid with such a journal; `limitbot journal verify` reports it too. */
  JournalBroken: { number: Schema.Int, text: Text },
  /**
   * An outside witness has a checkpoint that the journal does not lead to: the journal is an old copy, or another one. Nothing is paid
   * until a person lets the journal continue (`Resolved` of the placement `witness`).
   */
  WitnessDisagreed: { size: Schema.Int, head: Text, text: Text },
  /** The total that a strategy may use of an asset; the ledger posts the difference to the last total. */
  BudgetAllotted: { strategy: Text, asset: Text, amount: Amount },
  StrategyLoaded: {
    strategy: Text,
    file: Text,
    kind: Text,
    market: Text,
    hash: Text,
    /** The text of the file; absent if it equals the last one of this strategy. */
    text: Schema.optionalKey(Text),
    /** Its smallest order, in quote. */
    minOrder: Schema.optionalKey(Amount)
  },
  /** A running bot received files that it cannot use; it continues with the previous ones. */
  StrategiesRefused: { problems: Schema.Array(Text) },
  /** The refused edit is fixed: the running strategies are those of the files again. */
  EditMended: {},
  /** A running bot compared its records with other witnesses, and the result differs from the last one. */
  Reconciled: {
    witnesses: Schema.Array(Text),
    contradictions: Schema.Array(Text),
    /** Orders and deposits of this account that the journal does not know; the bot does not touch them. */
    foreign: Schema.Array(Schema.Struct({ kind: Text, subject: Text, address: Text, text: Text }))
  },
  /**
   * The account's own capital. Above zero: it came without an origin, as the history or a person says. Below zero: it left, as a person
   * says.
   */
  CapitalMoved: { asset: Text, amount: Amount, witness: Schema.Literals(["history", "operator"]), name: Text },
  /** The differences between the service and its record; written only if they differ from the last ones. `of`: only the feed of incidents was read. */
  ServiceCompared: { drift: Schema.Array(Drift), of: Schema.optionalKey(Schema.Literal("incidents")) },
  /** A loop beside the engine, or the work on an order, failed and restarts. */
  LoopFailed: { what: Text, reason: Text },
  /** A strategy cannot be planned because of a defect of this program: its orders stay as they are. Reported once until it ends. */
  PlanFailed: { strategy: Text, reason: Text },
  PlanMended: { strategy: Text },
  StrategyRemoved: {
    strategy: Text,
    orders: Schema.Literals(["drained", "left"]),
    left: Schema.optionalKey(LeftPositions)
  },
  /** An element of the venue's list that cannot be read as an order; the others are used. Reported once in a run. */
  OddOrderSeen: { orderId: Schema.optionalKey(Text), reason: Text },
  /** The venue has an order of this journal that the journal does not know: events are missing. Nothing is funded meanwhile. */
  JournalBehind: {
    orderId: Text,
    depositAddress: Text,
    market: Text,
    asset: Text,
    /** The deposit that the order expects, and the deposit that it has. */
    amount: Amount,
    deposited: Amount,
    status: Text,
    createdAt: Schema.optionalKey(Time),
    /** The order was created while this process ran, by none of its placements: another bot runs with a copy of the journal. */
    isAnothers: Schema.optionalKey(Schema.Boolean)
  },
  /** Milliseconds that our clock is ahead of the venue's; recorded first and when it changes by a second or more. */
  ClockCompared: { skewMillis: Schema.Int, ok: Schema.Boolean },
  /** The disk of the journal has no room, or no reserve for another `reason`: nothing new is started; work in progress uses a reserve. */
  DiskFull: { reason: Schema.optionalKey(Text) },
  DiskFreed: { fullMillis: Time },
  /** The file of the journal, or of its lock, was replaced: nothing new is started or paid. */
  LeaseLost: { reason: Text },
  LeaseRegained: {},
  KillSwitch: { on: Schema.Boolean, reason: Text },
  /** The person who gave a command; its effects are recorded before it. */
  Commanded: { by: Text, command: Text, target: Schema.optionalKey(Text), why: Schema.optionalKey(Text) },
  /** A number from outside that strategies read: its sender, and the time from which it counts. */
  SignalReceived: { name: Text, value: Schema.Finite, from: Time, by: Text, note: Schema.optionalKey(Text) },
  AlertReached: { alert: Text, mid: Price },
  /** A market that only price alerts use has had no price for a minute, so they wait. Reported once until that ends. */
  AlertUnpriced: { market: Text, reason: Text },
  /**
   * A market has no price: no second source confirms it, the quote is not the venue's own, or there is none (`isUnquoted`). Reported once
   * until that ends.
   */
  PriceDoubted: { market: Text, reason: Text, isUnquoted: Schema.optionalKey(Schema.Literal(true)) },
  PriceConfirmed: { market: Text },
  /** The venue stopped or resumed answering. `since`: the time of the first request without an answer. */
  VenueDown: { reason: Text, since: Schema.optionalKey(Time) },
  VenueUp: { downMillis: Time }
}

const decisions = {
  /** Recorded when a decision differs from the last one, and for the first decision after a start or an edit; never per tick. */
  Decided: {
    strategy: Text,
    now: Schema.optionalKey(Time),
    bid: Price,
    ask: Price,
    priceAt: Time,
    /** Prices of further markets that the strategy trades or reads. */
    elsewhere: Schema.optionalKey(Schema.Array(Schema.Struct({ market: Text, bid: Price, ask: Price, at: Time }))),
    /** The market's quotes for larger quantities, if the strategy reads them. */
    depth: Schema.optionalKey(Schema.Array(QuotedDepth)),
    desired: Schema.Array(
      Schema.Struct({
        slot: Text,
        /** Name of a further market; absent for the strategy's first. */
        market: Schema.optionalKey(Text),
        side: Side,
        price: Price,
        quantity: Amount,
        by: Schema.optionalKey(By),
        /** The legs that the slot passes through without a new decision, if the decision holds across fills. */
        legs: Schema.optionalKey(Schema.Array(PlannedLeg)),
        cycle: Schema.optionalKey(Schema.Boolean),
        why: Reason
      })
    ),
    /** `at`: the time at which its order is due, if nothing else changes. */
    absent: Schema.Array(Schema.Struct({ slot: Text, why: Reason, at: Schema.optionalKey(Time) })),
    inputs: Schema.optionalKey(Schema.Array(SeenConditions)),
    reasons: Schema.Array(Reason),
    until: DecisionBounds,
    memory: Schema.Json
  },
  /** The equity of the strategy's holdings in its quote asset when a UTC day began for it, and their highest equity. */
  EquityMarked: { strategy: Text, asset: Text, day: Schema.Int, equity: Amount, peak: Amount },
  /** A loss limit was reached: nothing new is placed until it is released; `drain` also cancels the open orders. */
  Paused: { strategy: Text, ...pause, ...follows },
  Resumed: { strategy: Text, reason: Text },
  /** A leg that can never fill to the last unit ends with its fills; `rest` is the base that it leaves. */
  LegClosed: {
    strategy: Text,
    slot: Text,
    side: Side,
    asset: Text,
    rest: Amount,
    /** Amount that a purchase filled beyond the present plan; the next sale sells it as well. */
    carried: Schema.optionalKey(Amount),
    isSoldAtEnd: Schema.optionalKey(Schema.Literal(true)),
    reason: Text
  },
  /** Our limits refused the order, and nothing was sent. `exit`: the order would have closed a position, which stays open. */
  Denied: { strategy: Text, slot: Text, limit: Text, reason: Text, mid, exit: Schema.optionalKey(WantedExit) },
  /** A planned order waits. Only an `exit` that the venue refuses or ended is an error. An event without `exit` ends an earlier report. */
  Deferred: { strategy: Text, slot: Text, reason: Text, exit: Schema.optionalKey(WantedExit) }
}

const placing = {
  Planned: {
    ...placement,
    market: Text,
    side: Side,
    price: Price,
    quantity: Amount,
    by: Schema.optionalKey(By),
    isExit: Schema.optionalKey(Schema.Literal(true)),
    /** The strategy's money did not cover the rest of the leg, which stays due. */
    isPart: Schema.optionalKey(Schema.Literal(true)),
    inputAsset: Text,
    inputAmount: Amount,
    outputAsset: Text,
    outputAmount: Amount,
    /** Terms of the strategy's file beyond the account's configuration. */
    terms: Schema.optionalKey(OrderTerms),
    mid,
    /** Drawn for this order: the fingerprint by which a lost create is found again. */
    deadline: Time,
    why: Reason,
    /** The terms that the operator approved, if it is a swap by hand. */
    swap: Schema.optionalKey(AgreedSwap)
  },
  /** `path`: the requested money path; absent for a swap. `attempt`: always 1, because a create is never repeated. */
  CreateSent: { ...placement, attempt: Schema.Int, path: Schema.optionalKey(MoneyPath) },
  CreateRefused: { ...placement, code: Text, text: Text, ...correlation },
  /** Exactly one order is bound to a placement, after its whole echo was checked. `via`: `list` stands for any read. */
  Bound: {
    ...placement,
    orderId: Text,
    depositAddress: Text,
    depositMemo: Schema.optionalKey(Text),
    via: Schema.Literals(["reply", "list"]),
    ...shownFees,
    /** The venue's signature of the quote; absent if there is no quote. */
    quoteSignature: Schema.optionalKey(Text),
    ...correlation
  },
  /** The service's fee by its echo; recorded even if the order is refused for it. */
  FeeEchoed: { ...placement, ...feeEcho },
  /** Before payment, the estimated fees of payout and refund differ from those at binding. */
  FeesEstimated: { ...placement, ...shownFees },
  /** Never signed, as far as the journal knows. We do not fund its order at the venue. */
  Abandoned: { ...placement, reason: Text },
  /** A further order with the fingerprint of our placement: not funded by us, cancelled when seen, adopted if it has our money. */
  OrphanSeen: { ...placement, orderId: Text },
  OrphanCancelled: { ...placement, orderId: Text }
}

const fundingWith = (signed: SignedBytes) => ({
  /** The signed bytes, durable before they are first sent; a retry sends these and nothing else. */
  FundingSigned: {
    ...placement,
    orderId: Text,
    depositAddress: Text,
    asset: Text,
    amount: Amount,
    signed,
    intentHash: Text,
    validUntil: Time,
    ...correlation
  },
  FundingSent: { ...placement, attempt: Schema.Int },
  /** The attempt that was just recorded did not leave the process: the gate had closed by then. */
  FundingHeld: { ...placement, attempt: Schema.optionalKey(Schema.Int), reason: Text },
  FundingAcknowledged: { ...placement, intentHash: Text, ...correlation },
  /** An answer other than success. The payload may still execute until `validUntil`. `verdict`: the fact that the answer proves, if any. */
  FundingAnswered: {
    ...placement,
    code: Text,
    text: Text,
    verdict: Schema.optionalKey(Schema.Literals(refusalVerdicts)),
    ...correlation
  },
  /** The payment was provably not made and never will be: not sent, each attempt clearly refused, its order over, or the payer says so. */
  FundingDead: { ...placement, asset: Text, amount: Amount, reason: Text, by: Schema.optionalKey(Payer) },
  /** The payment left us, and its result is unknown: its money stays reserved until the result is known. */
  FundingInDoubt: { ...placement, asset: Text, amount: Amount, reason: Text },
  /** Recorded before a wallet is asked to pay on another chain: once for a placement. */
  PaymentAsked: {
    ...placement,
    orderId: Text,
    depositAddress: Text,
    depositMemo: Schema.optionalKey(Text),
    asset: Text,
    amount: Amount,
    wallet: Schema.Literals(["manual", "command"]),
    /** The venue sends back a payment that arrives later. */
    validUntil: Time
  },
  /** The operator says that the wallet paid nothing; recorded before the wallet is asked once more. */
  PaymentAskedAgain: { ...placement, attempt: Schema.Int },
  PaymentMade: { ...placement, txHash: Text, sender: Schema.optionalKey(Text) },
  /** The wallet gave no usable answer: it may or may not have paid. `interrupted`: the bot ended before its program did. */
  PaymentUnclear: { ...placement, text: Text, interrupted: Schema.optionalKey(Schema.Literal(true)) },
  /** The venue received the transaction's hash. */
  PaymentReported: { ...placement, txHash: Text },
  /** `total` is the whole deposit by the venue, `fresh` the new part of it. */
  DepositSeen: { ...placement, by: Schema.optionalKey(By), asset: Text, total: Amount, fresh: Amount }
})

const tracking = {
  /** The venue's report on a swap, recorded when it changes. Evidence: it moves no money. */
  SwapReported: { ...placement, ...swapReport, ...correlation },
  StatusSeen: { ...placement, status: Text, ...correlation },
  /** Each read of an order that holds our money is answered "no such order". Proves nothing; reported once until the order shows again. */
  OrderMissing: { ...placement, orderId: Text, text: Text, ...correlation },
  OrderBack: { ...placement, orderId: Text },
  /** A new fill, or the growth of a fill that is already recorded under this id. */
  FillSeen: {
    ...placement,
    fillId: Text,
    side: Side,
    price: Price,
    inputAsset: Text,
    amountIn: Amount,
    outputAsset: Text,
    amountOut: Amount,
    filledAt: Time,
    updatedAt: Schema.optionalKey(Time)
  },
  CancelRequested: { ...placement, why: Reason },
  CancelSent: { ...placement, attempt: Schema.Int },
  CancelRefused: { ...placement, code: Text, text: Text, ...correlation },
  /** Terminal by a positive answer of the venue; `unspent` input is to be refunded. */
  Closed: { ...placement, status: Text, inputAsset: Text, unspent: Amount },
  /** The order had not ended: the remaining amount is in the order again. */
  Reopened: { ...placement, status: Text, asset: Text, amount: Amount },
  PayoutStarted: { ...placement, asset: Text, amount: Amount },
  PaidOut: { ...placement, asset: Text, amount: Amount, fee: Amount, txHashes: Schema.Array(Text) },
  Refunded: { ...placement, asset: Text, amount: Amount, fee: Amount, txHashes: Schema.Array(Text) },
  /** A payout or refund that the venue gave up: the amount stays in `residual` until it completes after all. */
  LegFailed: { ...placement, leg: Leg, asset: Text, amount: Amount, reason: Text, ...follows },
  Settled: { ...placement },
  /** The venue contradicted itself or its earlier answers: no new funding for this slot. */
  Contradiction: {
    ...placement,
    kind: Schema.optionalKey(ContradictionKind),
    what: Text,
    evidence: Text,
    ...correlation
  },
  /**
   * An ended order is active again, or the operator confirmed what the venue now shows. All bookings of the order except its deposit are
   * reversed, and it is tracked again.
   */
  TakenBack: { ...placement, ...bookedOrder },
  /** The operator gave this amount up: a loss, unless it arrives after all. */
  WrittenOff: { ...placement, market: Text, asset: Text, amount: Amount },
  Found: { ...placement, market: Text, asset: Text, amount: Amount },
  /** The operator's answer if only a person can settle a question (`limitbot resolve`), such as the output of a swap without amounts. */
  Resolved: {
    ...placement,
    word: Schema.Literals(["paid", "not-paid", "adopt", "forget"]),
    text: Text,
    received: Schema.optionalKey(Amount)
  }
}

const open = { ...lifecycle, ...decisions, ...placing, ...tracking }

/** Every surface uses this encoding: signed bytes are hidden, so no further encoder can leak them. */
export const BotEvent = Schema.TaggedUnion({ ...open, ...fundingWith(HiddenBytes) })
/** The journal's encoding, with the signed bytes: only the journal may use it. */
export const StoredEvent = Schema.TaggedUnion({ ...open, ...fundingWith(StoredBytes) })
export type BotEvent = typeof BotEvent.Type
export type Tag = BotEvent["_tag"]
export type Of<T extends Tag> = Extract<BotEvent, { readonly _tag: T }>
export type PlacementEvent = Extract<BotEvent, { readonly placement: string }>

export interface Recorded {
  readonly sequence: number
  readonly at: number
  readonly event: BotEvent
}
