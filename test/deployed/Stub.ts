/**
 * A stub of the deployed service in autumn 2026, written from its public description alone. It shares no line with the program or its
 * sandbox. It has what an ordinary partner with an API key meets: public money at the verifier, orders paid from it, no login without
 * an invitation, and the odd forms of answers that others have seen. Prices stand still until a test moves them.
 */
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import bs58 from "bs58"

type Json = Record<string, unknown>
interface Reply {
  readonly status: number
  readonly body: unknown
}

const btc = { assetId: "nep141:btc.omft.near", symbol: "BTC", decimals: 8, blockchain: "btc", price: 60_000 }
const usdc = {
  assetId: "nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1",
  symbol: "USDC",
  decimals: 6,
  blockchain: "near",
  price: 1
}
/** A chain that no list of our own has. */
const hood = { assetId: "nep245:v2_1.omni.hot.tg:4663_1", symbol: "HOOD", decimals: 18, blockchain: "hood", price: 100 }
const tokens = [btc, usdc, hood]
type Token = (typeof tokens)[number]
const token = (id: unknown): Token | undefined => tokens.find(({ assetId }) => assetId === id)
const shown = (units: bigint, { decimals }: Token): string =>
  units === 0n ? "0.0" : String(Number(units) / 10 ** decimals)

const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((of, name) => (typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined), value)
const text = (value: unknown, path: string): string => String(at(value, path) ?? "")

/** The bytes that NEP-413 signs: a tag, then Borsh. */
const preimage = (payload: unknown): Buffer => {
  const u32 = (number: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(number)
    return bytes
  }
  const string = (value: string) => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)])
  const callback = at(payload, "callbackUrl")
  return Buffer.concat([
    u32(2 ** 31 + 413),
    string(text(payload, "message")),
    Buffer.from(text(payload, "nonce"), "base64"),
    string(text(payload, "recipient")),
    typeof callback === "string" ? Buffer.concat([Buffer.from([1]), string(callback)]) : Buffer.from([0])
  ])
}

/** The account whose key signed, and the hash; none if the signature is another one. */
const signedBy = (signed: unknown): { readonly account: string; readonly hash: string } | undefined => {
  const digest = createHash("sha256")
    .update(preimage(at(signed, "payload")))
    .digest()
  const [key, signature] = ["public_key", "signature"].map((name) =>
    Buffer.from(bs58.decode(text(signed, name).replace("ed25519:", "")))
  )
  if (key === undefined || signature === undefined) return undefined
  const publicKey = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: key.toString("base64url") },
    format: "jwk"
  })
  if (!verify(null, digest, publicKey, signature)) return undefined
  return { account: key.toString("hex"), hash: bs58.encode(digest) }
}

interface Order {
  readonly id: string
  readonly asked: unknown
  readonly address: string
  readonly side: string
  readonly input: Token
  readonly output: Token
  readonly price: number
  readonly needed: bigint
  readonly promised: bigint
  readonly createdAt: string
  status: string
  deposited: bigint
  fills: ReadonlyArray<Json>
  payoutHash: string | undefined
  refundHash: string | undefined
}

const refused = (status: number, code: string, detail: string, pointer?: string): Reply => ({
  status,
  body: {
    // A number where the document has text.
    errors: [{ status, code, title: code, detail, ...(pointer === undefined ? {} : { source: { pointer } }) }],
    meta: { correlationId: `corr-${randomBytes(4).toString("hex")}`, timestamp: new Date().toISOString() }
  }
})
const message = (status: number, said: string): Reply => ({ status, body: { message: said } })
const feeBasisPoints = 20
const afterFee = (units: bigint): bigint => (units * BigInt(10_000 - feeBasisPoints)) / 10_000n

export class Stub {
  readonly apiKey = `partner-${randomBytes(6).toString("hex")}`
  readonly incidentToken = `feed-${randomBytes(6).toString("hex")}`
  readonly orders: Array<Order> = []
  readonly asked: Array<string> = []
  incidents: ReadonlyArray<Json> = []
  /** So many quotes have no amounts: no estimate is made. */
  quotesWithoutAmounts = 0
  price = btc.price
  readonly #money = new Map<string, bigint>()
  readonly #nonces = new Set<string>()

