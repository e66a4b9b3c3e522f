/** What the suite does at a service, each once: quotes, orders and swaps, funded where that is allowed, and their histories. */

import { at, cannotShow, isRecord } from "./Seen.ts"
import { type Payload, signed } from "./signing.ts"
import type { Answer, Fields, World } from "./World.ts"

const dayMillis = 86_400_000

/** An address on the base's own chain. */
const bitcoinAddress = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"

const made = (answer: Answer, what: string): Answer =>
  answer.status >= 200 && answer.status < 300
    ? answer
    : cannotShow(`no ${what}: ${answer.status} ${answer.text.slice(0, 200)}`)

/** Every field of the quote request that has a value for everybody. */
export const quoteFields = async (world: World, changes: Fields = {}): Promise<Fields> => {
  const { base, quote } = await world.assets()
  const { signerId } = world.account()
  return {
    dry: true,
    swapType: "EXACT_INPUT",
    slippageTolerance: 100,
    originAsset: base.id,
    depositType: "INTENTS",
    destinationAsset: quote.id,
    amount: await world.quantity(),
    refundTo: signerId,
    refundType: "INTENTS",
    recipient: signerId,
    recipientType: "INTENTS",
    deadline: world.in(dayMillis),
    ...changes
  }
}

export const quote = async (world: World, changes: Fields = {}): Promise<Answer> =>
  world.post("/v0/quote", await quoteFields(world, changes), "partner token")

export const dryQuote = (world: World) => world.once("dry quote", async () => made(await quote(world), "dry quote"))

/** Everything that may be sent, so that its echo can be looked at. */
export const everyQuoteField: Fields = {
  depositMode: "SIMPLE",
  connectedWallets: ["wallet-of-the-suite"],
  sessionId: "session-of-the-suite",
  virtualChainRecipient: "0x0000000000000000000000000000000000000001",
  virtualChainRefundRecipient: "0x0000000000000000000000000000000000000002",
  customRecipientMsg: "message-of-the-suite",
  confidentiality: "basic",
  referral: "conformance",
  quoteWaitingTimeMs: 1,
  insured: false
}

export const fullQuote = (world: World) =>
  world.once("full quote", async () => {
    const { signerId } = world.account()
    const extra = { appFees: [{ recipient: signerId, fee: 10 }], rebates: [{ recipient: signerId, share: 100 }] }
    return made(await quote(world, { ...everyQuoteField, ...extra, dry: false }), "quote with every field")
  })

export const swapQuote = (world: World, name = "swap", changes: Fields = {}) =>
  world.once(`quote ${name}`, async () => made(await quote(world, { dry: false, ...changes }), `quote (${name})`))

/** A deposit on another chain, with a memo where there are such. */
export const memoQuote = (world: World) =>
  swapQuote(world, "with memo", {
    depositType: "ORIGIN_CHAIN",
    depositMode: "MEMO",
    refundType: "ORIGIN_CHAIN",
    refundTo: bitcoinAddress
  })

export const statusOf = async (world: World, quoted: Answer): Promise<Answer> => {
  const address = encodeURIComponent(String(at(quoted.body, "quote.depositAddress")))
  const memo = at(quoted.body, "quote.depositMemo")
  const tail = typeof memo === "string" ? `&depositMemo=${encodeURIComponent(memo)}` : ""
  return made(await world.get(`/v0/status?depositAddress=${address}${tail}`), "status")
}

export const pendingStatus = (world: World) =>
  world.once("pending status", async () => statusOf(world, await swapQuote(world, "unpaid")))

export const submitted = (world: World) =>
  world.once("deposit submitted", async () => {
    const quoted = await swapQuote(world, "told of a deposit")
    const body = { txHash: "0xconformance", depositAddress: at(quoted.body, "quote.depositAddress") }
    return made(await world.post("/v0/deposit/submit", body), "answer to a deposit")
  })

export const orderBody = async (world: World, changes: Fields = {}, data: Fields = {}) => {
  const { base, quote: quoteAsset } = await world.assets()
  const { signerId } = world.account()
  const attributes = {
    orderType: "LIMIT",
    baseAsset: base.id,
    quoteAsset: quoteAsset.id,
    quantity: await world.quantity(),
    side: "SELL",
    price: String(Math.round((base.price / (quoteAsset.price || 1)) * 2) || 1),
    depositType: "INTENTS",
    refundTo: signerId,
    refundType: "INTENTS",
    recipient: signerId,
    recipientType: "INTENTS",
    confidentiality: "basic",
    deadline: world.in(dayMillis),
    depositMode: "SIMPLE",
    timeInForce: "GTC",
    appFees: [],
    ...changes
  }
  return { data: { type: "orders", attributes, ...data } }
}

export const createOrder = async (world: World, changes: Fields = {}): Promise<Answer> =>
  world.post("/v0/orders", await orderBody(world, changes))

export const order = (world: World) => world.once("order", async () => made(await createOrder(world), "order"))

