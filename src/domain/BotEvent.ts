/**
 * Everything that can happen to the bot, as one closed union. The journal stores these and nothing else; every other view
 * (placements, ledger, limits, explanations) is a fold of them. An event says what *we* did or saw; it is written before
 * the effect that it announces, and never changed. A tag is never reused with another meaning.
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

/** Why something was decided: a stable code, a sentence with the numbers in it, and the place in the strategy file. */
export const Reason = Schema.Struct({ code: Text, text: Text, source: Schema.optionalKey(Text) })
export type Reason = typeof Reason.Type

/** Which placement of which slot of which strategy an event is about. */
const placement = { strategy: Text, slot: Text, placement: Text }
const correlation = { correlationId: Schema.optionalKey(Text) }
/** What people were told of it before. */
const follows = { follows: Schema.optionalKey(Schema.Literals(["contradiction"])) }
/** Mid of the market when the limits were asked. */
const mid = Schema.optionalKey(Price)

const lifecycle = {
  /** First event of every run. `account`, `venue` and `mode` bind the journal: another one refuses to start. */
  BotStarted: {
    pid: Schema.Int,
    /** Only in the first of a journal: what the deadlines of its orders have in common. */
    mark: Schema.optionalKey(Schema.Int),
    /** The machine or the database's server, from its start on: on the same one nothing that was written is lost. */
    boot: Schema.optionalKey(Text),
    database: Schema.optionalKey(Text),
    /** Its file, by which a copy finds whether its source still runs here. */
    journal: Schema.optionalKey(Text),
    version: Text,
    /** A checksum of the program's sources. */
    sources: Schema.optionalKey(Text),
    decisionCode: Schema.optionalKey(Text),
    mode: Text,
    account: Text,
    venue: Text,
    /** The venue's asset ids by symbol, of live bots. */
    assets: Schema.optionalKey(Schema.Record(Text, Text)),
    fillBasisPoints: Schema.optionalKey(Schema.Finite),
    /** Limits over all strategies together, for explanations; exposures by symbol. */
    overall: Schema.optionalKey(
      Schema.Struct({
        maxOpenOrders: Schema.optionalKey(Schema.Int),
        maxOrdersPerHour: Schema.optionalKey(Schema.Int),
        exposure: Schema.Record(Text, Amount)
      })
    )
  },
  BotStopped: { reason: Text },
  /** The last event of a journal that goes on elsewhere: no bot starts on it any more. */
  JournalMoved: { to: Text },
  /** It was taken up again from a copy of so many events that ended with this hash. */
  JournalRestored: { events: Schema.Int, head: Text },
  /** Events are missing at its end, as what is kept outside it or an order of the venue shows. */
  JournalCut: { text: Text },
  /** An event is not what was written. Nothing is paid on such books; `limitbot journal verify` says the same. */
  JournalBroken: { number: Schema.Int, text: Text },
  /**
   * A witness outside has a checkpoint of this account that the journal does not lead to: an old copy was put back, or another journal.
   * Nothing is paid until a person says that it is to go on (`Resolved` of the placement `witness`).
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
    /** What stands in the file, where it is not what the last one of this strategy said. */
    text: Schema.optionalKey(Text),
    /** Its smallest order, in quote. */
    minOrder: Schema.optionalKey(Amount)
  },
  /** A running bot was given files that it cannot use; it goes on with what it had. */
  StrategiesRefused: { problems: Schema.Array(Text) },
  /** What was refused is mended: the running strategies are those of the files again. */
  EditMended: {},
  /** A running bot compared its records with other witnesses, and found something else than the last time. */
  Reconciled: {
    witnesses: Schema.Array(Text),
    contradictions: Schema.Array(Text),
    /** Orders and deposits of this account that the journal does not know: nobody touches them. */
    foreign: Schema.Array(Schema.Struct({ kind: Text, subject: Text, address: Text, text: Text }))
  },
  /** The account's own capital: it came without an origin, as its history or a person says; below zero it went, by a person's word. */
  CapitalMoved: { asset: Text, amount: Amount, witness: Schema.Literals(["history", "operator"]), name: Text },
  /** How the service differs from what was recorded of it, where that is not what it was the last time. */
  ServiceCompared: { drift: Schema.Array(Drift) },
  /** A loop beside the engine, or the work on an order, failed and begins anew. */
  LoopFailed: { what: Text, reason: Text },
  /** A strategy cannot be planned, by a mistake of this program: its orders stay as they are. Said once until it is over. */
  PlanFailed: { strategy: Text, reason: Text },
  PlanMended: { strategy: Text },
  StrategyRemoved: { strategy: Text, orders: Schema.Literals(["drained", "left"]) },
  /** An element of the venue's list that cannot be read as an order; the others are used. Said once in a run. */
  OddOrderSeen: { orderId: Schema.optionalKey(Text), reason: Text },
  /** The venue has an order of this journal that the journal does not know: events are missing. Nothing is funded meanwhile. */
  JournalBehind: {
    orderId: Text,
    depositAddress: Text,
    market: Text,
    asset: Text,
    /** What it wants deposited, and what it has. */
    amount: Amount,
    deposited: Amount,
    status: Text,
    createdAt: Schema.optionalKey(Time),
    /** It was made while this process ran, by none of its placements: another bot runs with a copy of the journal. */
    isAnothers: Schema.optionalKey(Schema.Boolean)
  },
  /** How far our clock is ahead of the venue's; noted at first and when it changes by a second or more. */
  ClockCompared: { skewMillis: Schema.Int, ok: Schema.Boolean },
  /** The disk of the journal has no room: nothing new is begun, and what is under way lives on a reserve. */
  DiskFull: {},
  DiskFreed: { fullMillis: Time },
  /** The file of the journal, or of its lock, is another one now: nothing new is begun or paid. */
  LeaseLost: { reason: Text },
  LeaseRegained: {},
  KillSwitch: { on: Schema.Boolean, reason: Text },
  /** Who told the bot to do something; what it did stands before it. */
  Commanded: { by: Text, command: Text, target: Schema.optionalKey(Text), why: Schema.optionalKey(Text) },
  /** A number from outside that strategies look at: who sent it, and the time from which it counts. */
  SignalReceived: { name: Text, value: Schema.Finite, from: Time, by: Text, note: Schema.optionalKey(Text) },
  /** A market has no price: no second source shows it, the quote is not the venue's own, or (`isUnquoted`) there is none. Said once until that is over. */
  PriceDoubted: { market: Text, reason: Text, isUnquoted: Schema.optionalKey(Schema.Literal(true)) },
  PriceConfirmed: { market: Text },
  /** The venue stopped or resumed answering. `since`: when the first question without an answer was asked. */
  VenueDown: { reason: Text, since: Schema.optionalKey(Time) },
  VenueUp: { downMillis: Time }
}

