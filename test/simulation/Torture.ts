/**
 * One episode: the whole bot against the whole sandbox, over the real HTTP encoding, in virtual time, while requests and
 * answers get lost, come late, are refused, and the bot is killed at any step. Then the faults stop, the bot withdraws
 * everything, and both books must agree to the unit.
 */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Exit, Layer, Redacted, Result, Scope } from "effect"
import { Clock } from "effect/Clock"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import type { BotEvent, Reason } from "../../src/domain/BotEvent.ts"
import { present } from "../../src/domain/Present.ts"
import * as Engine from "../../src/engine/Engine.ts"
import { defaults, EngineSettings, type Settings } from "../../src/engine/EngineSettings.ts"
import { type PaymentRequest, Wallet, type WalletPort, WalletUnclear } from "../../src/engine/funding/Wallet.ts"
import * as StartUp from "../../src/engine/StartUp.ts"
import { Bookkeeper } from "../../src/engine/state/Bookkeeper.ts"
import * as SandboxWallet from "../../src/files/sections/SandboxWallet.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { PriceStore } from "../../src/journal/PriceStore.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import { marketsByName } from "../../src/Layers.ts"
import { OrderBook } from "../../src/orderbook/OrderBook.ts"
import * as SandboxSigner from "../../src/rehearsal/SandboxSigner.ts"
import { Domain, randomFrom, runIn, World } from "../../src/rehearsal/World.ts"
import { noFaults } from "../../src/sandbox/http/Faults.ts"
import { answeredBy } from "../../src/sandbox/http/memoryClient.ts"
import { BooksResponse } from "../../src/sandbox/SandboxApi.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import type { SandboxSettings } from "../../src/sandbox/Settings.ts"
import { render } from "../../src/strategy/Problem.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import { layerSignedBy } from "../../src/venue/library.ts"
import type { ProfileName } from "../../src/venue/profile/Profiles.ts"
import { chainAccount, defaultPatience, ownAccount, type VenueConfig } from "../../src/venue/VenueConfig.ts"
import * as evidence from "../e2e/evidence.ts"

const start = Date.UTC(2026, 0, 1)
const minute = 60_000

