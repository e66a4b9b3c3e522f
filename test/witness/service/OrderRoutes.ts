/** How orders are asked for and shown: structured errors with as little in them as is allowed, and a list that is behind. */
import { randomUUID } from "node:crypto"
import { assetOf, type Books, formatted, purse } from "./Books.ts"
import { at, iso, kinds, type Reply, recipientKinds } from "./Json.ts"
import { type Crime, isOver, type Order, Orders, refundFee, withdrawFee } from "./Orders.ts"

/** A new order is in the list only after this. */
const listLagMillis = 600

const positive = (value: unknown) => typeof value === "string" && /^\d+(\.\d+)?$/.test(value) && Number(value) > 0
const filled = (value: unknown) => typeof value === "string" && value !== ""
const among = (members: ReadonlyArray<string>) => (value: unknown) =>
  typeof value === "string" && members.includes(value)

const required: ReadonlyArray<readonly [name: string, isRight: (value: unknown) => boolean]> = [
  ["orderType", among(["LIMIT"])],
  ["baseAsset", (value) => assetOf(value) !== undefined],
  ["quoteAsset", (value) => assetOf(value) !== undefined],
  ["quantity", (value) => typeof value === "string" && /^[1-9]\d*$/.test(value)],
  ["side", among(["SELL", "BUY"])],
  ["price", positive],
  ["depositType", among(kinds)],
  ["refundTo", filled],
  ["refundType", among(kinds)],
  ["recipient", filled],
  ["recipientType", among(recipientKinds)],
  ["confidentiality", among(["basic", "advanced"])]
]
const optional: typeof required = [
  ["deadline", (value) => typeof value === "string" && !Number.isNaN(Date.parse(value))],
  ["depositMode", among(["SIMPLE", "MEMO"])],
  ["timeInForce", among(["GTC"])],
  [
    "appFees",
    (value) =>
      Array.isArray(value) &&
      value.every((fee) => typeof at(fee, "recipient") === "string" && typeof at(fee, "fee") === "number")
  ]
]

const withOffset = (millis: number): string => iso(millis).replace("Z", "+00:00")

export class OrderRoutes {
  readonly orders: Orders
  readonly #books: Books
  readonly #crime: Crime | undefined

  constructor(books: Books, crime: Crime | undefined) {
    this.orders = new Orders(books, crime)
    this.#books = books
    this.#crime = crime
  }

