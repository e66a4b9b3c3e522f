/**
 * An independent lawful service: written from the specification alone, sharing no line with the program or its sandbox, and
 * choosing otherwise than the sandbox wherever the specification leaves a choice. It runs on loopback by the machine's clock.
 */
import { randomBytes, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Books, base, purse, quote } from "./Books.ts"
import { HistoryRoutes } from "./HistoryRoutes.ts"
import { at, iso, type Reply } from "./Json.ts"
import { OrderRoutes } from "./OrderRoutes.ts"
import type { Crime } from "./Orders.ts"
import { opened, quoteKey, type Signed } from "./Signatures.ts"
import { SwapRoutes } from "./SwapRoutes.ts"

const verifier = "intents.native"
const hourSeconds = 3600

/** What the service answers instead of what it would. */
export type Twist = (
  asked: {
    readonly method: string
    readonly path: string
    readonly query: URLSearchParams
    readonly isSigned: boolean
  },
  reply: Reply
) => Reply

/** What becomes of a request on its way: it is lost before it is heard, or its answer is lost, or says less than is so. */
export type Weather = (method: string, path: string) => "unheard" | "unanswered" | number | undefined

export interface Settings {
  readonly crime?: Crime
  readonly twist?: Twist
  readonly weather?: Weather
}

const said = (status: number, message: string): Reply => ({ status, body: { message, hint: null } })

class Service {
  readonly books = new Books()
  readonly apiKey = `k-${randomBytes(8).toString("hex")}`
  readonly partnerJwt = `h.${randomBytes(8).toString("hex")}.s`
  readonly orders: OrderRoutes
  readonly swaps: SwapRoutes
  readonly history: HistoryRoutes
  readonly #nonces = new Set<string>()
  readonly #sessions = new Map<string, string>()

  constructor(crime: Crime | undefined) {
    this.orders = new OrderRoutes(this.books, crime)
    this.swaps = new SwapRoutes(this.books)
    this.history = new HistoryRoutes(this.books, this.orders.orders, this.swaps)
  }

  answer(
    method: string,
    path: string,
    query: URLSearchParams,
    headers: IncomingMessage["headers"],
    body: unknown
  ): Reply {
    this.books.settle()
    const bearer = headers.authorization?.replace(/^Bearer /, "")
    const user = bearer === undefined ? undefined : this.#sessions.get(bearer)
    const isPartner = bearer === this.partnerJwt
    const hasKey = headers["x-api-key"] === this.apiKey
    const [, version, room = "", id = "", verb] = path.split("/")
    const route = `${method} ${path}`
    if (path.startsWith("/api/v0/transactions")) {
      if (!/^\/api\/v0\/transactions(-pages)?$/.test(path)) return { status: 404, body: {} }
      return isPartner ? this.history.answer(path, query) : { status: 401, body: { reason: "show a partner's token" } }
    }
    if (version !== "v0") return { status: 404, body: {} }
    if (room === "orders") {
      const owner = hasKey || isPartner ? "partner" : user
      if (owner === undefined) return this.orders.refusal(401, "authentication-required")
      if (id === "") return method === "POST" ? this.orders.create(owner, body) : this.orders.list(owner, query)
      if (verb === undefined) return this.orders.read(owner, id)
      return route === `POST /v0/orders/${id}/cancel` ? this.orders.cancel(owner, id) : { status: 404, body: {} }
    }
    if (route === "POST /v0/auth/authenticate") return this.#login(body)
    if (route === "POST /v0/auth/refresh") return this.#refresh(at(body, "refreshToken"))
    if (route === "POST /v0/quote") return this.swaps.quote(body, isPartner)
    if (room === "account") {
      if (user === undefined) return { status: 401, body: { why: "no session" } }
      return id === "balances"
        ? this.#balances(user, query)
        : { status: 403, body: { message: "History is invite-only for now" } }
    }
    const byPartner: Readonly<Record<string, () => Reply>> = {
      "GET /v0/status": () => this.swaps.status(query),
      "POST /v0/deposit/submit": () => this.swaps.submit(body),
      "POST /v0/generate-intent": () => this.#generate(body),
      "POST /v0/submit-intent": () => this.#submit(body)
    }
    const known = byPartner[route]
    if (known === undefined) return { status: 404, body: { nothing: path } }
    if (hasKey || isPartner) return known()
    return { status: headers["x-api-key"] === undefined ? 401 : 403, body: { error: "which partner?" } }
  }