/** Waits for a deposit on another chain that carries a memo. */
export const memoOrder = (world: World) =>
  world.once("order with memo", async () => {
    const refund = { refundTo: bitcoinAddress, refundType: "ORIGIN_CHAIN" }
    const changes = { depositType: "ORIGIN_CHAIN", depositMode: "MEMO", ...refund }
    return made(await createOrder(world, changes), "order with a memo")
  })

export const memoReadBack = async (world: World) => readOrder(world, idOf(await memoOrder(world)))

/** Nobody pays it, and its deadline passes. */
export const expiredOrder = (world: World) =>
  world.once("expired order", async () => {
    const created = made(await createOrder(world, { deadline: world.in(3000) }), "order that expires soon")
    return world.until(
      "the end at the deadline",
      () => readOrder(world, idOf(created)),
      ({ body }) => at(body, "data.attributes.fillStatus") === "EXPIRED"
    )
  })

/** With the eleven attributes of the interface only. */
export const shortOrder = (world: World) =>
  world.once("short order", async () => {
    const { data } = await orderBody(world)
    const {
      confidentiality: _,
      depositType: __,
      recipientType: ___,
      refundType: ____,
      side: _____,
      ...short
    } = data.attributes
    return made(await world.post("/v0/orders", { data: { ...data, attributes: short } }), "order with the short list")
  })

export const idOf = (answer: Answer): string => String(at(answer.body, "data.id"))

export const readOrder = async (world: World, id: string): Promise<Answer> =>
  made(await world.get(`/v0/orders/${encodeURIComponent(id)}`), "order by its id")

export const readBack = (world: World) =>
  world.once("order read", async () => readOrder(world, idOf(await order(world))))

/** A list may be behind: it is waited for once, until orders that are known by their ids are in it. */
export const list = (world: World, query = "") =>
  world.once(`list ${query}`, async () => {
    await world.once("order in the list", async () => {
      const ids = [idOf(await readBack(world)), idOf(await createOrder(world))]
      await memoOrder(world).catch(() => undefined)
      const listed = () => world.get("/v0/orders")
      const areIn = ({ body }: Answer) =>
        ids.every((id) => [at(body, "data")].flat().some((entry) => at(entry, "id") === id))
      await world.until("the listing of two orders", listed, areIn).catch(() => undefined)
    })
    return made(await world.get(`/v0/orders${query}`), "list of orders")
  })

export const cancelled = (world: World) =>
  world.once("cancelled", async () => cancelOf(world, made(await createOrder(world), "order")))

/** Generates, signs and submits the payment of an address. */
export const pay = async (world: World, depositAddress: string) => {
  const { signerId } = world.account()
  const asked = { type: "swap_transfer", standard: "nep413", signerId, depositAddress }
  const generated = made(await world.post("/v0/generate-intent", asked), "intent to sign")
  const payload = at(generated.body, "intent.payload") as Payload
  const signedData = signed(world.account(), payload)
  const answer = await world.post("/v0/submit-intent", { type: "swap_transfer", signedData })
  return { generated, payload, signedData, answer }
}

const isOver = (status: unknown) => ["FILLED", "CANCELED", "EXPIRED"].includes(String(status))

/** Every state in which an order was seen, from its funding to its last payout. */
const follow = (world: World, id: string, seen: Array<Answer>) =>
  world.until(
    `the end of order ${id}`,
    async () => {
      const answer = await readOrder(world, id)
      seen.push(answer)
      return answer
    },
    ({ body }) =>
      isOver(at(body, "data.attributes.fillStatus")) && at(body, "data.attributes.isPayoutStatusFinal") === true
  )

export interface Life {
  readonly first: Answer
  readonly seen: ReadonlyArray<Answer>
  readonly paid: Awaited<ReturnType<typeof pay>>
}

/** Sold below the market: it fills at once. */
export const filledOrder = (world: World): Promise<Life> =>
  world.once("filled order", async () => {
    await world.needMoney()
    const { base, quote: quoteAsset } = await world.assets()
    const price = String(Math.floor((base.price / (quoteAsset.price || 1)) * 0.9) || 1)
    const first = made(await createOrder(world, { price }), "order")
    const seen = [first]
    const paid = await pay(world, String(at(first.body, "data.attributes.depositAddress")))
    made(paid.answer, "acknowledgement of a payment")
    await follow(world, idOf(first), seen)
    return { first, seen, paid }
  })

const funded = (world: World, order: Answer) =>
  world.until(
    "the deposit of an order",
    () => readOrder(world, idOf(order)),
    ({ body }) => at(body, "data.attributes.fillStatus") !== "AWAITING_DEPOSIT"
  )

const cancelOf = async (world: World, order: Answer) =>
  made(await world.request("POST", `/v0/orders/${encodeURIComponent(idOf(order))}/cancel`), "cancel")

/** Rests, and is cancelled. */
export const cancelledOrder = (world: World): Promise<Life> =>
  world.once("cancelled order", async () => {
    await world.needMoney()
    const first = made(await createOrder(world), "order")
    const seen = [first]
    const paid = await pay(world, String(at(first.body, "data.attributes.depositAddress")))
    seen.push(await funded(world, first))
    seen.push(await cancelOf(world, first))
    await follow(world, idOf(first), seen)
    return { first, seen, paid }
  })

