/** The partner's history: swaps and orders alike, one look in five seconds, refusals in its own form. */
import { type Asset, type Books, base, formatted, inUsd } from "./Books.ts"
import { iso, type Reply } from "./Json.ts"
import { isOver, type Order, type Orders } from "./Orders.ts"
import type { Swap, SwapRoutes } from "./SwapRoutes.ts"

const periodMillis = 5000
const states = ["FAILED", "INCOMPLETE_DEPOSIT", "PENDING_DEPOSIT", "PROCESSING", "REFUNDED", "SUCCESS"]
const byDefault = ["FAILED", "PROCESSING", "REFUNDED", "SUCCESS"]

interface Entry {
  readonly address: string
  readonly memo: string | undefined
  readonly state: string
  readonly createdAt: number
  readonly input: Asset
  readonly output: Asset
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly hashes: ReadonlyArray<string>
  readonly senders: ReadonlyArray<string>
  readonly terms: Readonly<Record<string, unknown>>
}

const ofSwap = (swap: Swap): Entry => ({
  ...swap,
  state: swap.status,
  senders: swap.sender,
  terms: swap.request,
  ...(swap.status === "SUCCESS" ? {} : { amountIn: 0n, amountOut: 0n })
})
const ofOrder = (order: Order): Entry => {
  const [amountIn, amountOut] = (["spent", "got"] as const).map((side) =>
    isOver(order) ? order.fills.reduce((total, fill) => total + fill[side], 0n) : 0n
  )
  const isDone = isOver(order) && order.legs.length > 0 && order.legs.every(({ isPaid }) => isPaid)
  const ended = order.fills.length > 0 ? "SUCCESS" : "REFUNDED"
  return {
    address: order.address,
    memo: order.memo,
    state: isDone ? ended : order.deposited > 0n ? "PROCESSING" : "PENDING_DEPOSIT",
    createdAt: order.createdAt,
    input: order.input,
    output: order.output,
    amountIn: isDone ? (amountIn ?? 0n) : 0n,
    amountOut: isDone ? (amountOut ?? 0n) : 0n,
    hashes: order.hashes,
    senders: [],
    terms: order.attributes
  }
}

const refused = (text: string): Reply => ({
  status: 400,
  body: { error: { message: text, code: "E_QUERY" }, status: 400 }
})
const within = (value: string | null, low: number, high: number, otherwise: number): number | undefined =>
  value === null
    ? otherwise
    : /^\d+$/.test(value) && Number(value) >= low && Number(value) <= high
      ? Number(value)
      : undefined

export class HistoryRoutes {
  readonly #books: Books
  readonly #orders: Orders
  readonly #swaps: SwapRoutes
  #lastLook = 0

  constructor(books: Books, orders: Orders, swaps: SwapRoutes) {
    this.#books = books
    this.#orders = orders
    this.#swaps = swaps
  }

  answer(path: string, query: URLSearchParams): Reply {
    const since = this.#books.now() - this.#lastLook
    if (since < periodMillis) {
      return { status: 429, body: { tooFast: true, tryAgainInSeconds: (periodMillis - since) / 1000 } }
    }
    this.#lastLook = this.#books.now()
    const wanted = query.get("statuses")?.split(",") ?? byDefault
    if (wanted.some((state) => !states.includes(state))) return refused("no such status")
    const found = this.#entries().filter((entry) => this.#isWanted(entry, query, wanted))
    return path.endsWith("-pages") ? this.#page(found, query) : this.#cursor(found, query)
  }

  #entries(): ReadonlyArray<Entry> {
    return [...this.#orders.all.map(ofOrder), ...this.#swaps.all.map(ofSwap)].sort((a, b) => b.createdAt - a.createdAt)
  }

