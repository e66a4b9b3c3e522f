/**
 * The orders of the witness: each lives by the clock and the price, fills in three uneven slices somewhere between its limit and the
 * market, and pays the output of each at once, that of the first in two withdrawals. A payment is recognized a little after it was made.
 */
import { randomBytes } from "node:crypto"
import {
  type Asset,
  type Books,
  base,
  inQuote,
  isLess,
  middle,
  purse,
  quote,
  type Ratio,
  ratioOf,
  times
} from "./Books.ts"

export const pace = { recognitionMillis: 120, sliceMillis: 300, cancelMillis: 400, payoutMillis: 150 }

/** How this service breaks the law, when a test wants it to. */
export type Crime = "fills below the limit" | "half of the fills are not told"

export interface Leg {
  readonly kind: "withdrawal" | "refund"
  readonly asset: Asset
  readonly units: bigint
  readonly fee: bigint
  readonly at: number
  readonly hash: string
  isPaid: boolean
}
export interface Fill {
  readonly id: string
  readonly spent: bigint
  readonly got: bigint
  readonly at: number
}
export interface Order {
  readonly number: number
  readonly id: string
  readonly owner: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly side: "SELL" | "BUY"
  readonly price: Ratio
  readonly quantity: bigint
  readonly input: Asset
  readonly output: Asset
  /** What it deposits, and what it gets at least (SELL) or exactly (BUY). */
  readonly needed: bigint
  readonly promised: bigint
  readonly address: string
  readonly memo: string | undefined
  readonly createdAt: number
  readonly deadline: number
  readonly payments: Array<{ readonly units: bigint; readonly at: number; isRecognized: boolean }>
  readonly hashes: Array<string>
  readonly fills: Array<Fill>
  readonly legs: Array<Leg>
  deposited: bigint
  status: "AWAITING_DEPOSIT" | "OPEN" | "PARTIALLY_FILLED" | "PENDING_CANCEL" | "FILLED" | "CANCELED" | "EXPIRED"
  nextSliceAt: number
  cancelAt: number | undefined
}

const sum = (fills: ReadonlyArray<Fill>, side: "spent" | "got"): bigint =>
  fills.reduce((total, fill) => total + fill[side], 0n)
export const isOver = ({ status }: Order): boolean => ["FILLED", "CANCELED", "EXPIRED"].includes(status)
export const withdrawFee = (asset: Asset): bigint => (asset === quote ? 350n : 2n)
export const refundFee = (_asset: Asset): bigint => 0n

const spread = { over: 5n, under: 10_000n }
const name = (prefix: string): string => `${prefix}${randomBytes(10).toString("hex")}`

export class Orders {
  readonly all: Array<Order> = []
  readonly #books: Books
  readonly #crime: Crime | undefined

  constructor(books: Books, crime: Crime | undefined) {
    this.#books = books
    this.#crime = crime
    books.onSettle((now) => {
      for (const order of this.all) this.#settle(order, now)
    })
  }

  create(owner: string, attributes: Readonly<Record<string, unknown>>): Order {
    const now = this.#books.now()
    const [side, price] = [attributes["side"] === "BUY" ? "BUY" : "SELL", ratioOf(String(attributes["price"]))] as const
    const quantity = BigInt(String(attributes["quantity"]))
    const inTheQuote = inQuote(quantity, price, "up")
    const order: Order = {
      number: this.all.length + 1,
      id: name("o_"),
      owner,
      attributes,
      side,
      price,
      quantity,
      input: side === "SELL" ? base : quote,
      output: side === "SELL" ? quote : base,
      needed: side === "SELL" ? quantity : inTheQuote,
      promised: side === "SELL" ? inTheQuote : quantity,
      address: name("vault."),
      memo: attributes["depositMode"] === "MEMO" ? name("m") : undefined,
      createdAt: now,
      deadline: Date.parse(String(attributes["deadline"] ?? new Date(now + 7 * 86_400_000).toISOString())),
      payments: [],
      hashes: [],
      fills: [],
      legs: [],
      deposited: 0n,
      status: "AWAITING_DEPOSIT",
      nextSliceAt: 0,
      cancelAt: undefined
    }
    this.all.unshift(order)
    return order
  }

  /** Whether it could be asked for: what is filled or expired cannot be cancelled any more. */
  cancel(order: Order): boolean {
    if (order.status === "FILLED" || order.status === "EXPIRED") return false
    if (order.status !== "CANCELED" && order.status !== "PENDING_CANCEL") {
      order.status = "PENDING_CANCEL"
      order.cancelAt = this.#books.now() + pace.cancelMillis
    }
    return true
  }