/** Is paid on another chain with a memo, and cancelled: only a sandbox pays there by command. */
export const cancelledMemoOrder = (world: World) =>
  world.once("cancelled order with memo", async () => {
    await world.needSandbox()
    const first = await memoReadBack(world)
    await depositOnChain(world, at(first.body, "data.attributes"), at(first.body, "data.attributes.swapView.amountIn"))
    const seen = [first, await funded(world, first), await cancelOf(world, first)]
    await follow(world, idOf(first), seen)
    return { seen }
  })

/** Stays open, half filled: only a sandbox fills by command. */
export const halfFilledOrder = (world: World) =>
  world.once("half filled order", async () => {
    await world.needSandbox()
    const first = made(await createOrder(world), "order")
    made((await pay(world, String(at(first.body, "data.attributes.depositAddress")))).answer, "payment")
    await funded(world, first)
    const { base } = await world.assets()
    const half = (Number(await world.quantity()) / 10 ** base.decimals / 2).toFixed(base.decimals)
    const filled = await world.post("/sandbox/fill", { orderId: idOf(first), quantity: half })
    if (filled.status >= 300) cannotShow(`this sandbox fills nothing by command: ${filled.status}`)
    return readOrder(world, idOf(first))
  })

/** Every state in which a paid swap was seen. */
export const paidSwap = (world: World) =>
  world.once("paid swap", async () => {
    await world.needMoney()
    const quoted = await swapQuote(world, "paid", { referral: "conformance" })
    const paid = await pay(world, String(at(quoted.body, "quote.depositAddress")))
    made(paid.answer, "acknowledgement of a payment")
    const seen: Array<Answer> = []
    await world.until(
      "the end of a swap",
      async () => {
        const answer = await statusOf(world, quoted)
        seen.push(answer)
        return answer
      },
      ({ body }) => ["SUCCESS", "REFUNDED", "FAILED"].includes(String(at(body, "status")))
    )
    return { quoted, paid, seen }
  })

/** Swaps that only a sandbox can be told to end otherwise. */
export const toldSwap = (world: World, outcome: string) =>
  world.once(`told ${outcome}`, async () => {
    await world.needSandbox()
    const quoted = await swapQuote(world, outcome)
    const depositAddress = String(at(quoted.body, "quote.depositAddress"))
    const told = await world.post("/sandbox/outcome", { depositAddress, outcome })
    if (told.status >= 300) cannotShow(`this sandbox cannot be told outcomes: ${told.status}`)
    made((await pay(world, depositAddress)).answer, "acknowledgement of a payment")
    return world.until(
      "the end of a swap",
      () => statusOf(world, quoted),
      ({ body }) => ["SUCCESS", "REFUNDED", "FAILED"].includes(String(at(body, "status")))
    )
  })

const depositOnChain = async (world: World, to: unknown, amount: unknown) => {
  const paid = await world.post("/sandbox/deposit", {
    depositAddress: at(to, "depositAddress"),
    memo: at(to, "depositMemo"),
    asset: (await world.assets()).base.id,
    amount: String(amount),
    sender: bitcoinAddress
  })
  if (paid.status >= 300) cannotShow(`this sandbox takes no deposits: ${paid.status}`)
}

/** Half of what is needed, on another chain. */
export const shortDeposit = (world: World) =>
  world.once("short deposit", async () => {
    await world.needSandbox()
    const quoted = await memoQuote(world)
    await depositOnChain(world, at(quoted.body, "quote"), BigInt(String(at(quoted.body, "quote.amountIn"))) / 2n)
    return world.until(
      "the notice of a short deposit",
      () => statusOf(world, quoted),
      ({ body }) => at(body, "status") === "INCOMPLETE_DEPOSIT"
    )
  })

/** Everything that was made before the history is looked at. */
export const past = (world: World) =>
  world.once("past", async () => {
    const told = ["FAILED", "NO_LIQUIDITY"].map((outcome) => (of: World) => toldSwap(of, outcome))
    const orders = [filledOrder, cancelledOrder, halfFilledOrder]
    const attempts = [fullQuote, pendingStatus, memoQuote, paidSwap, shortDeposit, ...orders, ...told]
    await Promise.all(attempts.map((attempt) => Promise.resolve(attempt(world)).catch(() => undefined)))
  })

export const everyStatus = "statuses=FAILED,INCOMPLETE_DEPOSIT,PENDING_DEPOSIT,PROCESSING,REFUNDED,SUCCESS"

export const history = async (world: World, query = `?${everyStatus}`): Promise<ReadonlyArray<Fields>> => {
  await past(world)
  const answer = made(await world.history(`/api/v0/transactions${query}`), "history")
  return Array.isArray(answer.body) ? answer.body.filter(isRecord) : cannotShow("the history is no list")
}

export const pages = async (world: World, query = `?${everyStatus}`): Promise<Fields> => {
  await past(world)
  const answer = made(await world.history(`/api/v0/transactions-pages${query}`), "history by page")
  return isRecord(answer.body) ? answer.body : cannotShow("the page is no object")
}
