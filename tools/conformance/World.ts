/**
 * The service under check, and everything that several checks look at: made once, when the first asks. Money is only spent where
 * that was allowed; what the sandbox alone can do is used where it is there, and needed by nothing.
 */
import { randomBytes } from "node:crypto"
import { CannotShow, cannotShow } from "./Check.ts"
import { at, isRecord } from "./Fields.ts"
import { type Account, accountOf, type Payload, signed } from "./signing.ts"

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
  readonly verifier?: string | undefined
  readonly base?: string | undefined
  readonly quote?: string | undefined
  /** Whether the account's money may be moved. */
  readonly maySpend: boolean
  readonly fetch: (url: string, request: RequestInit) => Promise<Response>
  readonly sleep: (millis: number) => Promise<void>
  readonly now: () => number
}

interface Asset {
  readonly id: string
  readonly decimals: number
  readonly price: number
}

export type Fields = Readonly<Record<string, unknown>>

const patienceMillis = 60_000

export class World {
  readonly options: Options
  readonly seen: Array<{ readonly method: string; readonly path: string; readonly answer: Answer }> = []
  readonly #kept = new Map<string, Promise<unknown>>()

  constructor(options: Options) {
    this.options = options
  }

  get ledger(): string {
    return this.options.ledger
  }

  get verifier(): string {
    return this.options.verifier ?? `intents.${this.options.ledger}`
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

  /** The two assets that everything is about: base is worth much, quote about a dollar. */
  assets(): Promise<{ readonly base: Asset; readonly quote: Asset }> {
    return this.once("assets", async () => {
      const { ledger } = this
      const listed = await this.get("/v0/tokens", "nobody").catch(() => undefined)
      const tokens = Array.isArray(listed?.body) ? listed.body.filter(isRecord) : []
      const find = (wanted: string | undefined, symbol: string, fallback: Asset): Asset => {
        const token = tokens.find(({ assetId, symbol: named }) =>
          wanted === undefined ? named === symbol : assetId === wanted
        )
        if (token === undefined) return wanted === undefined ? fallback : { ...fallback, id: wanted }
        return { id: String(token["assetId"]), decimals: Number(token["decimals"]), price: Number(token["price"]) }
      }
      return {
        base: find(this.options.base, "BTC", { id: `nep141:btc.omft.${ledger}`, decimals: 8, price: 60_000 }),
        quote: find(this.options.quote, "USDC", { id: `nep141:usdc.omft.${ledger}`, decimals: 6, price: 1 })
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

  login(changes: Partial<Payload> & { readonly deadline?: string; readonly intents?: unknown } = {}) {
    const { deadline = this.in(240_000), intents = [], ...payload } = changes
    const message = JSON.stringify({ deadline, intents, signer_id: this.account().signerId })
    const nonce = randomBytes(32).toString("base64")
    return signed(this.account(), { message, nonce, recipient: this.verifier, ...payload })
  }

  session(): Promise<Answer> {
    return this.once("session", async () => {
      const answer = await this.post("/v0/auth/authenticate", { signedData: this.login() }, "nobody")
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
