/** Clients of a sandbox: the bot's own port with its signer, and raw requests for what the port would never send. */
import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { type Decimal, parse, zero } from "../../../src/domain/Decimal.ts"
import { isTerminal, type Order } from "../../../src/domain/Order.ts"
import { BooksResponse, saltFrom } from "../../../src/sandbox/SandboxApi.ts"
import { SandboxConnection } from "../../../src/sandbox/SandboxServer.ts"
import { IntentGuard } from "../../../src/signing/IntentGuard.ts"
import * as Nep413 from "../../../src/signing/Nep413.ts"
import { Signer } from "../../../src/signing/Signer.ts"
import { layer as clientLayer } from "../../../src/venue/library.ts"
import type { QuoteRequest } from "../../../src/venue/Swaps.ts"
import { type CreateOrder, Venue } from "../../../src/venue/Venue.ts"
import { defaultPatience, ownAccount, type VenueConfig } from "../../../src/venue/VenueConfig.ts"

/** The bot's side, for the generated account of the sandbox in the context. */
export const venueFrom = (depositType: "INTENTS" | "CONFIDENTIAL_INTENTS") =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { url, apiKey, partnerJwt, quoteKey, facts, ledger, verifier, account: own } = yield* SandboxConnection
      const config: VenueConfig["Service"] = {
        url,
        apiKey: Redacted.make(apiKey),
        partnerJwt: Redacted.make(partnerJwt),
        quoteKey,
        ledger,
        verifier,
        ...(facts === undefined ? {} : { facts: { ...facts, saltFrom: saltFrom(url) } }),
        account: ownAccount(own.signerId, depositType),
        patience: defaultPatience
      }
      return clientLayer(config, Redacted.make(own.key))
    })
  )
export const venue = venueFrom("INTENTS")

export const price = (text: string): Decimal => parse(text) ?? zero
export const btc = "nep141:btc.omft.native"
export const usdc = "nep141:usdc.omft.native"

export const order = (changes: Partial<CreateOrder> = {}): CreateOrder => ({
  side: "SELL",
  baseAsset: btc,
  quoteAsset: usdc,
  quantity: 1_000_000n,
  price: price("60000"),
  deadline: Date.parse("2030-01-01T00:00:00.123Z"),
  ...changes
})

/** An order as it goes over the wire: the least that the service takes, and what a test wants to be different. */
export const orderBody = (changes: object = {}, data: object = {}) => {
  const attributes = {
    orderType: "LIMIT",
    baseAsset: btc,
    quoteAsset: usdc,
    quantity: "1000000",
    price: "60000",
    recipient: "alice.native",
    refundTo: "alice.native"
  }
  return { data: { type: "orders", attributes: { ...attributes, ...changes }, ...data } }
}

/** From the account's balance to its balance, unless told otherwise. */
export const quoteRequest = (
  owner: string,
  changes: Partial<QuoteRequest> & Pick<QuoteRequest, "deadline">
): QuoteRequest => ({
  dry: false,
  swapType: "EXACT_INPUT",
  slippageTolerance: 100,
  originAsset: btc,
  depositType: "INTENTS",
  destinationAsset: usdc,
  amount: "1000000",
  refundTo: owner,
  refundType: changes.depositType ?? "INTENTS",
  recipient: owner,
  recipientType: changes.depositType === "ORIGIN_CHAIN" ? "DESTINATION_CHAIN" : "INTENTS",
  depositMode: "SIMPLE",
  confidentiality: "public",
  quoteWaitingTimeMs: 0,
  insured: false,
  ...changes
})

export const sign = Effect.fnUntraced(function* (target: Order, amount = target.inputAmount) {
  const generated = yield* (yield* Venue).generateIntent(target.depositAddress)
  const { depositAddress, depositType, originAsset: asset } = target
  return yield* (yield* IntentGuard).signTransfer(generated.value, { depositAddress, depositType, asset, amount })
})

export const createAndFund = Effect.fnUntraced(function* (changes: Partial<CreateOrder> = {}) {
  const port = yield* Venue
  const created = (yield* port.createOrder(order(changes))).value
  yield* port.submitIntent(yield* sign(created))
  return created
})

export const read = (id: string) =>
  Effect.map(
    Venue.use((port) => port.getOrder(id)),
    ({ value }) => value
  )

/** Looks again until the order is as wanted; the caller's clock must be running. */
export const until = Effect.fnUntraced(function* (id: string, isAsWanted: (seen: Order) => boolean) {
  for (let look = 0; look < 600; look++) {
    const seen = yield* read(id)
    if (isAsWanted(seen)) return seen
    yield* Effect.sleep("100 millis")
  }
  return yield* Effect.die(new Error(`order ${id} never became as wanted`))
})

export const isSettled = (seen: Order): boolean =>
  isTerminal(seen.fillStatus) && (seen.payoutIsFinal || seen.depositedAmount === 0n)

interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: HttpClientResponse.HttpClientResponse["headers"]
}

/** A request of any shape, with the API key unless told otherwise. */
export const send = Effect.fnUntraced(function* (
  method: "GET" | "POST",
  path: string,
  body?: unknown,
  changes: Readonly<Record<string, string | undefined>> = {}
) {
  const { url, apiKey } = yield* SandboxConnection
  const client = yield* HttpClient.HttpClient
  const headers = Object.entries({ "x-api-key": apiKey, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined
  )
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const response = yield* client.execute(
    HttpClientRequest.make(method)(url + path).pipe(HttpClientRequest.setHeaders(headers), (request) =>
      body === undefined ? request : HttpClientRequest.bodyText(request, text, "application/json")
    )
  )
  const answer: Answer = { status: response.status, body: yield* response.json, headers: response.headers }
  return answer
})

export const account = Effect.map(SandboxConnection, (connection) => connection.account.signerId)

/** What the sandbox itself knows. */
export const venueBooks = Effect.map(send("GET", "/sandbox/books"), ({ body }) =>
  Schema.decodeUnknownSync(BooksResponse)(body)
)

export interface Changes {
  readonly intents: ReadonlyArray<unknown>
  readonly message?: string
  readonly signerId?: string
  readonly deadline?: number
  readonly recipient?: string
  readonly nonce?: Uint8Array
}

/** A payload of the account's own making, correctly signed. */
export const signMessage = Effect.fnUntraced(function* (changes: Changes) {
  const { verifier, account: own } = yield* SandboxConnection
  const now = yield* Clock.currentTimeMillis
  const deadline = new Date(changes.deadline ?? now + 120_000).toISOString()
  const fields = { deadline, intents: changes.intents, signer_id: changes.signerId ?? own.signerId }
  const payload = {
    message: changes.message ?? JSON.stringify(fields),
    nonce: changes.nonce ?? new Uint8Array(32).fill(7),
    recipient: changes.recipient ?? verifier
  }
  const signing = Effect.flatMap(Signer, (signer) => signer.sign(Nep413.digest(payload)))
  const { publicKey, signature } = yield* Effect.provide(signing, Signer.layer(Redacted.make(own.key)))
  const nonce = Buffer.from(payload.nonce).toString("base64")
  return { standard: "nep413", payload: { ...payload, nonce }, public_key: publicKey, signature }
})