  #meta(more: object = {}) {
    return { ...more, timestamp: iso(this.#books.now()), correlationId: randomUUID() }
  }

  refusal(status: number, code: string, pointers: ReadonlyArray<string> = []): Reply {
    const one = { title: `Refused: ${code}`, code, status: String(status) }
    const errors = pointers.map((pointer) => ({ source: { pointer: `/data/attributes/${pointer}` }, ...one }))
    return { status, body: { meta: this.#meta(), errors: errors.length === 0 ? [one] : errors } }
  }

  create(owner: string, body: unknown): Reply {
    if (body === undefined) return this.refusal(400, "request-rejected")
    if (at(body, "data.id") !== undefined) return this.refusal(403, "client-generated-id")
    if (at(body, "data.type") !== "orders") return this.refusal(409, "resource-type-mismatch")
    const valueOf = (name: string) => at(body, `data.attributes.${name}`)
    const wrong = [
      ...required.filter(([name, isRight]) => !isRight(valueOf(name))),
      ...optional.filter(([name, isRight]) => valueOf(name) !== undefined && !isRight(valueOf(name)))
    ].map(([name]) => name)
    if (wrong.length > 0) {
      const isPlain = wrong.every((name) => ["orderType", "timeInForce", "depositMode"].includes(name))
      return this.refusal(
        400,
        isPlain ? "order-rejected" : "validation-failed",
        wrong.includes("price") ? ["price"] : []
      )
    }
    const attributes = Object.fromEntries([...required, ...optional].map(([name]) => [name, valueOf(name)]))
    if (attributes["baseAsset"] === attributes["quoteAsset"]) return this.refusal(400, "order-rejected")
    return this.#shown(201, this.orders.create(owner, attributes))
  }

  #shown(status: number, order: Order): Reply {
    return { status, body: { meta: this.#meta(), data: this.resource(order) } }
  }

  #find(owner: string, id: string): Order | undefined {
    return this.orders.all.find((order) => order.id === id && order.owner === owner)
  }

  read(owner: string, id: string): Reply {
    const order = this.#find(owner, id)
    return order === undefined ? this.refusal(404, "order-not-found") : this.#shown(200, order)
  }

  cancel(owner: string, id: string): Reply {
    const order = this.#find(owner, id)
    if (order === undefined) return this.refusal(404, "order-not-found")
    return this.orders.cancel(order) ? this.#shown(202, order) : this.refusal(400, "order-rejected")
  }

  /** A page size out of its range is brought into it, and a cursor that is none leads to nothing. */
  list(owner: string, query: URLSearchParams): Reply {
    const asked = Number(query.get("page[size]") ?? 50)
    const size = Number.isInteger(asked) ? Math.min(50, Math.max(1, asked)) : 50
    const [states, final] = [query.getAll("filter[fillStatus]"), query.get("filter[isPayoutStatusFinal]")]
    const after = query.get("page[after]")
    const before = after === null ? Number.POSITIVE_INFINITY : Number(Buffer.from(after, "base64url").toString())
    const matching = this.orders.all.filter(
      (order) =>
        order.owner === owner &&
        order.createdAt + listLagMillis <= this.#books.now() &&
        order.number < before &&
        (states.length === 0 || states.includes(order.status)) &&
        (final === null || String(this.#payout(order).isFinal) === final)
    )
    const page = matching.slice(0, size)
    const isLast = matching.length <= size
    const cursor = Buffer.from(String(page.at(-1)?.number)).toString("base64url")
    const query2 = new URLSearchParams(query)
    query2.set("page[after]", cursor)
    const body = {
      meta: this.#meta(isLast ? {} : { nextCursor: cursor }),
      links: { next: isLast ? null : `/v0/orders?${query2}` },
      data: page.map((order) => this.resource(order))
    }
    return { status: 200, body }
  }

  #payout(order: Order) {
    const { legs } = order
    const isFinal = isOver(order) && legs.length > 0 && legs.every(({ isPaid }) => isPaid)
    return { isFinal, status: legs.length === 0 ? "NOT_STARTED" : isFinal ? "COMPLETED" : "IN_PROGRESS" }
  }

  /** Paid, and waiting for something that nobody describes. */
  #isYoung({ fills, status, payments }: Order): boolean {
    return status === "OPEN" && fills.length === 0 && this.#books.now() < (payments.at(-1)?.at ?? 0) + 300
  }

  resource(order: Order) {
    const { attributes, input, output } = order
    const payout = this.#payout(order)
    const legs = (kind: string) =>
      order.legs
        .filter((leg) => leg.kind === kind)
        .map((leg) => (leg.isPaid ? { txHash: leg.hash, status: "COMPLETED" } : { status: "IN_PROGRESS" }))
    const withdrawals = legs("withdrawal")
    const fills = this.#crime === "half of the fills are not told" ? order.fills.slice(0, 1) : order.fills
    const [origin, destination] = [input.id, output.id]
    const view =
      order.side === "SELL"
        ? { minAmountOut: String(order.promised), amountIn: String(order.needed), swapType: "EXACT_INPUT" }
        : { amountOut: String(order.promised), maxAmountIn: String(order.needed), swapType: "EXACT_OUTPUT" }
    const shown = {
      ...attributes,
      venueRevision: order.fills.length + order.legs.length,
      payouts: {
        refund: legs("refund")[0] ?? null,
        allWithdrawals: withdrawals,
        withdrawal: withdrawals.at(-1) ?? null
      },
      isPayoutStatusFinal: payout.isFinal,
      payoutStatus: payout.status,
      fillStatus: this.#isYoung(order) ? "UNTRIGGERED" : order.status,
      price: `${String(attributes["price"])}${String(attributes["price"]).includes(".") ? "0" : ".0"}`,
      depositMode: attributes["depositMode"] ?? "SIMPLE",
      timeInForce: attributes["timeInForce"] ?? "GTC",
      deadline: withOffset(order.deadline),
      createdAt: withOffset(order.createdAt),
      depositAddress: order.address,
      depositMemo: order.memo ?? null,
      depositedAmount: String(order.deposited),
      depositedAmountFormatted: formatted(order.deposited, input),
      swapView: { destinationAsset: destination, originAsset: origin, ...view },
      appFees: [
        { fee: 1, recipient: "protocol.native" },
        ...(Array.isArray(attributes["appFees"]) ? attributes["appFees"] : [])
      ],
      estimatedWithdrawFee: String(withdrawFee(output)),
      estimatedWithdrawFeeFormatted: formatted(withdrawFee(output), output),
      estimatedRefundFee: String(refundFee(input)),
      estimatedRefundFeeFormatted: formatted(refundFee(input), input),
      ...(fills.length === 0
        ? {}
        : {
            partialFills: fills.map(({ at: time, got, id, spent }) => ({
              updatedAt: iso(time),
              createdAt: iso(time),
              amountOut: String(got),
              amountIn: String(spent),
              id
            }))
          })
    }
    return { links: { self: `/v0/orders/${order.id}` }, attributes: shown, id: order.id, type: "orders" }
  }

  /** An order whose address takes signed payments; none when it is paid on another chain. */
  byAddress(address: unknown): Order | undefined {
    return this.orders.all.find((order) => order.address === address)
  }
  pay(order: Order, from: string, units: bigint, hash: string): void {
    this.#books.move(purse(String(order.attributes["depositType"]), from), order.address, order.input, units)
    order.payments.push({ units, at: this.#books.now(), isRecognized: false })
    order.hashes.push(hash)
  }
  /** What an intent is generated for: what is not recognized yet is asked for again. */
  missing(order: Order): bigint {
    return isOver(order) ? 0n : order.needed - order.deposited
  }
}
