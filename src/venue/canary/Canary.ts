/**
 * Asks the service everything that can be asked without moving money, and compares each answer with the contract. A person and a running
 * bot ask the same questions. A question that cannot be asked now is listed with its reason and proves nothing: an outage or a missing
 * credential is no drift. A refusal is a drift only if the endpoint is open to every partner or no longer exists.
 */
import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import type { Amount, Asset } from "../../domain/Amount.ts"
import { absent, type Drift } from "../../domain/Drift.ts"
import { present } from "../../domain/Present.ts"
import { correlationText } from "../../domain/Text.ts"
import { tokenIn } from "../api/SwapsApi.ts"
import { History } from "../History.ts"
import { quoteRequest } from "../HttpVenue.ts"
import { listBytes } from "../http/Reply.ts"
import { Session } from "../http/Session.ts"
import { VenueClient } from "../http/VenueClient.ts"
import { distrust } from "../QuoteTrust.ts"
import { mostSkewMillis } from "../Venue.ts"
import { factsOf, VenueConfig } from "../VenueConfig.ts"
import type { Rejected, VenueError } from "../VenueError.ts"
import { canonicalAssetId } from "../wire/AssetId.ts"
import { ReceivedQuote } from "../wire/WireQuote.ts"
import { driftOf, fieldOf, kinds } from "./Contract.ts"

export interface ServiceLook {
  readonly drift: ReadonlyArray<Drift>
  readonly checked: ReadonlyArray<string>
  readonly unchecked: ReadonlyArray<{ readonly what: string; readonly why: string }>
  /** False if a check failed that may succeed another time. Then no earlier drift is taken back. */
  readonly isWhole: boolean
}

export class Canary extends Context.Service<
  Canary,
  {
    /** `amount`: of the first asset, for a dry quote in the second one. */
    readonly look: (assets: ReadonlyArray<Asset>, amount: Amount) => Effect.Effect<ServiceLook>
    readonly order: (orderId: string) => Effect.Effect<ReadonlyArray<Drift>, VenueError>
  }
>()("limitbot/venue/canary/Canary") {}

const responseMode = "response-only"
const maxOrders = 20
const maxTold = 50
/** Refusals without a code of the venue: the endpoint no longer exists. */
const removalCodes: ReadonlyArray<string> = ["http-404", "http-405", "http-410"]
/** Open to every partner, so a refusal is a drift. Others may be by invitation. */
const open: ReadonlyArray<string> = ["tokens", "quote", "orders"]
const refusalOf = (reason: Rejected): string => `refused: ${reason.code}: ${reason.text}${correlationText(reason)}`

/** The differences, or the reason why the question was not asked. */
type Answered = ReadonlyArray<Drift> | string

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const tokensDrift = (said: ReadonlyArray<unknown>, assets: ReadonlyArray<Asset>, idOf: (id: string) => string) => {
  const validTokens = said.flatMap((token) => Option.toArray(tokenIn(token)))
  return [
    ...said.flatMap((token) => driftOf(kinds.token, token)),
    ...assets.flatMap(({ decimals, id, symbol }): ReadonlyArray<Drift> => {
      const token = validTokens.find(({ assetId }) => idOf(assetId) === id)
      const what = `${symbol} (${id}) among the tokens`
      if (token === undefined) return [{ what, was: "listed", is: absent, closesFunding: false }]
      if (token.decimals === decimals) return []
      const of = `the decimals of ${symbol} (${id})`
      return [{ what: of, was: String(decimals), is: String(token.decimals), closesFunding: true }]
    })
  ]
}

const accountHistoryDrift = (
  { access: is, items }: { readonly access: string; readonly items: ReadonlyArray<{ readonly said: unknown }> },
  was: string
): Answered => [
  ...items.flatMap(({ said }) => driftOf(kinds.accountItem, said)),
  ...(is === was ? [] : [{ what: "the account's history", was, is, closesFunding: false }])
]

const clockDrift = (skewMillis: number | undefined): Answered => {
  if (skewMillis === undefined) return "no answer told the venue's time"
  if (Math.abs(skewMillis) <= mostSkewMillis) return []
  const is = `${Math.round(Math.abs(skewMillis) / 1000)} s ${skewMillis > 0 ? "ahead" : "behind"}`
  return [{ what: "this machine's clock", was: "the venue's", is, closesFunding: false }]
}

const meansOf = Effect.all({ config: VenueConfig, client: VenueClient, history: History, session: Session })
type Means = Effect.Success<typeof meansOf>

const call = (operation: string) => ({ operation, priority: "background", mostBytes: listBytes }) as const

const raw = ({ client }: Pick<Means, "client">, operation: string, send: Parameters<Means["client"]["read"]>[1]) =>
  Effect.map(client.read(call(operation), send, Schema.Unknown), ({ value }) => value)

const tokens = (means: Means, assets: ReadonlyArray<Asset>) =>
  Effect.map(raw(means, "list tokens", means.client.api.swaps.tokens({ responseMode })), (said) =>
    tokensDrift(listOf(said), assets, (id) => canonicalAssetId(means.config.assetSpellings, id))
  )

const quote = Effect.fnUntraced(function* (means: Means, [base, second]: ReadonlyArray<Asset>, amount: Amount) {
  if (base === undefined || second === undefined) return "it needs two configured assets"
  const { client, config } = means
  const deadline = (yield* Clock.currentTimeMillis) + 600_000
  const payload = quoteRequest(config, { originAsset: base.id, destinationAsset: second.id, amount }, deadline)
  const body = yield* raw(means, "quote", client.api.swaps.quote({ payload, responseMode }))
  const decoding = Schema.decodeUnknownResult(ReceivedQuote)(body)
  if (Result.isSuccess(decoding) && decoding.success.quote.amountOut === undefined)
    return `the venue has no price of ${base.symbol} in ${second.symbol} now`
  const why = Result.isSuccess(decoding) ? distrust(config, payload, decoding.success) : undefined
  // Prices have their own gate, so a fault in one quote is reported here and closes nothing.
  const odd: ReadonlyArray<Drift> =
    why === undefined ? [] : [{ what: "the dry quote", was: "the one asked for", is: why, closesFunding: false }]
  return [...driftOf(kinds.quote, body), ...odd]
})