const decisions = {
  /** Recorded when a decision differs from the one before it, never per tick. */
  Decided: {
    strategy: Text,
    /** The time that the strategy was told. */
    now: Schema.optionalKey(Time),
    bid: Price,
    ask: Price,
    priceAt: Time,
    /** Prices of further markets that the strategy trades or looks at. */
    elsewhere: Schema.optionalKey(Schema.Array(Schema.Struct({ market: Text, bid: Price, ask: Price, at: Time }))),
    /** What the market was quoted to take of larger quantities, where the strategy looks at it. */
    depth: Schema.optionalKey(Schema.Array(QuotedDepth)),
    desired: Schema.Array(
      Schema.Struct({
        slot: Text,
        /** Name of a further market; left out for the strategy's first. */
        market: Schema.optionalKey(Text),
        side: Side,
        price: Price,
        quantity: Amount,
        by: Schema.optionalKey(By),
        /** What the slot goes through without being decided again, where the decision holds across fills. */
        legs: Schema.optionalKey(
          Schema.Array(
            Schema.Struct({
              side: Side,
              price: Price,
              quantity: Amount,
              by: Schema.optionalKey(By),
              /** It may sell below what was paid: a stop, or a file that allows it. */
              mayLose: Schema.optionalKey(Schema.Literals([true]))
            })
          )
        ),
        cycle: Schema.optionalKey(Schema.Boolean),
        why: Reason
      })
    ),
    absent: Schema.Array(Schema.Struct({ slot: Text, why: Reason })),
    /** What the conditions of slots saw, where the strategy has such. */
    inputs: Schema.optionalKey(Schema.Array(SeenConditions)),
    reasons: Schema.Array(Reason),
    until: DecisionBounds,
    memory: Schema.Json
  },
  /** What the strategy's holdings were worth in its quote asset when a UTC day began for it, and the most they ever were. */
  EquityMarked: { strategy: Text, asset: Text, day: Schema.Int, equity: Amount, peak: Amount },
  /** A loss limit was reached: nothing new is placed until it is released; `drain` withdraws what rests as well. */
  Paused: { strategy: Text, ...pause, ...follows },
  Resumed: { strategy: Text, reason: Text },
  /** A leg that can never fill to the last unit ends with what it did; `rest` is base that it leaves. */
  LegClosed: {
    strategy: Text,
    slot: Text,
    side: Side,
    asset: Text,
    rest: Amount,
    /** What a purchase filled beyond what is wanted now: the next sale sells it as well. */
    carried: Schema.optionalKey(Amount),
    reason: Text
  },
  /** Our own limits refused: nothing was sent. `exit`: it was to leave a position, which stays without it. */
  Denied: { strategy: Text, slot: Text, limit: Text, reason: Text, mid, exit: Schema.optionalKey(WantedExit) },
  /** A wish that waits for something named; not an error, but for an `exit` that the venue refuses again and again, or has ended. */
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
    inputAsset: Text,
    inputAmount: Amount,
    outputAsset: Text,
    outputAmount: Amount,
    /** What the strategy's file asks for beyond the account's configuration. */
    terms: Schema.optionalKey(OrderTerms),
    mid,
    /** Drawn for this order: the fingerprint by which a lost create is found again. */
    deadline: Time,
    why: Reason,
    /** The terms that the operator agreed to, if it is a swap by hand. */
    swap: Schema.optionalKey(AgreedSwap)
  },
  /** `path`: what it asks for; missing where a swap is asked for. */
  CreateSent: { ...placement, attempt: Schema.Int, path: Schema.optionalKey(MoneyPath) },
  CreateRefused: { ...placement, code: Text, text: Text, ...correlation },
  /** Exactly one order is bound to a placement, after its whole echo was checked. */
  Bound: {
    ...placement,
    orderId: Text,
    depositAddress: Text,
    depositMemo: Schema.optionalKey(Text),
    via: Schema.Literals(["reply", "list"]),
    ...shownFees,
    /** The venue's signature of the quote, where it comes from one. */
    quoteSignature: Schema.optionalKey(Text),
    ...correlation
  },
  /** What its echo says the service takes, also where it is refused for that. */
  FeeEchoed: { ...placement, ...feeEcho },
  /** Before it is paid, the fees of its payout and refund are estimated otherwise than when it was bound. */
  FeesEstimated: { ...placement, ...shownFees },
  /** Never signed, so nothing can be in it. Whatever the venue made of it stays unfunded. */
  Abandoned: { ...placement, reason: Text },
  /** A further order with the fingerprint of a placement of ours: never funded, cancelled when seen. */
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
  /** An answer that is not success. The payload may still execute until `validUntil`. `verdict`: what the answer proves, if anything. */
  FundingAnswered: {
    ...placement,
    code: Text,
    text: Text,
    verdict: Schema.optionalKey(Schema.Literals(refusalVerdicts)),
    ...correlation
  },
  /** The payment was provably not made, and never will be: it was never sent, or its order is over, or who pays says so. */
  FundingDead: { ...placement, asset: Text, amount: Amount, reason: Text, by: Schema.optionalKey(Payer) },
  /** The payment left us, and nobody has said whether it was made: it keeps its money until that is known. */
  FundingInDoubt: { ...placement, asset: Text, amount: Amount, reason: Text },
  /** A wallet is about to be asked to pay on another chain: once for a placement. */
  PaymentAsked: {
    ...placement,
    orderId: Text,
    depositAddress: Text,
    depositMemo: Schema.optionalKey(Text),
    asset: Text,
    amount: Amount,
    wallet: Schema.Literals(["manual", "command"]),
    /** What arrives later is sent back by the venue. */
    validUntil: Time
  },
  /** The operator says that the wallet paid nothing: it is about to be asked once more. */
  PaymentAskedAgain: { ...placement, attempt: Schema.Int },
  PaymentMade: { ...placement, txHash: Text, sender: Schema.optionalKey(Text) },
  /** The wallet gave no usable answer: it may or may not have paid. `interrupted`: the bot ended before its program did. */
  PaymentUnclear: { ...placement, text: Text, interrupted: Schema.optionalKey(Schema.Literal(true)) },
  /** The venue was told of the transaction. */
  PaymentReported: { ...placement, txHash: Text },
  /** `total` is all that the venue says was deposited, `fresh` what is new in it. */
  DepositSeen: { ...placement, by: Schema.optionalKey(By), asset: Text, total: Amount, fresh: Amount }
})

