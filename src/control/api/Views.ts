/**
 * What the API shows of a running bot. Amounts and prices are exact decimals as text, times are epoch milliseconds,
 * and every answer says when it was true. Secrets have no field here: keys, tokens and signed bytes cannot get out.
 */
import { Schema } from "effect"

const Text = Schema.String
const Time = Schema.Int
const Side = Schema.Literals(["BUY", "SELL"])

/** When it was true, and up to which event of the journal. */
const asOf = { at: Time, sequence: Schema.Int }

export const PriceView = Schema.Struct({ market: Text, bid: Text, ask: Text, mid: Text, at: Time })
export type PriceView = typeof PriceView.Type

/** What an operator may say about a payment or an order that nobody else can know about. */
export const Word = Schema.Literals(["paid", "not-paid", "adopt", "forget"])

/** Something that a person should look at, worst first. */
export const ProblemView = Schema.Struct({
  severity: Schema.Literals(["alarm", "warn"]),
  kind: Text,
  subject: Text,
  text: Text,
  since: Schema.NullOr(Time),
  /** The command of this API that answers it, if any. */
  command: Schema.NullOr(Schema.Literals(["release", "resume", "reconcile", "resolve"])),
  /** What `resolve` asks about, the words that it would accept now, and what to look up first. */
  resolve: Schema.NullOr(Schema.Struct({ placement: Text, words: Schema.Array(Word), evidence: Text }))
})
export type ProblemView = typeof ProblemView.Type

const StrategyView = Schema.Struct({
  name: Text,
  kind: Text,
  file: Text,
  market: Text,
  paused: Schema.NullOr(Schema.Struct({ by: Text, action: Schema.Literals(["pause", "drain"]), reason: Text })),
  openOrders: Schema.Int,
  slots: Schema.Int,
  decidedAt: Time
})

export const Status = Schema.Struct({
  ...asOf,
  version: Text,
  mode: Text,
  venue: Text,
  account: Text,
  journal: Text,
  pid: Schema.Int,
  startedAt: Time,
  turnedAt: Time,
  leaving: Schema.NullOr(Text),
  killSwitch: Schema.NullOr(Text),
  venueDownSince: Schema.NullOr(Time),
  fills: Schema.Int,
  openOrders: Schema.Int,
  strategies: Schema.Array(StrategyView),
  prices: Schema.Array(PriceView),
  problems: Schema.Array(ProblemView),
  /** Whose token asked. */
  role: Schema.Literals(["viewer", "operator"])
})
export type Status = typeof Status.Type

const SlotView = Schema.Struct({
  /** "strategy/slot". */
  slot: Text,
  strategy: Text,
  market: Text,
  side: Text,
  price: Text,
  quantity: Text,
  filled: Text,
  state: Text,
  /** Since when it is in this state; null for an empty slot. */
  since: Schema.NullOr(Time),
  /** Distance from the mid price, as a signed share of it; null while nothing rests. */
  distance: Schema.NullOr(Schema.Finite),
  legs: Schema.Int,
  /** What it bought and sold itself brought in, after its fees; null before it closed anything. */
  earned: Schema.NullOr(Text),
  /** What its open leg would earn at the present price; null without one. */
  inventory: Schema.NullOr(Text),
  why: Text,
  tone: Schema.Literals(["alarm", "buy", "sell", "quiet"])
})
export const Slots = Schema.Struct({ ...asOf, slots: Schema.Array(SlotView) })

const OrderView = Schema.Struct({
  slot: Text,
  placement: Text,
  orderId: Schema.NullOr(Text),
  market: Text,
  side: Side,
  price: Text,
  quantity: Text,
  filled: Text,
  state: Text,
  status: Schema.NullOr(Text),
  deadline: Time,
  depositAddress: Schema.NullOr(Text),
  why: Text
})
export const Orders = Schema.Struct({ ...asOf, orders: Schema.Array(OrderView) })

