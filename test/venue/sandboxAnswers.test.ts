/**
 * Every answer that the sandbox gives to the client, damaged at random: whatever comes back, a call ends in a value or a typed
 * failure, never in a defect, and a write is never sent twice. `npm run fuzz:responses` does the same tens of thousands of times.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Random, Redacted } from "effect"
import { HttpClient, type HttpClientRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import { IntentGuard } from "../../src/signing/IntentGuard.ts"
import { History } from "../../src/venue/History.ts"
import { layer as clientLayer } from "../../src/venue/library.ts"
import { Swaps } from "../../src/venue/Swaps.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { defaultPatience, ownAccount, type VenueConfig } from "../../src/venue/VenueConfig.ts"
import { isLong } from "../long.ts"
import { btc, order, quoteRequest, usdc } from "../world/service/clients.ts"
import { start } from "../world/service/play.ts"
import { mutate } from "./mutate.ts"

const rounds = Number(process.env["LIMITBOT_MUTATIONS"] ?? (isLong ? 20 : 8))
const firstSeed = Number(process.env["LIMITBOT_SEED"] ?? 1)
const options = { seed: 7 }

type Ports = Venue | Swaps | History | IntentGuard

/** Everything that the client can do, in an order in which it works; what is learned on the way is kept. */
const scenario = (signerId: string) => {
  const request = quoteRequest(signerId, { deadline: new Date(start + 86_400_000).toISOString() })
  let orderId = ""
  let depositAddress = ""
  let amount = 0n
  const steps: ReadonlyArray<readonly [name: string, endpoint: string, call: Effect.Effect<unknown, unknown, Ports>]> =
    [
      ["tokens", "GET /v0/tokens", Venue.use((venue) => venue.tokens)],
      [
        "dry quote",
        "POST /v0/quote",
        Venue.use((venue) => venue.dryQuote({ originAsset: btc, destinationAsset: usdc, amount: 1_000_000n }))
      ],
      [
        "create order",
        "POST /v0/orders",
        Venue.use((venue) =>
          Effect.map(venue.createOrder(order()), ({ value }) => {
            orderId = value.id
            depositAddress = value.depositAddress
            amount = value.inputAmount
          })
        )
      ],
      [
        "fund",
        "POST /v0/generate-intent",
        Effect.gen(function* () {
          const venue = yield* Venue
          const { value } = yield* venue.generateIntent(depositAddress)
          const signed = yield* (yield* IntentGuard).signTransfer(value, {
            depositAddress,
            depositType: "INTENTS",
            asset: btc,
            amount
          })
          return yield* venue.submitIntent(signed)
        })
      ],
      [
        "submit",
        "POST /v0/submit-intent",
        Venue.use((venue) => venue.submitIntent({ body: "{}", intentHash: "hash", validUntil: start }))
      ],
      ["get order", "GET /v0/orders/{}", Venue.use((venue) => venue.getOrder(orderId))],
      ["list orders", "GET /v0/orders", Venue.use((venue) => venue.listOrders({}))],
      ["cancel order", "POST /v0/orders/{}/cancel", Venue.use((venue) => venue.cancelOrder(orderId))],
      [
        "quote",
        "POST /v0/quote",
        Swaps.use((swaps) =>
          Effect.map(swaps.quote(request), ({ value }) => {
            depositAddress = value.quote.depositAddress ?? ""
          })
        )
      ],
      ["unverified quote", "POST /v0/quote", Swaps.use((swaps) => swaps.quote(request))],
      [
        "deposit",
        "POST /v0/deposit/submit",
        Swaps.use((swaps) => swaps.submitDeposit({ txHash: "tx", depositAddress }))
      ],
      ["status", "GET /v0/status", Swaps.use((swaps) => swaps.status(depositAddress))],
      ["login", "POST /v0/auth/authenticate", Venue.use((venue) => venue.balances)],
      ["balances", "GET /v0/account/balances", Venue.use((venue) => venue.balances)],
      [
        "refresh",
        "POST /v0/auth/refresh",
        Venue.use((venue) =>
          Effect.andThen(Effect.andThen(venue.balances, Effect.sleep("3500 seconds")), venue.balances)
        )
      ],
      ["account history", "GET /v0/account/history", History.use((history) => history.account({}))],
      ["transactions", "GET /api/v0/transactions", History.use((history) => history.transactions({}))],
      ["pages", "GET /api/v0/transactions-pages", History.use((history) => history.transactionPage({ page: 1 }))]
    ]
  return steps
}

const endpointOf = ({ method, url }: HttpClientRequest.HttpClientRequest): string =>
  `${method} ${new URL(url).pathname.replace(/^(\/v0\/orders\/)[^/]+/, "$1{}")}`