  balance(account: string, { assetId }: Pick<Token, "assetId">): bigint {
    return this.#money.get(`${account} ${assetId}`) ?? 0n
  }
  give(account: string, symbol: string, units: bigint): void {
    const of = tokens.find((each) => each.symbol === symbol) ?? btc
    this.#move(account, of, units)
  }
  #move(account: string, of: Token, units: bigint): void {
    this.#money.set(`${account} ${of.assetId}`, this.balance(account, of) + units)
  }

  #quote(body: unknown): Reply {
    const [input, output] = [token(at(body, "originAsset")), token(at(body, "destinationAsset"))]
    if (input === undefined || output === undefined) return message(400, "Quoting for this pair is not available")
    if (!["basic", "advanced"].includes(text(body, "confidentiality")))
      return message(400, "confidentiality must be basic or advanced: swaps are confidential")
    const amount = BigInt(text(body, "amount"))
    const isOutput = text(body, "swapType") === "EXACT_OUTPUT"
    const usdOf = ({ price, symbol }: Token) => (symbol === "BTC" ? this.price : price)
    const of = isOutput ? output : input
    const value = (Number(amount) / 10 ** of.decimals) * usdOf(of)
    const [share, paid] = [1 - feeBasisPoints / 10_000, (value / usdOf(input)) * 10 ** input.decimals]
    const amountIn = isOutput ? BigInt(Math.ceil(paid / share)) : amount
    const amountOut = isOutput ? amount : afterFee(BigInt(Math.floor((value / usdOf(output)) * 10 ** output.decimals)))
    this.quotesWithoutAmounts -= 1
    const amounts =
      this.quotesWithoutAmounts >= 0
        ? {}
        : {
            amountOut: String(amountOut),
            amountOutFormatted: shown(amountOut, output),
            amountOutUsd: String(value),
            minAmountOut: String((amountOut * 99n) / 100n)
          }
    const quote = {
      amountIn: String(amountIn),
      amountInFormatted: shown(amountIn, input),
      amountInUsd: value,
      minAmountIn: String(amountIn),
      timeEstimate: 10,
      ...amounts
    }
    const slippageTolerance = text(body, "slippageTolerance")
    const quoteRequest = { ...(body as Json), slippageTolerance }
    return { status: 201, body: { correlationId: "q", timestamp: new Date().toISOString(), quoteRequest, quote } }
  }

  #create(body: unknown): Reply {
    const asked = at(body, "data.attributes")
    const [base, quote] = [token(at(asked, "baseAsset")), token(at(asked, "quoteAsset"))]
    if (base === undefined || quote === undefined) return refused(400, "order-rejected", "Unknown asset")
    if (at(asked, "depositType") !== "INTENTS")
      return refused(400, "validation-failed", "no agreement for it", "/data/attributes/depositType")
    const [quantity, price, side] = [BigInt(text(asked, "quantity")), Number(text(asked, "price")), text(asked, "side")]
    const inQuote = BigInt(Math.ceil((Number(quantity) / 10 ** base.decimals) * price * 10 ** quote.decimals - 1e-6))
    if (Number(inQuote) / 10 ** quote.decimals < 0.1)
      return refused(400, "order-rejected", "the order is below the minimum", "/data/attributes/quantity")
    const isSale = side === "SELL"
    const order: Order = {
      id: `order_${randomBytes(11).toString("hex").slice(0, 21)}`,
      asked,
      address: randomBytes(32).toString("hex"),
      side,
      input: isSale ? base : quote,
      output: isSale ? quote : base,
      price,
      needed: isSale ? quantity : inQuote,
      promised: isSale ? inQuote : quantity,
      createdAt: new Date().toISOString(),
      status: "AWAITING_DEPOSIT",
      deposited: 0n,
      fills: [],
      payoutHash: undefined,
      refundHash: undefined
    }
    this.orders.unshift(order)
    return this.#shown(order, 201)
  }

  #resource(order: Order): Json {
    const { fills, input, output } = order
    const leg = (txHash: string | undefined) => (txHash === undefined ? null : { status: "COMPLETED", txHash })
    const isOver = ["FILLED", "CANCELED"].includes(order.status)
    const isPaid = order.payoutHash !== undefined || order.refundHash !== undefined
    const view =
      order.side === "SELL"
        ? { swapType: "EXACT_INPUT", amountIn: String(order.needed), minAmountOut: String(order.promised) }
        : { swapType: "EXACT_OUTPUT", maxAmountIn: String(order.needed), amountOut: String(order.promised) }
    return {
      type: "orders",
      id: order.id,
      links: { self: { href: `/v0/orders/${order.id}` } },
      attributes: {
        ...(order.asked as Json),
        depositAddress: order.address,
        depositMemo: null,
        createdAt: order.createdAt,
        fillStatus: order.status,
        payoutStatus: isOver && isPaid ? "COMPLETED" : "NOT_STARTED",
        isPayoutStatusFinal: isOver && (isPaid || order.deposited === 0n),
        payouts: {
          withdrawal: leg(order.payoutHash),
          allWithdrawals: [leg(order.payoutHash)].filter((each) => each !== null),
          refund: leg(order.refundHash)
        },
        depositedAmount: String(order.deposited),
        depositedAmountFormatted: shown(order.deposited, input),
        swapView: { originAsset: input.assetId, destinationAsset: output.assetId, ...view },
        appFees: [{ recipient: "fees.near", fee: feeBasisPoints }],
        estimatedWithdrawFee: "0",
        estimatedWithdrawFeeFormatted: "0.0",
        estimatedRefundFee: "0",
        estimatedRefundFeeFormatted: "0.0",
        partialFills: fills.length === 0 ? null : fills
      }
    }
  }
  #shown(order: Order, status = 200): Reply {
    return {
      status,
      body: { data: this.#resource(order), meta: { correlationId: "o", timestamp: new Date().toISOString() } }
    }
  }

  /** The market comes to orders: their limit holds after the service's share. */
  move(price: number): void {
    this.price = price
    for (const order of this.orders.filter(({ status }) => status === "OPEN")) {
      const share = feeBasisPoints / 10_000
      const isReached = order.side === "SELL" ? price * (1 - share) >= order.price : price * (1 + share) <= order.price
      if (!isReached) continue
      const now = new Date().toISOString()
      const fill = { amountIn: String(order.needed), amountOut: String(order.promised), createdAt: now, updatedAt: now }
      order.fills = [{ id: randomBytes(8).toString("hex"), ...fill }]
      order.status = "FILLED"
      this.#move(text(order.asked, "recipient"), order.output, order.promised)
      order.payoutHash = bs58.encode(randomBytes(32))
    }
  }

  #cancel(order: Order): Reply {
    if (["FILLED", "CANCELED"].includes(order.status)) return refused(400, "order-rejected", "it is over")
    order.status = "CANCELED"
    if (order.deposited > 0n) {
      this.#move(text(order.asked, "refundTo"), order.input, order.deposited)
      order.refundHash = bs58.encode(randomBytes(32))
    }
    return this.#shown(order, 202)
  }

  #generate(body: unknown): Reply {
    const order = this.orders.find(({ address }) => address === at(body, "depositAddress"))
    if (order === undefined) return message(404, "no such address")
    const tokensPaid = { [order.input.assetId]: String(order.needed - order.deposited) }
    const said = {
      deadline: new Date(Date.now() + 240_000).toISOString(),
      intents: [{ intent: "transfer", receiver_id: order.address, tokens: tokensPaid }],
      signer_id: at(body, "signerId")
    }
    const payload = {
      message: JSON.stringify(said),
      nonce: randomBytes(32).toString("base64"),
      recipient: "intents.near"
    }
    return { status: 201, body: { intent: { standard: "nep413", payload }, correlationId: "g" } }
  }

  #submit(body: unknown): Reply {
    const signed = at(body, "signedData")
    const signer = signedBy(signed)
    const said: unknown = JSON.parse(text(signed, "payload.message"))
    if (signer === undefined || signer.account !== at(said, "signer_id")) return message(400, "invalid signature")
    if (text(signed, "payload.recipient") !== "intents.near") return message(400, "wrong verifying_contract")
    const nonce = `${signer.account} ${text(signed, "payload.nonce")}`
    if (this.#nonces.has(nonce)) return message(400, "nonce was already used")
    const order = this.orders.find(({ address }) => address === at(said, "intents.0.receiver_id"))
    const units = order && BigInt(String(Object.values(at(said, "intents.0.tokens") as Json)[0]))
    if (order === undefined || units === undefined) return message(400, "no such address")
    if (units > this.balance(signer.account, order.input)) return message(400, "insufficient balance")
    this.#nonces.add(nonce)
    this.#move(signer.account, order.input, -units)
    order.deposited += units
    if (order.deposited === order.needed) order.status = "OPEN"
    return { status: 200, body: { intentHash: signer.hash, correlationId: "s" } }
  }

  #rpc(body: unknown): Reply {
    const args: unknown = JSON.parse(Buffer.from(text(body, "params.args_base64"), "base64").toString())
    const ids = at(args, "token_ids")
    const said =
      at(body, "params.method_name") === "current_salt"
        ? "252812b3"
        : (Array.isArray(ids) ? ids : []).map((id) =>
            String(this.balance(text(args, "account_id"), { assetId: String(id) }))
          )
    return {
      status: 200,
      body: { jsonrpc: "2.0", id: at(body, "id"), result: { result: [...Buffer.from(JSON.stringify(said))] } }
    }
  }

  #ordersAnswer(method: string, path: string, query: URLSearchParams, body: unknown): Reply {
    if (path === "/v0/orders" && method === "POST") return this.#create(body)
    if (path === "/v0/orders") {
      const [states, final] = [query.getAll("filter[fillStatus]"), query.get("filter[isPayoutStatusFinal]")]
      const listed = this.orders
        .filter(({ status }) => states.length === 0 || states.includes(status))
        .map((order) => this.#resource(order))
        .filter((order) => final === null || String(at(order, "attributes.isPayoutStatusFinal")) === final)
      return { status: 200, body: { data: listed, links: { next: null }, meta: { correlationId: "l" } } }
    }
    const [, , , id, action] = path.split("/")
    const order = this.orders.find((each) => each.id === id)
    if (order === undefined) return refused(404, "order-not-found", "no such order")
    return action === "cancel" ? this.#cancel(order) : this.#shown(order)
  }

  answer(request: IncomingMessage, said: string): Reply {
    const { pathname: path, searchParams } = new URL(request.url ?? "/", "http://stub")
    const method = request.method ?? "GET"
    this.asked.push(`${method} ${path}`)
    const body: unknown = said === "" ? undefined : JSON.parse(said)
    if (path === "/v0/tokens") return { status: 200, body: tokens }
    if (path === "/rpc") return this.#rpc(body)
    if (path === "/incident") {
      if (request.headers.authorization !== `Bearer ${this.incidentToken}`)
        return message(401, "a partner token is needed")
      const status = this.incidents.length === 0 ? "operational" : "incidents"
      return { status: 200, body: { status, ...(this.incidents.length === 0 ? {} : { incidents: this.incidents }) } }
    }
    if (path.startsWith("/v0/auth") || path.startsWith("/v0/account")) return message(403, "Invite-only for now")
    if (path.startsWith("/api/v0"))
      return { status: 401, body: { status: 401, error: { code: "unauthorized", message: "no" } } }
    if (request.headers["x-api-key"] !== this.apiKey) return refused(401, "authentication-required", "no key")
    if (path === "/v0/quote") return this.#quote(body)
    if (path === "/v0/generate-intent") return this.#generate(body)
    if (path === "/v0/submit-intent") return this.#submit(body)
    return path.startsWith("/v0/orders")
      ? this.#ordersAnswer(method, path, searchParams, body)
      : message(404, "nothing here")
  }
}

export const startStub = async () => {
  const stub = new Stub()
  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const { body, status } = stub.answer(request, Buffer.concat(parts).toString())
      response.writeHead(status, { "content-type": "application/json" })
      response.end(JSON.stringify(body))
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  return { stub, url: `http://127.0.0.1:${port}`, stop: () => new Promise((done) => server.close(done)) }
}