export const FillView = Schema.Struct({
  sequence: Schema.Int,
  at: Time,
  slot: Text,
  /** Fills of one order have the same. */
  placement: Text,
  market: Text,
  side: Side,
  price: Text,
  paid: Text,
  paidAsset: Text,
  received: Text,
  receivedAsset: Text,
  fillId: Text
})
export type FillView = typeof FillView.Type
export const Fills = Schema.Struct({ ...asOf, fills: Schema.Array(FillView) })

export const Money = Schema.Struct({
  ...asOf,
  /** The places in the order in which money passes through them. */
  places: Schema.Array(Text),
  rows: Schema.Array(Schema.Struct({ asset: Text, place: Text, amount: Text })),
  /** What strategies that do not run gave back to the account. */
  notCounted: Schema.Array(Schema.Struct({ strategy: Text, asset: Text, amount: Text })),
  residual: Schema.Record(Text, Text)
})

export const Profit = Schema.Struct({
  ...asOf,
  /** What stands first, by quote asset: grid profit plus inventory less fees are the total. */
  standings: Schema.Array(
    Schema.Struct({
      asset: Text,
      total: Text,
      /** The total as a share of the capital, and in proportion for a year; null of less than a day. */
      share: Schema.NullOr(Schema.Finite),
      shareOfYear: Schema.NullOr(Schema.Finite),
      gridProfit: Text,
      inventory: Text,
      fees: Text,
      /** Grid profit less fees since midnight UTC. */
      earnedToday: Text,
      rounds: Schema.Int,
      /** The budgets at the present price; null where one of them has none. */
      capital: Schema.NullOr(Text),
      since: Schema.NullOr(Time)
    })
  ),
  /** By UTC day, oldest first; the inventory is not divided by days. */
  days: Schema.Array(
    Schema.Struct({ day: Text, asset: Text, earned: Text, gridProfit: Text, fees: Text, rounds: Schema.Int })
  ),
  strategies: Schema.Array(
    Schema.Struct({
      strategy: Text,
      market: Text,
      asset: Text,
      /** What its holdings are worth at the mid price, and what its budget would be worth without any trade. */
      worth: Text,
      held: Text,
      /** Grid profit less fees. */
      earned: Text,
      fills: Schema.Int
    })
  ),
  /** Columns: time in seconds, worth of all holdings, worth without any trade. For charts, not for books. */
  series: Schema.Struct({
    asset: Text,
    time: Schema.Array(Schema.Int),
    worth: Schema.Array(Schema.Finite),
    held: Schema.Array(Schema.Finite)
  })
})

export const Candles = Schema.Struct({
  ...asOf,
  market: Text,
  timeframe: Text,
  /** Columns; time in seconds. */
  time: Schema.Array(Schema.Int),
  open: Schema.Array(Schema.Finite),
  high: Schema.Array(Schema.Finite),
  low: Schema.Array(Schema.Finite),
  close: Schema.Array(Schema.Finite)
})

/** The market's two-sided price and our own resting orders around it. */
export const Book = Schema.Struct({
  ...asOf,
  market: Text,
  price: Schema.NullOr(PriceView),
  /** What a trade of each size would get, smallest first. */
  depth: Schema.Array(Schema.Struct({ quantity: Text, bid: Text, ask: Text, at: Time })),
  orders: Schema.Array(
    Schema.Struct({ side: Side, price: Text, quantity: Text, filled: Text, slot: Text, state: Text })
  )
})

export const LineView = Schema.Struct({
  sequence: Schema.Int,
  at: Time,
  tag: Text,
  subject: Text,
  /** A sentence for people; empty for events that only serve recovery. */
  text: Text,
  weight: Schema.Literals(["quiet", "good", "warn", "alarm"]),
  fields: Schema.Record(Text, Schema.Json)
})
export type LineView = typeof LineView.Type
export const Lines = Schema.Struct({ ...asOf, events: Schema.Array(LineView) })