  /** What comes too late or is too much goes back by itself, beside the payouts. */
  #recognize(order: Order, now: number): void {
    for (const payment of order.payments) {
      if (payment.isRecognized || now < payment.at + pace.recognitionMillis) continue
      payment.isRecognized = true
      const taken = isOver(order)
        ? 0n
        : payment.units < order.needed - order.deposited
          ? payment.units
          : order.needed - order.deposited
      order.deposited += taken
      this.#books.move(order.address, this.#refundTo(order), order.input, payment.units - taken)
      if (order.deposited === order.needed && order.status === "AWAITING_DEPOSIT") {
        order.status = "OPEN"
        order.nextSliceAt = payment.at + pace.recognitionMillis + pace.sliceMillis
      }
    }
  }

  #settle(order: Order, now: number): void {
    this.#recognize(order, now)
    const end = Math.min(order.deadline, order.cancelAt ?? order.deadline)
    while (!isOver(order) && order.nextSliceAt > 0 && order.nextSliceAt <= Math.min(now, end)) {
      const at = order.nextSliceAt
      order.nextSliceAt = this.#slice(order, at) ? at + pace.sliceMillis : now + pace.sliceMillis
      if (sum(order.fills, "spent") === order.needed || sum(order.fills, "got") === order.quantity)
        this.#end(order, "FILLED", at)
    }
    if (!isOver(order) && now >= end) this.#end(order, now >= order.deadline ? "EXPIRED" : "CANCELED", end)
    for (const leg of order.legs) {
      if (leg.isPaid || now < leg.at) continue
      leg.isPaid = true
      const to =
        leg.kind === "refund"
          ? this.#refundTo(order)
          : purse(String(order.attributes["recipientType"]), String(order.attributes["recipient"]))
      this.#books.move(order.address, "house", leg.asset, leg.fee)
      this.#books.move(order.address, to, leg.asset, leg.units - leg.fee)
    }
  }

  /** Three sevenths, then two fifths of the rest, then all: at a price halfway between limit and market. */
  #slice(order: Order, at: number): boolean {
    const market = times(this.#books.mid, {
      over: order.side === "SELL" ? spread.under - spread.over : spread.under + spread.over,
      under: spread.under
    })
    if (order.side === "SELL" ? isLess(market, order.price) : isLess(order.price, market)) return false
    const done = order.side === "SELL" ? sum(order.fills, "spent") : sum(order.fills, "got")
    const left = order.quantity - done
    const part = order.fills.length === 0 ? (left * 3n) / 7n : order.fills.length === 1 ? (left * 2n) / 5n : left
    const units = part === 0n ? left : part
    const price = middle(order.price, market)
    const paid = order.side === "SELL" ? inQuote(units, price, "up") : inQuote(units, price, "down")
    const other = this.#crime === "fills below the limit" ? paid / 2n : paid
    const fill = {
      id: name("f"),
      spent: order.side === "SELL" ? units : paid,
      got: order.side === "SELL" ? other : units,
      at
    }
    order.fills.push(fill)
    if (order.status === "OPEN") order.status = "PARTIALLY_FILLED"
    this.#books.move(order.address, "house", order.input, fill.spent)
    this.#books.move("house", order.address, order.output, fill.got)
    const first = (fill.got * 3n) / 5n
    const withdrawals = order.fills.length === 1 && first > 0n ? [first, fill.got - first] : [fill.got]
    for (const units of withdrawals) this.#owe(order, "withdrawal", units, at)
    return true
  }

  #end(order: Order, status: "FILLED" | "CANCELED" | "EXPIRED", at: number): void {
    order.status = status
    const unspent = order.deposited - sum(order.fills, "spent")
    if (unspent > 0n) this.#owe(order, "refund", unspent, at)
  }

  #owe(order: Order, kind: "withdrawal" | "refund", units: bigint, at: number): void {
    const asset = kind === "refund" ? order.input : order.output
    const fee = kind === "refund" ? refundFee(asset) : withdrawFee(asset)
    const due = at + pace.payoutMillis * (1 + (order.legs.length % 2))
    order.legs.push({ kind, asset, units, fee: fee < units ? fee : 0n, at: due, hash: name("t"), isPaid: false })
  }

  #refundTo({ attributes }: Order): string {
    return purse(String(attributes["refundType"]), String(attributes["refundTo"]))
  }
}