  #isWanted(entry: Entry, query: URLSearchParams, wanted: ReadonlyArray<string>): boolean {
    const [from, to] = [query.getAll("fromTokenId"), query.getAll("toTokenId")]
    const chains = (name: string, asset: Asset) =>
      query.getAll(name).length === 0 || query.getAll(name).includes(asset === base ? "btc" : "eth")
    const bound = (name: string, scale: (text: string) => number) => {
      const text = query.get(name)
      return text === null || text === "null" ? undefined : scale(text)
    }
    const start = bound("startTimestamp", Date.parse) ?? bound("startTimestampUnix", (text) => Number(text) * 1000)
    const end = bound("endTimestamp", Date.parse) ?? bound("endTimestampUnix", (text) => Number(text) * 1000)
    const usd = [
      inUsd(entry.amountIn, entry.input, this.#books.mid),
      inUsd(entry.amountOut, entry.output, this.#books.mid)
    ].map(Number)
    const [least, most, search, memo, referral, affiliate] = [
      bound("minUsdPrice", Number),
      bound("maxUsdPrice", Number),
      query.get("search"),
      query.get("depositMemo"),
      query.get("referral"),
      query.get("affiliate")
    ]
    const words = [entry.address, String(entry.terms["recipient"]), ...entry.senders, ...entry.hashes]
    return (
      wanted.includes(entry.state) &&
      (from.length === 0 ? chains("fromChainId", entry.input) : from.includes(entry.input.id)) &&
      (to.length === 0 ? chains("toChainId", entry.output) : to.includes(entry.output.id)) &&
      (start === undefined || entry.createdAt > start) &&
      (end === undefined || entry.createdAt < end) &&
      (least === undefined || usd.every((value) => value >= least)) &&
      (most === undefined || usd.every((value) => value <= most)) &&
      (search === null || words.includes(search)) &&
      (memo === null || entry.memo === memo) &&
      (referral === null || entry.terms["referral"] === referral) &&
      (affiliate === null || JSON.stringify(entry.terms["appFees"] ?? []).includes(affiliate))
    )
  }

  #cursor(found: ReadonlyArray<Entry>, query: URLSearchParams): Reply {
    const count = within(query.get("numberOfTransactions"), 1, 1000, 50)
    if (count === undefined) return refused("numberOfTransactions")
    const address = query.get("lastDepositAddress") ?? query.get("lastDepositAddressAndMemo")?.split("_")[0]
    const last = address === undefined ? undefined : this.#entries().find((entry) => entry.address === address)
    if (address !== undefined && last === undefined) return { status: 200, body: [] }
    const isOlder = query.get("direction") !== "prev"
    const beyond = found.filter(({ createdAt }) =>
      last === undefined ? true : isOlder ? createdAt < last.createdAt : createdAt > last.createdAt
    )
    const page = isOlder || last === undefined ? beyond.slice(0, count) : beyond.slice(-count)
    return { status: 200, body: page.map((entry) => this.#record(entry)) }
  }

  #page(found: ReadonlyArray<Entry>, query: URLSearchParams): Reply {
    const [page, perPage] = [within(query.get("page"), 1, 1e9, 1), within(query.get("perPage"), 1, 1000, 50)]
    if (page === undefined || perPage === undefined) return refused("page")
    const totalPages = Math.ceil(found.length / perPage)
    const data = found.slice((page - 1) * perPage, page * perPage).map((entry) => this.#record(entry))
    const near = { prevPage: page > 1 ? page - 1 : null, nextPage: page < totalPages ? page + 1 : null }
    return { status: 200, body: { ...near, total: found.length, totalPages, perPage, page, data } }
  }

  #record({ address, amountIn, amountOut, createdAt, hashes, input, memo, output, senders, state, terms }: Entry) {
    const named = (name: string) => [name, terms[name]] as const
    return {
      ...Object.fromEntries(["recipient", "refundTo", "depositType", "recipientType", "refundType"].map(named)),
      senders,
      destinationChainTxHashes: [],
      originChainTxHashes: [],
      nativeTxHashes: hashes,
      refundFeeFormatted: null,
      amountOutUsd: inUsd(amountOut, output, this.#books.mid),
      amountOutFormatted: formatted(amountOut, output),
      amountOut: String(amountOut),
      amountInUsd: inUsd(amountIn, input, this.#books.mid),
      amountInFormatted: formatted(amountIn, input),
      amountIn: String(amountIn),
      appFees: Array.isArray(terms["appFees"]) ? terms["appFees"] : [],
      referral: typeof terms["referral"] === "string" ? terms["referral"] : null,
      intentHashes: hashes[0] ?? null,
      createdAtTimestamp: createdAt / 1000,
      createdAt: iso(createdAt),
      status: state,
      depositAddressAndMemo: `${address}_${memo ?? ""}`,
      depositMemo: memo ?? null,
      depositAddress: address,
      destinationAsset: output.id,
      originAsset: input.id
    }
  }
}
