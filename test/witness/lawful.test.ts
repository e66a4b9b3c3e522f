/**
 * The conformance suite against a lawful service that it never saw, by loopback. Whatever the interface leaves open is chosen there
 * otherwise than in our sandbox: nothing of it may be called a failure. The suite's waiting is skipped on the service's clock.
 */
import { assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { type Outcome, run } from "../../tools/conformance/Check.ts"
import { accountOf } from "../../tools/conformance/signing.ts"
import { lanes } from "../../tools/conformance/suite.ts"
import { World } from "../../tools/conformance/World.ts"
import { base, purse, quote } from "./service/Books.ts"
import { at } from "./service/Json.ts"
import { type Settings, startWitness, type Twist } from "./service/Witness.ts"

const accountKey = `ed25519:${bs58.encode(Buffer.alloc(32, 11))}`
const all = lanes("native")

/** Every check, or those whose ids begin so. */
const hold = async (settings: Settings = {}, only: ReadonlyArray<string> = [""]): Promise<ReadonlyArray<Outcome>> => {
  const { service, stop, url } = await startWitness(settings)
  const { books } = service
  for (const asset of [base, quote]) {
    books.move("mint", purse("INTENTS", accountOf(accountKey).signerId), asset, 10n ** 12n)
    books.move("mint", purse("CONFIDENTIAL_INTENTS", accountOf(accountKey).signerId), asset, 5n * 10n ** 11n)
  }
  const world = new World({
    url,
    apiKey: service.apiKey,
    partnerJwt: service.partnerJwt,
    accountKey,
    ledger: "native",
    maySpend: true,
    fetch: (to, request) => fetch(to, request),
    sleep: async (millis) => {
      books.skip(millis)
      await new Promise((done) => setImmediate(done))
    },
    now: () => books.now()
  })
  const checks = all.map((lane) => lane.filter(({ id }) => only.some((wanted) => id.startsWith(wanted))))
  return run(world, checks, () => undefined).finally(stop)
}

const told = (outcomes: ReadonlyArray<Outcome>, verdict: string) =>
  outcomes.filter((outcome) => outcome.verdict === verdict).map(({ detail, id }) => `${id}: ${detail}`)

/** The service's answer with something in it set, or taken away. */
const changed =
  (asked: RegExp, change: (body: Record<string, never>) => void): Twist =>
  ({ method, path }, reply) => {
    if (!asked.test(`${method} ${path}`) || reply.status >= 300) return reply
    const body = structuredClone(reply.body) as Record<string, never>
    change(body)
    return { status: reply.status, body }
  }
const answered =
  (asked: RegExp, from: number, to: number): Twist =>
  ({ method, path }, reply) =>
    asked.test(`${method} ${path}`) && reply.status === from ? { ...reply, status: to } : reply
const set =
  (path: string, value: unknown) =>
  (body: object): void => {
    const names = path.split(".")
    const last = names.pop() ?? ""
    Reflect.set(Object(names.reduce<unknown>((inner, name) => at(inner, name), body)), last, value)
  }
const errorsWith =
  (change: object): Twist =>
  (_, reply) => {
    const [first] = [at(reply.body, "errors")].flat()
    return first === undefined
      ? reply
      : { ...reply, body: { ...Object(reply.body), errors: [{ ...Object(first), ...change }] } }
  }

/** The refresh token is good once. */
function oneRefresh(): Twist {
  let refreshed = 0
  return ({ path }, reply) => {
    if (!path.endsWith("/refresh") || reply.status >= 300) return reply
    refreshed += 1
    return refreshed === 1 ? reply : { status: 401, body: { no: "another token, please" } }
  }
}

const created = /^POST \/v0\/orders$/
const everyOrder = /\/v0\/orders\/o_\w+/
const violations: ReadonlyArray<readonly [what: string, names: string, settings: Settings]> = [
  [
    "makes an order without an address",
    "2.3.create.attributes.depositAddress",
    { twist: changed(created, set("data.attributes.depositAddress", undefined)) }
  ],
  [
    "writes quantities as numbers",
    "2.3.create.attributes.quantity",
    { twist: changed(created, set("data.attributes.quantity", 5)) }
  ],
  [
    "writes fees as text",
    "2.3.create.attributes.appFees",
    { twist: changed(created, set("data.attributes.appFees", [{ recipient: "a", fee: "1" }])) }
  ],
  [
    "promises less than the limit by more than its fees",
    "2.3.view",
    {
      twist: changed(created, (body) =>
        set(
          "data.attributes.swapView.minAmountOut",
          String((BigInt(String(at(body, "data.attributes.swapView.minAmountOut"))) * 99n) / 100n)
        )(body)
      )
    }
  ],
  [
    "leaves the trace out",
    "2.1.list.meta.correlationId",
    { twist: changed(/GET \/v0\/orders$/, set("meta.correlationId", undefined)) }
  ],
  [
    "answers 403 instead of 401 without credentials",
    "5.401.POST /v0/orders.none",
    { twist: answered(created, 401, 403) }
  ],
  ["needs no credentials for a status", "5.401.GET /v0/status.none", { twist: answered(/v0\/status/, 401, 200) }],
  [
    "refuses an order without structure",
    "5.401.POST /v0/orders.none.body",
    { twist: (_, reply) => (reply.status === 401 ? { status: 401, body: { message: "no" } } : reply) }
  ],
  ["takes a negative price", "7.1.pointer.price.5", { twist: answered(created, 400, 201) }],
  ["does not point at a wrong price", "7.1.pointer.price.5", { twist: errorsWith({ source: undefined }) }],
  [
    "writes the status of an error as a number",
    "7.1.get.404.order-not-found.status",
    { twist: errorsWith({ status: 404 }) }
  ],
  ["has no title for an error", "7.1.get.404.order-not-found.title", { twist: errorsWith({ title: undefined }) }],
  ["fills below the limit", "4.5.filled", { crime: "fills below the limit" }],
  ["reports one fill of three", "4.5.filled", { crime: "half of the fills are not told" }],
  ["reports no fill", "4.5.filled", { twist: changed(everyOrder, set("data.attributes.partialFills", undefined)) }],
  [
    "ends a refund without a leg",
    "4.5.cancel",
    { twist: changed(everyOrder, set("data.attributes.payouts.refund", null)) }
  ],
  [
    "ends a withdrawal without a leg",
    "3.3.paid",
    {
      twist: changed(everyOrder, set("data.attributes.payouts", { refund: null, withdrawal: null, allWithdrawals: [] }))
    }
  ],
  [
    "reports a state that does not exist",
    "2.3.get.attributes.fillStatus",
    { twist: changed(everyOrder, set("data.attributes.fillStatus", "WAITING")) }
  ],
  ["never lists an order", "4.5.list.filter.several", { twist: changed(/GET \/v0\/orders$/, set("data", [])) }],
  [
    "ignores the filter of a list",
    "4.5.list.filter.FILLED",
    { twist: changed(/GET \/v0\/orders$/, set("data", [{ attributes: { fillStatus: "OPEN" } }])) }
  ],
  [
    "lists the oldest first",
    "4.5.list.newest",
    { twist: changed(/GET \/v0\/orders$/, (body) => Array.prototype.reverse.call(body["data"])) }
  ],
  ["takes a forged signature", "4.4.forged", { twist: answered(/submit-intent/, 422, 202) }],
  [
    "answers with the hash of something else",
    "4.4.acknowledged",
    { twist: changed(/submit-intent/, set("intentHash", "other")) }
  ],
  [
    "requests more than an order lacks",
    "4.4.payload.one",
    {
      twist: changed(/generate-intent/, (body) =>
        set("intent.payload.message", String(at(body, "intent.payload.message")).replace(/"(\d+)"/, '"9$1"'))(body)
      )
    }
  ],
  ["gives a dry quote an address", "4.1.dry", { twist: changed(/quote/, set("quote.depositAddress", "x")) }],
  [
    "promises more than it estimates",
    "4.1.bounds",
    { twist: changed(/quote/, set("quote.minAmountOut", "9".repeat(20))) }
  ],
  [
    "does not charge the platform's fee",
    "1.platform-fee",
    {
      twist: ({ path }, reply) =>
        path === "/v0/quote"
          ? changed(/quote/, set("quote.amountOut", "1000000"))(
              { method: "POST", path, query: new URLSearchParams(), isSigned: true },
              reply
            )
          : reply
    }
  ],
  ["knows an address that it never issued", "4.3.unknown", { twist: answered(/v0\/status/, 404, 200) }],
  ["rotates the refresh token", "4.7.keeps", { twist: oneRefresh() }],
  [
    "writes the history without milliseconds",
    "2.2.createdAt",
    { twist: changed(/transactions$/, (body) => [body].flat().map(set("createdAt", "2026-01-01T00:00:00Z"))) }
  ],
  [
    "answers 403 instead of 401 to a wrong token",
    "5.401.GET /api/v0/transactions.a wrong token",
    { twist: answered(/transactions/, 401, 403) }
  ],
  ["never says 429", "8.rate", { twist: (_, reply) => (reply.status === 429 ? { status: 200, body: [] } : reply) }],
  [
    "shows unpaid swaps without a request",
    "4.9.statuses.default",
    {
      twist: ({ path, query }, reply) =>
        path.endsWith("transactions") && !query.has("statuses")
          ? { status: 200, body: [{ status: "PENDING_DEPOSIT" }] }
          : reply
    }
  ],
  [
    "refuses a history query in another form",
    "7.3.transactions.numberOfTransactions=0.code",
    { twist: (_, reply) => (reply.status === 400 ? { status: 400, body: { message: "no" } } : reply) }
  ]
]

describe("the conformance suite", () => {
  it("accepts a lawful service, and gives a reason for what it cannot show", async () => {
    const outcomes = await hold()
    assert.deepStrictEqual(told(outcomes, "fails"), [])
    assert.isAbove(told(outcomes, "holds").length, 800)
    assert.isTrue(outcomes.every(({ detail, verdict }) => verdict !== "cannot show" || detail.length > 10))
  })

  it.each(violations)("rejects a service that %s", async (_, id, settings) => {
    const fails = (await hold(settings, [id])).filter(({ verdict }) => verdict === "fails").map((outcome) => outcome.id)
    assert.include(fails, id)
    assert.deepStrictEqual(told(await hold({}, [id]), "fails"), [])
  })
})