const oneOrder = Effect.fnUntraced(function* (means: Pick<Means, "client">, orderId: string) {
  const orderBody = yield* raw(means, "get order", means.client.api.orders.get({ params: { orderId }, responseMode }))
  return [...driftOf(kinds.orderAnswer, orderBody), ...driftOf(kinds.order, fieldOf(orderBody, "data"))]
})

const orders = Effect.fnUntraced(function* (means: Means) {
  if (means.config.apiKey === undefined) return "it needs venue.apiKey"
  const query = { "page[size]": maxOrders }
  const page = yield* raw(means, "list orders", means.client.api.orders.list({ query, responseMode }))
  const listed = listOf(fieldOf(page, "data"))
  const id = textOf(fieldOf(listed[0], "id"))
  const drift = [...driftOf(kinds.orderPage, page), ...listed.flatMap((order) => driftOf(kinds.order, order))]
  return [...drift, ...(id === undefined ? [] : yield* oneOrder(means, id))]
})

const past = Effect.fnUntraced(function* (means: Means) {
  const { apiKey, partnerJwt } = means.config
  if (partnerJwt === undefined) return "it needs venue.partnerJwt"
  const [line] = yield* means.history.transactions({ numberOfTransactions: 1 })
  if (line === undefined) return "it is empty"
  const drift = driftOf(kinds.transaction, line.said)
  const depositAddress = textOf(line.depositAddress)
  if (depositAddress === undefined || apiKey === undefined) return drift
  const depositMemo = textOf(line.depositMemo)
  const query = { depositAddress, ...present({ depositMemo }) }
  const status = yield* raw(means, "read swap status", means.client.api.deposits.status({ query, responseMode }))
  return [...drift, ...driftOf(kinds.status, status)]
})

const balances = ({ client, session }: Means) =>
  session
    .run(client.read(call("read balances"), client.api.account.balances({ query: {}, responseMode }), Schema.Unknown))
    .pipe(Effect.map(({ value }) => driftOf(kinds.balances, value)))

const own = ({ config, history }: Means) =>
  history.account({ limit: 1 }).pipe(
    Effect.map(({ value }) => ({ access: "open", items: value.items })),
    Effect.catchReason("VenueError", "Rejected", ({ status }) =>
      status === 400 || status === 403 ? Effect.succeed({ access: "invite-only", items: [] }) : Effect.undefined
    ),
    Effect.map((answer) =>
      answer === undefined ? "it is refused" : accountHistoryDrift(answer, factsOf(config).accountHistory)
    )
  )

const clock = ({ client }: Means) => Effect.map(client.clockSkewMillis, clockDrift)

const rows: ReadonlyArray<
  readonly [
    what: string,
    ask: (means: Means, assets: ReadonlyArray<Asset>, amount: Amount) => Effect.Effect<Answered, VenueError>
  ]
> = [
  ["tokens", tokens],
  ["quote", quote],
  ["orders", orders],
  ["balances", balances],
  ["history and status", past],
  ["account history", own],
  ["clock", clock]
]

export const layer = Layer.effect(
  Canary,
  Effect.gen(function* () {
    const means = yield* meansOf
    const look = Effect.fn("Canary.look")(function* (assets: ReadonlyArray<Asset>, amount: Amount) {
      const answers = yield* Effect.forEach(rows, ([what, ask]) =>
        Effect.map(Effect.result(ask(means, assets, amount)), (answer) => [what, answer] as const)
      )
      return summed(answers)
    })
    return Canary.of({ look, order: (orderId) => oneOrder(means, orderId) })
  })
)

const summed = (answers: ReadonlyArray<readonly [string, Result.Result<Answered, VenueError>]>): ServiceLook => {
  const unique = new Map<string, Drift>()
  const unchecked: Array<ServiceLook["unchecked"][number]> = []
  let isWhole = true
  for (const [what, answer] of answers) {
    if (Result.isFailure(answer)) {
      const { reason } = answer.failure
      const isGone = reason._tag === "Rejected" && removalCodes.includes(reason.code)
      if (isGone) unique.set(what, { what, was: "answered", is: absent, closesFunding: what === "orders" })
      else if (reason._tag === "Rejected" && open.includes(what))
        unique.set(what, { what, was: "answered", is: refusalOf(reason), closesFunding: what === "orders" })
      else unchecked.push({ what, why: `${answer.failure.message}${correlationText(reason)}` })
      isWhole &&= reason._tag === "Rejected"
      continue
    }
    if (typeof answer.success === "string") {
      unchecked.push({ what, why: answer.success })
      continue
    }
    for (const each of answer.success) {
      const key = each.was === absent ? each.what : JSON.stringify(each)
      const entry = unique.get(key)
      if (entry === undefined || entry.is === "null") unique.set(key, each)
    }
  }
  const missing = new Set(unchecked.map(({ what }) => what))
  return {
    drift: [...unique.values()].toSorted((a, b) => Number(b.closesFunding) - Number(a.closesFunding)).slice(0, maxTold),
    checked: answers.map(([what]) => what).filter((what) => !missing.has(what)),
    unchecked,
    isWhole
  }
}
