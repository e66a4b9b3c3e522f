/**
 * What a strategy of one's own is: keys that its section may have, the candles that it looks at, and a pure function from what it sees
 * to what it wants and for how long that holds. Numbers are plain here; what becomes an order is rounded in the careful direction.
 *
 * @packageDocumentation
 */

/** How the value of a key is written. With `otherwise`, as it would be written, the key may be left out; with `optional` it is then missing. */
export type OwnKey =
  | ({ readonly is: "integer"; readonly least: number; readonly most: number } & KeyNotes)
  | ({ readonly is: "choice"; readonly of: ReadonlyArray<string> } & KeyNotes)
  | ({ readonly is: "number" | "price" | "ratio" | "duration" | "size" | "timeframe" | "text" | "flag" } & KeyNotes)

interface KeyNotes {
  /** What it is for, as `check` and editors say it. */
  readonly says?: string
  readonly otherwise?: string | number | boolean
  readonly optional?: true
}

export type OwnKeys = Readonly<Record<string, OwnKey>>

/** An amount in either asset. Text is taken exactly, a number to twelve places; what is ordered is rounded down. */
export interface OwnSize {
  readonly unit: "base" | "quote"
  readonly amount: string | number
}

type Value<K extends OwnKey> = K extends { readonly is: "size" }
  ? OwnSize
  : K extends { readonly is: "flag" }
    ? boolean
    : K extends { readonly is: "choice"; readonly of: ReadonlyArray<infer T> }
      ? T
      : K extends { readonly is: "timeframe" | "text" }
        ? string
        : number

/** Ratios are shares of one (`5%` is 0.05), durations milliseconds, prices and numbers doubles. */
export type OwnSettings<K extends OwnKeys> = {
  readonly [N in keyof K]: K[N] extends { readonly optional: true } ? Value<K[N]> | undefined : Value<K[N]>
}

/** A JSON value. It is all that a strategy knows of what it decided before. */
export type OwnMemory =
  | null
  | string
  | number
  | boolean
  | ReadonlyArray<OwnMemory>
  | { readonly [key: string]: OwnMemory }

/**
 * Closed candles, and indicators of them. `back` counts from the last closed candle, which is 0 and the default of indicators. `NaN` stands
 * before the first candle, and where an indicator needs more candles.
 */
export interface OwnCandles {
  /** Number of closed candles; the values of the last 5,000 can be read. */
  readonly count: number
  readonly open: (back: number) => number
  readonly high: (back: number) => number
  readonly low: (back: number) => number
  readonly close: (back: number) => number
  /** `NaN` where the source does not tell it. */
  readonly volume: (back: number) => number
  /** Mean of the last `length` closes. */
  readonly sma: (length: number, back?: number) => number
  /** Exponential mean of closes with weight 2 / (length + 1); needs 3 × length candles. */
  readonly ema: (length: number, back?: number) => number
  /** Wilder's relative strength index of closes, 0 to 100; needs 6 × length + 1 candles. */
  readonly rsi: (length: number, back?: number) => number
  /** Wilder's average true range; needs 6 × length + 1 candles. */
  readonly atr: (length: number, back?: number) => number
}

/** How far a slot is. `filled` is exact text. */
export interface OwnProgress {
  readonly legs: number
  readonly filled: string
}

/** What a slot has done, and what rests in it. */
export interface OwnSlot {
  /** By all fills of the slot: base bought and sold, quote paid and received. */
  readonly bought: number
  readonly sold: number
  readonly paid: number
  readonly received: number
  /** For `after` of legs that begin now. */
  readonly done: OwnProgress
  /** What still rests. */
  readonly live: { readonly side: "buy" | "sell"; readonly price: number; readonly left: number } | undefined
}

/** A number that somebody sent under a name, and the epoch milliseconds from which it counts. */
export interface OwnSignal {
  readonly value: number
  readonly at: number
}

/** All that a strategy may see. */
export interface OwnView {
  /** Epoch milliseconds. There is no other clock. */
  readonly now: number
  readonly bid: number
  readonly ask: number
  readonly mid: number
  readonly market: { readonly name: string; readonly base: string; readonly quote: string }
  /** Base bought less base sold by all slots. */
  readonly position: () => number
  readonly slot: (name: string) => OwnSlot
  /** Those of a timeframe that the strategy asked for. */
  readonly candles: (timeframe: string) => OwnCandles
  /** The last one of a name that the strategy asked for; `undefined` while none came, or the last one is too old. */
  readonly signal: (name: string) => OwnSignal | undefined
}

/** One order. */
export interface OwnLeg {
  readonly side: "buy" | "sell"
  /** Rounded away from the market: a purchase never pays more, a sale never takes less. */
  readonly price: number | string
  /** May be left out of legs that follow another one: they work what that one brought. */
  readonly size?: OwnSize
  /** Lets a sale go below what was paid. */
  readonly mayLose?: boolean
}

/** What one slot should hold: legs that are worked one after the other. */
export interface OwnWish {
  /** Lower-case letters, digits and dashes. */
  readonly slot: string
  readonly legs: readonly [OwnLeg & { readonly size: OwnSize }, ...ReadonlyArray<OwnLeg>]
  /** After the last leg the first begins again. */
  readonly cycle?: boolean
  /** How far the slot was when these legs began, where it has worked on others before. */
  readonly after?: OwnProgress
  /** For people. */
  readonly why: string
}

/**
 * The answer stays the same while the mid is between the two prices, before the time, and until one of the others happens. What it
 * looked at of signals needs no word here: it is asked again when a new value comes, and when one of them grows too old.
 */
export interface OwnBounds {
  readonly below?: number
  readonly above?: number
  readonly time?: number
  /** A candle of this timeframe closes. */
  readonly candle?: string
  /** An order of the strategy fills; taken as true where it is not said. */
  readonly fill?: boolean
}

/** What each slot should hold, and how long this answer stays the same. */
export interface OwnDecision {
  readonly orders: ReadonlyArray<OwnWish>
  /** Slots that should be empty, and why. */
  readonly waiting?: ReadonlyArray<{ readonly slot: string; readonly why: string }>
  readonly memory?: OwnMemory
  readonly until: OwnBounds
}

/** What a file exports by default. */
export interface OwnStrategy<K extends OwnKeys = OwnKeys> {
  /** In a few words. */
  readonly about: string
  readonly keys: K
  /** A price of its market, where it makes sense near that only: it is tried there before it trades. */
  readonly around?: number
  /** How many closed candles of each timeframe make it warm. */
  readonly candles?: (settings: OwnSettings<K>) => Readonly<Record<string, number>>
  /** The signals that it looks at, by name, and how old the value of each may be, in milliseconds. */
  readonly signals?: (settings: OwnSettings<K>) => Readonly<Record<string, number>>
  /** Pure: the same view, settings and memory give the same answer. `memory` is null before the first. */
  readonly decide: (view: OwnView, settings: OwnSettings<K>, memory: OwnMemory) => OwnDecision
}

/** Gives a strategy the types of its own keys. */
export type Own<K extends OwnKeys> = OwnStrategy<K>