/** Runs an effect while virtual time goes on, coarsely. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.exit(effect))
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("10 minutes")
    return yield* Fiber.join(fiber)
  })

/** The sandbox's honest answers by endpoint, each of which the client has understood. */
const record = Effect.gen(function* () {
  const answers = new Map<string, unknown>()
  const connection = yield* SandboxServer.SandboxConnection
  const real = yield* HttpClient.HttpClient
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      const response = yield* real.execute(request)
      const body = yield* Effect.orDie(response.json)
      const isGood = response.status < 300
      if (isGood) answers.set(endpointOf(request), body)
      const text = JSON.stringify(body)
      const answer = HttpServerResponse.text(text, { status: response.status, contentType: "application/json" })
      return HttpServerResponse.toClientResponse(answer, { request })
    })
  )
  const layer = clientLayer(configOf(connection), Redacted.make(connection.account.key)).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
  const steps = scenario(connection.account.signerId)
  const exit = yield* inTime(
    Effect.forEach(
      steps,
      // "submit" repeats what "fund" has done; the sandbox need not take its dummy.
      ([name, , call]) => (name === "submit" ? Effect.void : call),
      { discard: true }
    ).pipe(Effect.provide(layer))
  )
  assert.isTrue(Exit.isSuccess(exit), String(exit))
  return { answers, connection, steps }
}).pipe(Effect.provide(SandboxServer.layerMemory(options)))

const configOf = (connection: SandboxServer.ConnectionRecord, isVerifying = true): VenueConfig["Service"] => ({
  url: connection.url,
  apiKey: Redacted.make(connection.apiKey),
  partnerJwt: Redacted.make(connection.partnerJwt),
  ...(isVerifying ? { quoteKey: connection.quoteKey } : {}),
  ledger: connection.ledger,
  verifier: connection.verifier,
  account: ownAccount(connection.account.signerId, "INTENTS"),
  patience: defaultPatience
})

const statuses = [...Array(20).fill(200), 201, 204, 302, 400, 401, 404, 408, 409, 418, 429, 500, 503]
const writes = ["POST /v0/orders", "POST /v0/orders/{}/cancel", "POST /v0/submit-intent", "POST /v0/deposit/submit"]

describe("damaged answers of the sandbox", () => {
  it.effect(
    `are a value or a typed failure, ${rounds} times each, and writes are sent once`,
    () =>
      Effect.gen(function* () {
        // Before the sandbox starts: its market would have to walk from the beginning of time.
        yield* TestClock.setTime(start)
        const { answers, connection, steps } = yield* record
        const figures = { mutations: 0, values: 0, failures: {} as Record<string, number> }
        for (const [name, endpoint, call] of steps) {
          const good = answers.get(endpoint)
          assert.isDefined(good, endpoint)
          let reply = { body: "", status: 200 }
          let sent = 0
          const client = HttpClient.make((request) =>
            Effect.sync(() => {
              const asked = endpointOf(request)
              const isTarget = asked === endpoint
              if (isTarget) sent += 1
              const { body, status } = isTarget
                ? reply
                : { body: JSON.stringify(answers.get(asked) ?? {}), status: 200 }
              const answer = HttpServerResponse.text(body, { status, contentType: "application/json" })
              return HttpServerResponse.toClientResponse(answer, { request })
            })
          )
          // A signature would hide what the other checks let through.
          const config = configOf(connection, name !== "unverified quote")
          const layer = clientLayer(config, Redacted.make(connection.account.key)).pipe(
            Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
          )
          // One client for all rounds, except where the session must be a new one.
          const built = name === "login" || name === "refresh" ? layer : Layer.succeedContext(yield* Layer.build(layer))
          for (let round = 0; round < rounds; round += 1) {
            const seed = `${firstSeed} ${name} ${round}`
            const damaged = Effect.all({ body: mutate(good), status: Random.choice(statuses) })
            reply = yield* Random.withSeed(damaged, seed)
            sent = 0
            const exit = yield* inTime(Effect.provide(call, built))
            const isTyped = Exit.isSuccess(exit) || !Cause.hasDies(exit.cause)
            assert.isTrue(isTyped, `seed "${seed}": ${reply.status} ${reply.body.slice(0, 500)}: ${String(exit)}`)
            if (writes.includes(endpoint)) assert.isAtMost(sent, 1, `seed "${seed}"`)
            figures.mutations += 1
            if (Exit.isSuccess(exit)) figures.values += 1
            else count(figures.failures, exit)
          }
        }
        process.stdout.write(`damaged answers: ${JSON.stringify(figures)}\n`)
      }),
    { timeout: 600_000 + rounds * 1_000 }
  )
})

/** By the reason that the caller would act on. */
const count = (figures: Record<string, number>, exit: Exit.Exit<unknown, unknown>): void => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  const reason = error instanceof Error && "reason" in error ? error.reason : error
  const tag = typeof reason === "object" && reason !== null && "_tag" in reason ? String(reason._tag) : "other"
  figures[tag] = (figures[tag] ?? 0) + 1
}
