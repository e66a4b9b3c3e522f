/**
 * The service under check, and everything that several checks look at: made once, when the first asks. Money is only spent where
 * that was allowed; what the sandbox alone can do is used where it is there, and needed by nothing.
 */
import { randomBytes } from "node:crypto"
import type { VenueFacts } from "../../src/venue/profile/Facts.ts"
import { factsOf, verifierOf } from "../../src/venue/profile/Profiles.ts"
import { at, CannotShow, cannotShow, isRecord } from "./Seen.ts"
import { type Account, accountOf, nonceOf, type Payload, type Span, signed } from "./signing.ts"

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly text: string
  readonly headers: Headers
}

/** Who a request is from. */
export type As = "partner key" | "partner token" | "user" | "nobody" | Readonly<Record<string, string>>

export interface Options {
  readonly url: string
  readonly analyticsUrl?: string | undefined
  readonly apiKey?: string | undefined
  readonly partnerJwt?: string | undefined
  readonly accountKey?: string | undefined
  readonly ledger: string
  /** What the service is said to do; default: what the interface document says. */
  readonly facts?: VenueFacts | undefined
  /** An RPC address of the ledger of the login's verifier, which tells its salt. */
  readonly saltFrom?: string | undefined
  readonly base?: string | undefined
  readonly quote?: string | undefined
  /** Whether the account's money may be moved. */
  readonly maySpend: boolean
  readonly fetch: (url: string, request: RequestInit) => Promise<Response>
  readonly sleep: (millis: number) => Promise<void>
  readonly now: () => number
}

export interface Asset {
  readonly id: string
  readonly symbol: string
  readonly decimals: number
  readonly price: number
}

/** What a login says otherwise than it should. */
export interface LoginChanges extends Partial<Payload> {
  readonly deadline?: string
  readonly intents?: unknown
  /** Of a nonce with a salt. */
  readonly span?: Partial<Span>
}

export type Fields = Readonly<Record<string, unknown>>

const patienceMillis = 60_000

export class World {
  readonly options: Options
  readonly facts: VenueFacts
  readonly seen: Array<{ readonly method: string; readonly path: string; readonly answer: Answer }> = []
  readonly #kept = new Map<string, Promise<unknown>>()

  constructor(options: Options) {
    this.options = options
    this.facts = options.facts ?? factsOf("document", verifierOf(options.ledger === "near" ? "near" : "native"))
  }

  get ledger(): string {
    return this.options.ledger
  }

  /** Makes an observation once, whoever asks for it. */
  once<A>(name: string, make: () => Promise<A>): Promise<A> {
    const known = this.#kept.get(name)
    if (known !== undefined) return known as Promise<A>
    const made = make()
    this.#kept.set(name, made)
    return made
  }

  async request(
    method: string,
    path: string,
    { as = "partner key", body, type = "application/json" }: { as?: As; body?: unknown; type?: string } = {}
  ): Promise<Answer> {
    const root = path.startsWith("/api/") ? (this.options.analyticsUrl ?? this.options.url) : this.options.url
    const headers: Record<string, string> = { accept: "application/json", ...(await this.#credential(as)) }
    if (body !== undefined) headers["content-type"] = type
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body)
    const response = await this.options.fetch(root.replace(/\/+$/, "") + path, {
      method,
      headers,
      ...(text === undefined ? {} : { body: text })
    })
    const answer = { status: response.status, text: await response.text(), headers: response.headers }
    const date = Date.parse(response.headers.get("date") ?? "")
    if (Number.isFinite(date)) this.#aheadMillis = date - this.options.now()
    const whole: Answer = { ...answer, body: parsed(answer.text) }
    this.seen.push({ method, path: path.split("?")[0] ?? path, answer: whole })
    return whole
  }

  async #credential(as: As): Promise<Readonly<Record<string, string>>> {
    const { apiKey, partnerJwt } = this.options
    if (typeof as === "object") return as
    if (as === "nobody") return {}
    if (as === "user") return { authorization: `Bearer ${at((await this.session()).body, "accessToken")}` }
    if (as === "partner token") {
      return { authorization: `Bearer ${partnerJwt ?? cannotShow("no partner token was given (--partner-jwt)")}` }
    }
    return { "x-api-key": apiKey ?? cannotShow("no API key was given (--api-key)") }
  }

  get(path: string, as?: As): Promise<Answer> {
    return this.request("GET", path, as === undefined ? {} : { as })
  }

  post(path: string, body: unknown, as?: As): Promise<Answer> {
    return this.request("POST", path, { body, ...(as === undefined ? {} : { as }) })
  }

