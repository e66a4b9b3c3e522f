/**
 * The contract of a strategy in code: the keys of its section, the candles that it reads, and a pure function from its view to the orders
 * that it plans and how long they hold. Numbers are plain here; the bot rounds orders in the careful direction.
 *
 * @packageDocumentation
 */

/** The form of a key's value. With `otherwise`, written as in the file, the key may be left out; with `optional` it is then missing. */
export type OwnKey =
  | ({ readonly is: "integer"; readonly least: number; readonly most: number } & KeyNotes)
  | ({ readonly is: "choice"; readonly of: ReadonlyArray<string> } & KeyNotes)
  | ({ readonly is: "number" | "price" | "ratio" | "duration" | "size" | "timeframe" | "text" | "flag" } & KeyNotes)

interface KeyNotes {
  /** The purpose of the key, shown by `check` and editors. */
  readonly says?: string
  readonly otherwise?: string | number | boolean
  readonly optional?: true
}

/** The keys of the section, by name. */
export type OwnKeys = Readonly<Record<string, OwnKey>>

/** An amount in either asset. Text is read exactly, a number to twelve places. The order's size is rounded down. */
export interface OwnSize {
  /** The asset of `amount`. */ readonly unit: "base" | "quote"
  /** Whole units. */ readonly amount: string | number
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

/** A JSON value. It is all that a strategy knows of its earlier decisions. */
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
  /** Quote per base. */ readonly open: (back: number) => number
  /** Quote per base. */ readonly high: (back: number) => number
  /** Quote per base. */ readonly low: (back: number) => number
  /** Quote per base. */ readonly close: (back: number) => number
  /** `NaN` if the source does not report it. */
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

/** The progress of a slot. `filled` is exact text. */
export interface OwnProgress {
  /** Finished legs. */ readonly legs: number
  /** Base filled in the leg that runs. */ readonly filled: string
}

/** The trades of a slot, and its open order. */
export interface OwnSlot {
  /** Sums of all fills of the slot: base bought and sold, quote paid and received. */
  readonly bought: number
  /** Base sold. */ readonly sold: number
  /** Quote paid. */ readonly paid: number
  /** Quote received. */ readonly received: number
  /** For `after` of legs that begin now. */
  readonly done: OwnProgress
  /** The open order, if there is one. `left` is its unfilled part. */
  readonly live: { readonly side: "buy" | "sell"; readonly price: number; readonly left: number } | undefined
}

/** A number that a sender sent under a name, and the epoch milliseconds from which it counts. */
export interface OwnSignal {
  /** The number that was sent. */ readonly value: number
  /** Epoch milliseconds. */ readonly at: number
}

/** All that a strategy may see. */
export interface OwnView {
  /** Epoch milliseconds. There is no other clock. */
  readonly now: number
  /** Quote per base. */ readonly bid: number
  /** Quote per base. */ readonly ask: number
  /** Quote per base, between bid and ask. */ readonly mid: number
  /** The first market of the file. */
  readonly market: { readonly name: string; readonly base: string; readonly quote: string }
  /** Base bought less base sold by all slots. */
  readonly position: () => number
  /** An unused name gives an untouched slot. */ readonly slot: (name: string) => OwnSlot
  /** Candles of a timeframe that the strategy requested. */
  readonly candles: (timeframe: string) => OwnCandles
  /** The last value of a signal that the strategy requested; `undefined` if none arrived, or if the last one is too old. */
  readonly signal: (name: string) => OwnSignal | undefined
}

/** One order of a slot. */
export interface OwnLeg {
  /** `buy` receives base. */ readonly side: "buy" | "sell"
  /** Rounded away from the market: a purchase never pays more, a sale never takes less. */
  readonly price: number | string
  /** May be left out of a leg that follows another one: it trades the quantity that the other leg brought. */
  readonly size?: OwnSize
  /** Lets a sale go below its cost. */
  readonly mayLose?: boolean
}

/** The plan of one slot: legs that are worked one after the other. */
export interface OwnWish {
  /** Lower-case letters, digits and dashes. */
  readonly slot: string
  /** At least one; each starts after the one before is paid. */
  readonly legs: readonly [OwnLeg & { readonly size: OwnSize }, ...ReadonlyArray<OwnLeg>]
  /** After the last leg the first begins again. */
  readonly cycle?: boolean
  /** The progress of the slot when these legs began, if it has worked on others before. */
  readonly after?: OwnProgress
  /** Shown by `explain` and on the page. */ readonly why: string
}

/**
 * The answer stays the same while the mid is between the two prices, before the time, and until one of the other events happens. Signals
 * need no bound here: the strategy is asked again when a new value of a signal that it read arrives, and when one grows too old.
 */
export interface OwnBounds {
  /** The mid, in quote per base. */ readonly below?: number
  /** The mid, in quote per base. */ readonly above?: number
  /** Epoch milliseconds. */ readonly time?: number
  /** A candle of this timeframe closes. */
  readonly candle?: string
  /** An order of the strategy fills. Default: true. */
  readonly fill?: boolean
}

/** The plan of each slot, and the bounds within which this answer stays valid. */
export interface OwnDecision<M = OwnMemory> {
  /** At most one for each slot. */ readonly orders: ReadonlyArray<OwnWish>
  /** Slots that should be empty, with the reason. */
  readonly waiting?: ReadonlyArray<{ readonly slot: string; readonly why: string }>
  /** Given to the next decision; JSON. */ readonly memory?: M
  /**
   * The prices at which it leaves with a loss, now or once a planned order has filled. Candles do not tell whether a bar came to a stop or
   * to a target first. The backtest side of fewer fills calls `decide` at these prices within the bar, as it does for a stop in YAML.
   * Live trading does not use them.
   */
  readonly stops?: { readonly below?: number | string; readonly above?: number | string }
  /** When to ask again. */ readonly until: OwnBounds
}

/** The default export of a file of code. */
export interface OwnStrategy<K extends OwnKeys = OwnKeys, M = OwnMemory> {
  /** A description in a few words. */
  readonly about: string
  /** The keys of its section in the strategy file. */ readonly keys: K
  /** A price of its market, if the strategy makes sense only near that price. The bot tries it there before it trades. */
  readonly around?: number
  /** The number of closed candles of each timeframe that it needs to be warm. */
  readonly candles?: (settings: OwnSettings<K>) => Readonly<Record<string, number>>
  /** The signals that it reads, by name, with the maximum age of each value in milliseconds. */
  readonly signals?: (settings: OwnSettings<K>) => Readonly<Record<string, number>>
  /** Pure: the same view, settings and memory give the same answer. `memory` is null before the first decision. */
  readonly decide: (view: OwnView, settings: OwnSettings<K>, memory: M | null) => OwnDecision<M>
}

/** Gives a strategy the types of its keys and of its memory `M`: an interface or a type of JSON values. */
export type Own<K extends OwnKeys, M = OwnMemory> = OwnStrategy<K, M>
