/**
 * A semantic attack: an answer of the venue that is valid by the schema and wrong in meaning. An attack is one line of a
 * table: the call whose answer it changes, the field, the lie, and what must hold when the lie has been told.
 */
import type { SandboxOrder, SandboxSwap, State } from "../../src/sandbox/core/State.ts"

export interface Json {
  [name: string]: unknown
}

/** The calls of the bot; `reads`: whatever shows an order after its creation. */
export const calls = [
  "create",
  "reads",
  "order",
  "list",
  "pages",
  "cancel",
  "intent",
  "submit",
  "price",
  "quote",
  "status",
  "tokens",
  "balances",
  "history"
] as const
export type Call = (typeof calls)[number]

/** What a liar knows. */
export interface Scene {
  readonly state: State
  /** Of the bot. */
  readonly account: string
  /** Somebody else's order, which waits for money. */
  readonly stranger: SandboxOrder
  readonly now: number
  /** Hashes of the payloads that the bot has signed so far, oldest first. */
  readonly hashes: ReadonlyArray<string>
  /** The payloads that the venue has made before, oldest first, as they were answered. */
  readonly payloads: ReadonlyArray<Json>
  /** How often this lie was told before. */
  readonly told: number
}

/** What an answer is about; the truth of it, if it is an order. */
export interface About extends Scene {
  readonly order: SandboxOrder | undefined
  readonly swap: SandboxSwap | undefined
  /** The whole element, where `said` is a part of it. */
  readonly element: Json
  /** The status of the answer, for those who change that. */
  readonly answer: { status: number }
}

/** Changes what is said; leaves it alone where there is nothing to lie about. */
export type Tell = (said: Json, about: About) => void

export interface Verdict {
  /** How many alerts people get of it, in all. */
  readonly alerts: number | readonly [least: number, most: number]
  /** No money may ever reach what it is about. */
  readonly unfit?: boolean
  /** The market that is not lied about may get nothing new either: the lie is about both. */
  readonly elsewhereWaits?: boolean
  /** The bot may end, and this is how. */
  readonly ends?: string
}

export interface Attack {
  readonly call: Call
  readonly field: string
  readonly lie: string
  readonly tell: Tell
  readonly must: Verdict
  /** The request never reaches the venue. */
  readonly swallows?: boolean
  /** It is told about every order, not just one. */
  readonly everywhere?: boolean
}

export const nameOf = ({ call, field, lie }: Attack): string => `${call} / ${field} / ${lie}`

/** Somebody must be told, once, and no money follows. */
export const refused: Verdict = { alerts: 1, unfit: true }
/** Somebody must be told, once. */
export const told: Verdict = { alerts: 1 }
/** It is old news, harmless, or looks like an honest answer: nobody is woken. */
export const quiet: Verdict = { alerts: 0 }
/** Either at once a contradiction, or old news, by what was known before. */
export const perhaps: Verdict = { alerts: [0, 1] }
/** Given up without an alarm: a dear or dying order is no anomaly. */
export const unfunded: Verdict = { alerts: 0, unfit: true }

/** The object that holds a field, and its last name: `swapView.amountIn`. */
const holderOf = (said: Json, path: string): readonly [Json | undefined, string] => {
  const names = path.split(".")
  const last = names.pop() ?? ""
  const holder = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), said)
  return [isObject(holder) ? holder : undefined, last]
}

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const get = (said: Json, path: string): unknown => {
  const [holder, name] = holderOf(said, path)
  return holder?.[name]
}

/** Puts another value into a field, whether it was there or not. */
export const set =
  (path: string, value: unknown | ((about: About, said: Json) => unknown)): Tell =>
  (said, about) => {
    const [holder, name] = holderOf(said, path)
    const wanted = typeof value === "function" ? value(about, said) : value
    if (holder !== undefined && wanted !== undefined) holder[name] = wanted
  }

export const put =
  (values: Json): Tell =>
  (said) => {
    Object.assign(said, values)
  }

/** Changes whole amounts where they are. */
export const amount =
  (paths: string | ReadonlyArray<string>, change: (amount: bigint) => bigint): Tell =>
  (said) => {
    for (const path of typeof paths === "string" ? [paths] : paths) {
      const [holder, name] = holderOf(said, path)
      const known = holder?.[name]
      if (holder !== undefined && typeof known === "string" && /^-?\d+$/.test(known))
        holder[name] = String(change(BigInt(known)))
    }
  }

export const all =
  (...tells: ReadonlyArray<Tell>): Tell =>
  (said, about) => {
    for (const tell of tells) tell(said, about)
  }

/** Lies only while the truth about the order is so. */
export const when =
  (holds: (order: SandboxOrder) => boolean, tell: Tell): Tell =>
  (said, about) => {
    if (about.order !== undefined && holds(about.order)) tell(said, about)
  }

export const isUnpaid = ({ intentHashes }: SandboxOrder): boolean => intentHashes.length === 0
export const isPaid = ({ deposited, status }: SandboxOrder): boolean => deposited > 0n && status === "OPEN"
export const hasFills = ({ fills }: SandboxOrder): boolean => fills.length > 0
export const isFilled = ({ status }: SandboxOrder): boolean => status === "FILLED"
export const isCancelled = ({ status }: SandboxOrder): boolean => status === "CANCELED"

/** One unit more, one less, ten times, a tenth, and as if with other decimals. */
export const otherAmounts: Readonly<Record<string, (amount: bigint) => bigint>> = {
  "one unit more": (amount) => amount + 1n,
  "one unit less": (amount) => amount - 1n,
  "ten times": (amount) => amount * 10n,
  "a tenth": (amount) => amount / 10n,
  "with other decimals": (amount) => amount * 10n ** 10n
}

export const thief = "thief.near"
/** An address that belongs to nobody. */
export const nowhere = "f".repeat(64)

/** A lie without the call that tells it: several calls tell some. */
export type Line = Pick<Attack, "field" | "lie" | "must" | "tell">

export const line = (field: string, lie: string, tell: Tell, must: Verdict): Line => ({ field, lie, tell, must })
export const at = (call: Call, lines: ReadonlyArray<Line>): ReadonlyArray<Attack> =>
  lines.map((each) => ({ call, ...each }))

/** A payment that ended, with a hash that is nobody's. */
export const paidOut = { status: "COMPLETED", txHash: "9".repeat(44) }
export const noPayouts = { withdrawal: null, allWithdrawals: [], refund: null }