  #generate(body: unknown): Reply {
    const [signerId, address] = [at(body, "signerId"), at(body, "depositAddress")]
    if (at(body, "standard") !== "nep413" || typeof signerId !== "string")
      return said(422, "nep413 and a signer, please")
    const [order, swap] = [this.orders.byAddress(address), this.swaps.byAddress(address)]
    const [units, input] =
      order !== undefined
        ? [this.orders.missing(order), order.input]
        : swap !== undefined
          ? [this.swaps.missing(swap), swap.input]
          : [0n, base]
    if (units === 0n) return said(404, "nothing is owed there")
    const transfer = { tokens: { [input.id]: String(units) }, receiver_id: address, intent: "transfer" }
    const message = { intents: [transfer], signer_id: signerId, deadline: iso(this.books.now() + 120_000) }
    const payload = {
      callbackUrl: "https://witness.example/back",
      recipient: verifier,
      nonce: randomBytes(32).toString("base64"),
      message: JSON.stringify(message, null, 1)
    }
    return { status: 201, body: { correlationId: randomUUID(), intent: { payload, standard: "nep413" } } }
  }

  #submit(body: unknown): Reply {
    if (at(body, "type") !== "swap_transfer") return said(422, "of this type there is nothing to submit")
    const signed = opened(at(body, "signedData"), verifier, this.books.now())
    if (typeof signed === "string") return said(422, signed)
    if (this.#nonces.has(`${signed.signer} ${signed.nonce}`)) return said(400, "nonce was already used")
    const intents = at(signed.message, "intents")
    if (!Array.isArray(intents) || intents.length === 0) return said(422, "nothing is intended")
    const refusal = this.#execute(signed, intents)
    if (refusal !== undefined) return refusal
    this.#nonces.add(`${signed.signer} ${signed.nonce}`)
    return { status: 202, body: { correlationId: randomUUID(), intentHash: signed.hash, accepted: true } }
  }

  /** One transfer to one address, as this service generates them. */
  #execute({ hash, signer }: Signed, intents: ReadonlyArray<unknown>): Reply | undefined {
    const [intent] = intents
    const address = at(intent, "receiver_id")
    const [order, swap] = [this.orders.byAddress(address), this.swaps.byAddress(address)]
    const input = order?.input ?? swap?.input
    const tokens = at(intent, "tokens")
    const units =
      input === undefined || tokens === null || typeof tokens !== "object" ? undefined : Reflect.get(tokens, input.id)
    if (input === undefined || typeof units !== "string" || intents.length > 1) return said(422, "no transfer of ours")
    const kind = String(order?.attributes["depositType"] ?? swap?.request["depositType"])
    if (this.books.held(purse(kind, signer), input) < BigInt(units)) return said(422, "not enough there")
    if (order !== undefined) this.orders.pay(order, signer, BigInt(units), hash)
    if (swap !== undefined) this.swaps.pay(swap, signer, BigInt(units), hash)
    return undefined
  }

  #login(body: unknown): Reply {
    const signed = opened(at(body, "signedData"), verifier, this.books.now())
    if (typeof signed === "string")
      return { status: signed.startsWith("the signature") ? 401 : 400, body: { no: signed } }
    const intents = at(signed.message, "intents")
    if (!Array.isArray(intents) || intents.length > 0) return { status: 400, body: { no: "that is more than a login" } }
    const [accessToken, refreshToken] = [randomUUID(), `r:${signed.signer}:${randomUUID()}`]
    this.#sessions.set(accessToken, signed.signer)
    this.#sessions.set(refreshToken, signed.signer)
    return {
      status: 201,
      body: { refreshExpiresIn: 24 * hourSeconds, expiresIn: hourSeconds, refreshToken, accessToken }
    }
  }

  #refresh(token: unknown): Reply {
    const signer = typeof token === "string" && token.startsWith("r:") ? this.#sessions.get(token) : undefined
    if (signer === undefined) return { status: 401, body: { no: "log in again" } }
    const accessToken = randomUUID()
    this.#sessions.set(accessToken, signer)
    return { status: 200, body: { expiresIn: hourSeconds, accessToken } }
  }

  #balances(user: string, query: URLSearchParams): Reply {
    const wanted = query.getAll("tokenIds").flatMap((text) => text.split(","))
    const held = [quote, base]
      .map((asset) => ({
        source: "private",
        available: String(this.books.held(purse("CONFIDENTIAL_INTENTS", user), asset)),
        tokenId: asset.id
      }))
      .filter(({ available, tokenId }) => (wanted.length === 0 ? available !== "0" : wanted.includes(tokenId)))
    return { status: 200, body: { balances: held } }
  }
}

const parsed = (text: string): unknown => {
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

export const startWitness = async ({ crime, twist, weather }: Settings = {}) => {
  const service = new Service(crime)
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
    })
    request.on("end", () => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://witness")
      const { headers, method = "GET" } = request
      const fate = weather?.(method, path)
      if (fate === "unheard") return void request.socket.destroy()
      const lawful = service.answer(method, path, query, headers, parsed(text))
      const isSigned = headers["x-api-key"] !== undefined || headers.authorization !== undefined
      const { body, status } = twist?.({ method, path, query, isSigned }, lawful) ?? lawful
      if (fate === "unanswered") return void request.socket.destroy()
      response.writeHead(fate ?? status, {
        "content-type": "application/json; charset=utf-8",
        date: new Date(service.books.now()).toUTCString()
      })
      response.end(JSON.stringify(body))
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((done) => {
      server.closeAllConnections()
      server.close(() => done())
    })
  return { service, url: `http://127.0.0.1:${port}`, quoteKey, stop }
}
export type Witness = Awaited<ReturnType<typeof startWitness>>