  /** Every request of the history in turn: where the rate is exceeded, the wait that is asked for, and again. */
  history(path: string): Promise<Answer> {
    return this.once(`history ${path}`, () => {
      const turn = this.#historyTurn.then(async () => {
        for (let attempt = 0; attempt < 5; attempt += 1) {
          const answer = await this.get(path, "partner token")
          if (answer.status !== 429) return answer
          const asked = Number(answer.headers.get("retry-after"))
          await this.options.sleep(Number.isFinite(asked) && asked > 0 ? asked * 1000 + 100 : 5200)
        }
        return cannotShow("the history keeps answering 429")
      })
      this.#historyTurn = turn.catch(() => undefined)
      return turn
    })
  }
  #historyTurn: Promise<unknown> = Promise.resolve()

  account(): Account {
    return accountOf(this.options.accountKey ?? cannotShow("no account key was given (--account-key)"))
  }

  in(millis: number): string {
    return new Date(this.options.now() + millis).toISOString()
  }

  /** What the service trades, where it says so. */
  tokens(): Promise<ReadonlyArray<Asset>> {
    return this.once("tokens", async () => {
      const listed = await this.get("/v0/tokens", "nobody").catch(() => undefined)
      return (Array.isArray(listed?.body) ? listed.body.filter(isRecord) : []).map((token) => ({
        id: String(token["assetId"]),
        symbol: String(token["symbol"]),
        decimals: Number(token["decimals"]),
        price: Number(token["price"])
      }))
    })
  }

  /** The two assets that everything is about: base is worth much, quote about a dollar. */
  assets(): Promise<{ readonly base: Asset; readonly quote: Asset }> {
    return this.once("assets", async () => {
      const { ledger } = this
      const tokens = await this.tokens()
      const find = (wanted: string | undefined, symbol: string, fallback: Asset): Asset => {
        const token = tokens.find(({ id, symbol: named }) => (wanted === undefined ? named === symbol : id === wanted))
        return token ?? (wanted === undefined ? fallback : { ...fallback, id: wanted })
      }
      const usual = (symbol: string, decimals: number, price: number): Asset => ({
        id: `nep141:${symbol.toLowerCase()}.omft.${ledger}`,
        symbol,
        decimals,
        price
      })
      return {
        base: find(this.options.base, "BTC", usual("BTC", 8, 60_000)),
        quote: find(this.options.quote, "USDC", usual("USDC", 6, 1))
      }
    })
  }

  /** About fifty dollars of the base. */
  async quantity(): Promise<string> {
    const { base } = await this.assets()
    return String(
      BigInt(Math.max(1, Math.round((50 / (base.price || 1)) * 10 ** Math.min(9, base.decimals)))) *
        10n ** BigInt(Math.max(0, base.decimals - 9))
    )
  }

  /** Whether the service has the endpoints that only a sandbox has. */
  sandbox(): Promise<boolean> {
    return this.once("sandbox", async () => {
      const { body, status } = await this.get("/sandbox/books", "nobody").catch(() => ({ status: 0, body: undefined }))
      return status === 200 && isRecord(body) && "accounts" in body
    })
  }

  async needSandbox(): Promise<void> {
    if (!(await this.sandbox())) cannotShow("the service has none of the endpoints that only a sandbox has")
  }

  async needMoney(): Promise<void> {
    if (!this.options.maySpend && !(await this.sandbox())) {
      cannotShow("money would have to be moved: allow it with --spend")
    }
    this.account()
  }

  /** The service's own time as far as its answers tell it. */
  serviceNow(): number {
    return this.options.now() + this.#aheadMillis
  }
  #aheadMillis = 0

  /** The present salt of a verifier: what its ledger says, else what is known of it. */
  async salt(verifier: string): Promise<string> {
    const { saltFrom = (await this.sandbox()) ? `${this.options.url.replace(/\/+$/, "")}/sandbox/rpc` : undefined } =
      this.options
    const known = this.facts.salts[verifier]
    if (saltFrom === undefined) return known ?? cannotShow(`the salt of ${verifier} is not known (--salt-from)`)
    const view = { request_type: "call_function", finality: "final", method_name: "current_salt", args_base64: "e30=" }
    const response = await this.options.fetch(saltFrom, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "query", params: { ...view, account_id: verifier } })
    })
    const bytes = at(parsed(await response.text()), "result.result")
    const salt = Array.isArray(bytes) ? parsed(Buffer.from(bytes.map(Number)).toString("utf8")) : undefined
    return typeof salt === "string" ? salt : (known ?? cannotShow(`${saltFrom} does not tell the salt of ${verifier}`))
  }

  /** A login as the facts say that it is; \`changes\` make another one. */
  async login({ deadline, intents = [], span, ...changes }: LoginChanges = {}) {
    const { nonce: form, verifier } = this.facts.login
    const { signerId } = this.account()
    const message = JSON.stringify({ deadline: deadline ?? this.in(240_000), intents, signer_id: signerId })
    const now = this.serviceNow()
    const nonce =
      form === "free"
        ? randomBytes(32).toString("base64")
        : nonceOf({ salt: await this.salt(verifier), startsAt: now, endsAt: now + 600_000, ...span })
    return signed(this.account(), { message, nonce, recipient: verifier, ...changes })
  }

  async authenticate(changes: LoginChanges = {}): Promise<Answer> {
    return this.post("/v0/auth/authenticate", { signedData: await this.login(changes) }, "nobody")
  }

  session(): Promise<Answer> {
    return this.once("session", async () => {
      const answer = await this.authenticate()
      return answer.status < 300 ? answer : cannotShow(`no session: ${answer.status} ${answer.text.slice(0, 200)}`)
    })
  }

  /** Asks again until it is so. */
  async until<A>(what: string, look: () => Promise<A>, isSo: (seen: A) => boolean): Promise<A> {
    const end = this.options.now() + patienceMillis
    for (;;) {
      const seen = await look()
      if (isSo(seen)) return seen
      if (this.options.now() > end) throw new CannotShow(`${what} did not happen within ${patienceMillis / 1000} s`)
      await this.options.sleep(250)
    }
  }
}

const parsed = (text: string): unknown => {
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