const assets = [
  { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
] as const
const markets = marketsByName({ assets, ticks: new Map() })

const grid = `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.1, quote: 6000 } }
grid: { lower: 59400, upper: 60600, levels: 9, size: { base: 0.005 } }
`

const parse = (text: string) => {
  const read = StrategyFile.parse(text, "strategy.yaml", { assets, ticks: new Map() })
  if (Result.isFailure(read)) throw new Error(read.failure.map((problem) => render(problem, text)).join("\n"))
  return read.success
}

export interface Episode {
  readonly seed: number
  /** How long things go wrong, virtual milliseconds. */
  readonly chaosMillis: number
  /** Share of requests that something happens to. */
  readonly faultRate: number
  readonly kills: number
  /** Orders are funded by a wallet on another chain, or from private balances, instead of by plain signed intents. */
  readonly deposits?: "ORIGIN_CHAIN" | "CONFIDENTIAL_INTENTS"
  /** How the wallet on another chain pays when it does not do as it is asked. */
  readonly pays?: Deviation
  /** The deployment whose facts service and bot go by; those of the interface document when left out. */
  readonly like?: ProfileName
  /** YAML of the strategy; a grid when left out. */
  readonly strategy?: string
  readonly candles?: string
  readonly speed?: number
  /** What differs from the sandbox's and the engine's defaults. */
  readonly sandbox?: Partial<SandboxSettings>
  readonly pace?: Partial<Settings>
  /** While things go wrong, no answer to a submitted payload ever arrives. */
  readonly losesAcknowledgements?: boolean
  /** By symbol: the most that may have left the account when the faults stop, smallest units. */
  readonly budget?: Readonly<Record<string, number>>
}

const onChainSender = "sender-address"

export type Deviation = "short" | "excess" | "late" | "wrong memo"

const shortBy = 7n
const lateByMillis = minute

/** A wallet that errs in one way with each payment; one that is late outlives the bot that asked it. */
const erring = (deviation: Deviation, outside: Domain) => (wallet: WalletPort) => ({
  ...wallet,
  pay: (payment: PaymentRequest) => {
    if (deviation === "short") return wallet.pay({ ...payment, amount: payment.amount - shortBy })
    if (deviation === "excess") return wallet.pay({ ...payment, amount: payment.amount + shortBy })
    if (deviation === "wrong memo") return wallet.pay({ ...payment, depositMemo: "7" })
    outside.fork(Effect.andThen(Effect.sleep(lateByMillis), wallet.pay(payment)))
    return Effect.fail(new WalletUnclear({ text: "it takes its time" }))
  }
})

/** What happens to one request between the bot and the sandbox. */
type Fate = "delivered" | "request lost" | "answer lost" | "slow"

export const run = async (episode: Episode) => {
  const world = new World(start)
  const random = randomFrom(episode.seed)
  const folder = mkdtempSync(join(tmpdir(), "limitbot-simulation-"))
  let isCalm = false
  const strategy = parse(episode.strategy ?? grid)
  const trace = createHash("sha256")

  // Only reading a candle file needs the outside; from here on nothing does.
  const sandbox = await Effect.runPromise(
    Effect.flatMap(Scope.make(), (scope) =>
      Layer.buildWithScope(
        SandboxServer.layerMemory({
          seed: episode.seed,
          like: episode.like,
          ledger: "native",
          speed: episode.speed ?? 60,
          candles: episode.candles,
          settings: episode.sandbox,
          faults: {
            ...noFaults,
            duplicateCreate: episode.faultRate / 3,
            listLagMillis: episode.faultRate > 0 ? 1500 : 0
          }
        }),
        scope
      )
    ).pipe(Effect.provideService(Clock, new Domain(world, 0).clock))
  )
  const service = Context.get(sandbox, HttpClient.HttpClient)
  const connection = Context.get(sandbox, SandboxServer.SandboxConnection)
  const sandboxDomain = new Domain(world, episode.seed)

  const fateOf = (): Fate => {
    if (isCalm || random() >= episode.faultRate) return "delivered"
    const kind = random()
    return kind < 0.35 ? "request lost" : kind < 0.7 ? "answer lost" : "slow"
  }

  const lost = (request: HttpClientRequest.HttpClientRequest) =>
    new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })

  /** Every payload that left the process, by the address it pays: more than one would be a second payment. */
  const submitted = new Map<string, Set<string>>()
  const noteSubmission = ({ body }: HttpClientRequest.HttpClientRequest) => {
    if (body._tag !== "Uint8Array") throw new Error("a payload was not sent as bytes")
    const text = new TextDecoder().decode(body.body)
    const message = JSON.parse(JSON.parse(text).signedData.payload.message)
    const address: string = message.intents[0].receiver_id
    submitted.set(address, (submitted.get(address) ?? new Set()).add(text))
  }
  /** A payment on chain has no nonce: each request that leaves the process is another one. */
  const notePayment = ({ body }: HttpClientRequest.HttpClientRequest) => {
    if (body._tag !== "Uint8Array") throw new Error("a payment was not sent as bytes")
    const address: string = JSON.parse(new TextDecoder().decode(body.body)).depositAddress
    const payments = submitted.get(address) ?? new Set()
    submitted.set(address, payments.add(`payment ${payments.size}`))
  }

  /** The network: the service works in its own process, whatever happens to whoever asked. */
  const client = answeredBy((request) =>
    Effect.gen(function* () {
      const isMuted = episode.losesAcknowledgements === true && !isCalm && request.url.endsWith("/v0/submit-intent")
      const fate = isMuted ? "answer lost" : fateOf()
      if (request.url.endsWith("/v0/submit-intent")) noteSubmission(request)
      if (request.url.endsWith("/sandbox/deposit")) notePayment(request)
      trace.update(`${world.now} ${request.method} ${request.url} ${fate}\n`)
      yield* Effect.sleep(Math.ceil(random() * 20))
      if (fate === "request lost") return yield* lost(request)
      // A slow request arrives even when nobody waits for its answer any more.
      const delay = fate === "slow" ? Math.ceil(random() * 60_000) : 0
      const served = Effect.andThen(Effect.sleep(delay), service.execute(request))
      const answer = yield* Effect.callback<Effect.Success<typeof served>, HttpClientError.HttpClientError>(
        (resume) => {
          sandboxDomain.fork(served).addObserver((exit) => resume(exit))
        }
      )
      yield* Effect.sleep(Math.ceil(random() * 20))
      if (fate === "answer lost") return yield* lost(request)
      return answer
    })
  )

  const isOnChain = episode.deposits === "ORIGIN_CHAIN"
  const addresses = new Map(assets.map(({ id, symbol }) => [id, `${symbol}-address`]))
  const ownAddresses = { recipients: addresses, refundTo: addresses }
  const { signerId } = connection.account
  const kind = episode.deposits ?? "INTENTS"
  const account = kind === "ORIGIN_CHAIN" ? chainAccount(signerId, ownAddresses) : ownAccount(signerId, kind)
  const { pays } = episode
  const honest = SandboxWallet.layer(connection.url, onChainSender)
  const paying =
    pays === undefined
      ? honest
      : Layer.effect(Wallet, Effect.map(Wallet, erring(pays, sandboxDomain))).pipe(Layer.provide(honest))
  const wallet = isOnChain ? paying : Layer.empty

  const config: VenueConfig["Service"] = {
    url: connection.url,
    ledger: "native",
    verifier: connection.verifier,
    ...present({ facts: connection.facts }),
    apiKey: Redacted.make(connection.apiKey),
    account,
    patience: defaultPatience
  }
  const services = (journal: Context.Context<Journal | PriceStore>) =>
    Layer.merge(
      wallet,
      Layer.provideMerge(OrderBook.layer, layerSignedBy(config, SandboxSigner.layer(connection)))
    ).pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
      Layer.merge(Bookkeeper.layer.pipe(Layer.provideMerge(Layer.succeedContext(journal)))),
      Layer.merge(
        Layer.succeed(EngineSettings, {
          ...defaults,
          doubtMillis: 10 * minute,
          ...episode.pace,
          account: { signerId, depositType: account.depositType, addresses: ownAddresses, maxAppFeeBasisPoints: 100 }
        })
      )
    )

  /** Now and then the operator's kill switch is on for a minute. */
  const withdrawIn = (leaving: Reason | undefined) =>
    Effect.sync((): Reason | undefined => {
      const dice = randomFrom(episode.seed * 1000 + Math.trunc(world.now / minute))()
      return (
        leaving ??
        (episode.kills > 0 && !isCalm && dice < 0.15 ? { code: "kill-switch", text: "simulated" } : undefined)
      )
    })

  const bot = (journal: Context.Context<Journal | PriceStore>, withdraw: Reason | undefined) =>
    Effect.gen(function* () {
      yield* StartUp.record(
        { pid: 1, boot: "one", version: "0", mode: "simulation", account: signerId, venue: connection.url },
        [strategy]
      )
      const engine = yield* Engine.make({
        strategies: [strategy],
        markets,
        withdraw: withdrawIn(withdraw)
      })
      yield* engine.runUntil(Effect.never, withdraw === undefined ? () => false : engine.isIdle)
    }).pipe(Effect.provide(services(journal)), Effect.scoped)

  /** The disk outlives the process: its handle is closed from outside, as the operating system does. */
  const openJournal = () => {
    const scope = runIn(world, Scope.make())
    const layer = PriceStore.layer.pipe(
      Layer.provideMerge(Journal.layer),
      Layer.provide(Sqlite.layer({ filename: join(folder, "journal.sqlite") }))
    )
    const journal = runIn(world, Layer.buildWithScope(layer, scope))
    return { journal, close: () => runIn(world, Scope.close(scope, Exit.void)) }
  }

  const incarnation = (
    until: (hasEnded: () => boolean) => boolean,
    withdraw?: Reason
  ): Exit.Exit<void, unknown> | undefined => {
    const { journal, close } = openJournal()
    const domain = new Domain(world, episode.seed + world.steps)
    let exit: Exit.Exit<void, unknown> | undefined
    domain.fork(bot(journal, withdraw)).addObserver((ended) => {
      exit = ended
    })
    const hasEnded = () => exit !== undefined
    const isDriven = world.drive(() => hasEnded() || until(hasEnded))
    if (!isDriven && !hasEnded()) throw new Error("deadlock: the bot waits for something outside of the simulation")
    domain.kill()
    close()
    return exit
  }

  /** What the account has less than at the start, by the sandbox's own books. */
  const spentNow = (): Readonly<Record<string, bigint>> => {
    const asking = HttpClient.get(`${connection.url}/sandbox/books`).pipe(
      Effect.flatMap(HttpClientResponse.schemaBodyJson(BooksResponse)),
      Effect.provideService(HttpClient.HttpClient, service)
    )
    const places = runIn(world, asking).accounts[signerId] ?? {}
    const left = Object.entries(places).map(([symbol, of]) => {
      const has = BigInt(of["balance"] ?? "0") + BigInt(of["private"] ?? "0")
      return [symbol, BigInt(of["initial"] ?? "0") - has] as const
    })
    return Object.fromEntries(left)
  }

  try {
    const chaosEnds = world.now + episode.chaosMillis
    for (let killed = 0; killed < episode.kills && world.now < chaosEnds; killed += 1) {
      const killAt = world.steps + 5 + Math.trunc(random() ** 2 * 500)
      const exit = incarnation(() => world.steps >= killAt || world.now >= chaosEnds)
      if (exit !== undefined) throw new Error(`the bot ended by itself: ${exit}`)
      world.now += Math.trunc(random() * 5_000)
    }
    incarnation(() => world.now >= chaosEnds)
    const spent = spentNow()
    for (const [symbol, most] of Object.entries(episode.budget ?? {})) {
      if ((spent[symbol] ?? 0n) > most)
        throw new Error(`${spent[symbol]} ${symbol} left the account, the budget is ${most}`)
    }
    isCalm = true
    const deadline = world.now + 30 * minute
    const exit = incarnation(() => world.now > deadline, { code: "leaving", text: "the episode ends" })
    if (exit === undefined) throw new Error("the bot did not come to rest within 30 minutes after the faults stopped")
    if (Exit.isFailure(exit)) throw new Error(`the bot failed: ${exit}`)
    for (const [address, payloads] of submitted) {
      if (payloads.size > 1) throw new Error(`${payloads.size} different payloads were sent to pay ${address}`)
    }
    const { journal, close } = openJournal()
    const events = runIn(world, Effect.provideContext(evidence.readAll, journal))
    const result = runIn(
      world,
      (isOnChain
        ? evidence.checkOnChain(connection.url, onChainSender, pays !== "short")
        : evidence.check(connection.url, connection.account.signerId)
      ).pipe(Effect.provideContext(journal), Effect.provideService(HttpClient.HttpClient, service))
    )
    close()
    const fills = events.flatMap(({ event }) =>
      event._tag === "FillSeen" && event.filledAt <= chaosEnds ? [{ ...event, filledAt: event.filledAt - start }] : []
    )
    const isSwap = new Set(
      events.flatMap(({ event }) => (event._tag === "Planned" && event.by === "swap" ? [event.placement] : []))
    )
    const ofSwaps = (tag: BotEvent["_tag"]) =>
      events.filter(({ event }) => event._tag === tag && "placement" in event && isSwap.has(event.placement)).length
    /** Of payouts and refunds while it ran. */
    const fees = events.flatMap(({ at, event }) =>
      (event._tag === "PaidOut" || event._tag === "Refunded") && at <= chaosEnds
        ? [{ asset: event.asset, fee: event.fee }]
        : []
    )
    return {
      ...result,
      seen: fills,
      /** What had left the account when the faults stopped, by symbol. */
      spent,
      fees,
      swaps: { funded: ofSwaps("FundingSigned"), filled: ofSwaps("PaidOut"), refunded: ofSwaps("Refunded") },
      /** Payments of which nobody knows whether they were made. */
      lost: events.filter(({ event }) => event._tag === "FundingInDoubt").length,
      steps: world.steps,
      trace: trace.digest("hex"),
      virtualMinutes: (world.now - start) / minute
    }
  } catch (cause) {
    throw new Error(`simulation failed: ${JSON.stringify(episode)}`, { cause })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