const tracking = {
  /** What the venue says of a swap, recorded when it changes. Evidence: it moves nothing. */
  SwapReported: { ...placement, ...swapReport, ...correlation },
  StatusSeen: { ...placement, status: Text, ...correlation },
  /** Each read of an order that holds our money is answered "no such order". Proves nothing; said once until it shows again. */
  OrderMissing: { ...placement, orderId: Text, text: Text, ...correlation },
  OrderBack: { ...placement, orderId: Text },
  /** What was filled, or what a fill that is known by this id has grown by since. */
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
  /** The end was not true: the rest of it is in the order again. */
  Reopened: { ...placement, status: Text, asset: Text, amount: Amount },
  PayoutStarted: { ...placement, asset: Text, amount: Amount },
  PaidOut: { ...placement, asset: Text, amount: Amount, fee: Amount, txHashes: Schema.Array(Text) },
  Refunded: { ...placement, asset: Text, amount: Amount, fee: Amount, txHashes: Schema.Array(Text) },
  /** A payout or refund that the venue gave up: the amount is named in `residual` until it completes after all. */
  LegFailed: { ...placement, leg: Leg, asset: Text, amount: Amount, reason: Text, ...follows },
  Settled: { ...placement },
  /** The venue said something that cannot be true together with what it said before: no new funding for this slot. */
  Contradiction: {
    ...placement,
    kind: Schema.optionalKey(ContradictionKind),
    what: Text,
    evidence: Text,
    ...correlation
  },
  /**
   * The order was said to be over, and it lives on, or the operator says that the venue is right now: all that was booked of it but
   * its deposit is taken back, and it is followed anew.
   */
  TakenBack: { ...placement, ...bookedOrder },
  /** Given up by the operator's word: a loss, until it comes after all. */
  WrittenOff: { ...placement, market: Text, asset: Text, amount: Amount },
  Found: { ...placement, market: Text, asset: Text, amount: Amount },
  /** The operator's word on what only somebody who looked can know (`limitbot resolve`), such as what a swap brought that shows no amounts. */
  Resolved: {
    ...placement,
    word: Schema.Literals(["paid", "not-paid", "adopt", "forget"]),
    text: Text,
    received: Schema.optionalKey(Amount)
  }
}

const open = { ...lifecycle, ...decisions, ...placing, ...tracking }

/** As every surface encodes it: signed bytes are hidden, so no further encoder can leak them. */
export const BotEvent = Schema.TaggedUnion({ ...open, ...fundingWith(HiddenBytes) })
/** As the journal stores it, with the signed bytes: only the journal may use it. */
export const StoredEvent = Schema.TaggedUnion({ ...open, ...fundingWith(StoredBytes) })
export type BotEvent = typeof BotEvent.Type
export type Tag = BotEvent["_tag"]
export type Of<T extends Tag> = Extract<BotEvent, { readonly _tag: T }>
/** What tells of a placement. */
export type PlacementEvent = Extract<BotEvent, { readonly placement: string }>

/** An event with its place in the journal. */
export interface Recorded {
  readonly sequence: number
  readonly at: number
  readonly event: BotEvent
}
