/**
 * One episode with honest faults alone: a whole bot with a strategy of the caller's, over candles of the caller's, against the whole
 * sandbox in virtual time, while requests and answers get lost or come late and the bot is killed at any step. Then the faults stop,
 * the bot withdraws everything, and both books must agree to the unit. `Episode.ts` is the bad world, with what seeds draw; bots and
 * network are the same here and there.
 */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Clock } from "effect/Clock"
import { HttpClient, HttpClientResponse } from "effect/http"
import type { BotEvent, Reason } from "../../src/domain/BotEvent.ts"
import type { Settings } from "../../src/engine/EngineSettings.ts"
import { type PaymentRequest, Wallet, type WalletPort, WalletUnclear } from "../../src/engine/funding/Wallet.ts"
import * as SandboxWallet from "../../src/files/sections/SandboxWallet.ts"
import * as BotProcess from "../../src/rehearsal/world/BotProcess.ts"
import * as Network from "../../src/rehearsal/world/Network.ts"
import { calm } from "../../src/rehearsal/world/Trouble.ts"
import { Domain, randomFrom, runIn, World } from "../../src/rehearsal/world/World.ts"
import { noFaults } from "../../src/sandbox/http/Faults.ts"
import { BooksResponse } from "../../src/sandbox/SandboxApi.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import type { SandboxSettings } from "../../src/sandbox/Settings.ts"
import type { ProfileName } from "../../src/venue/profile/Profiles.ts"
import { chainAccount, ownAccount } from "../../src/venue/VenueConfig.ts"
import * as evidence from "../world/bot/evidence.ts"
import { assets, markets, parse } from "../world/bot/market.ts"
import * as SimulatedBot from "../world/bot/SimulatedBot.ts"

const start = Date.UTC(2026, 0, 1)
const minute = 60_000

const grid = `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.1, quote: 6000 } }
grid: { lower: 59400, upper: 60600, levels: 9, size: { base: 0.005 } }
`

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

  /** Every payload that left the process, by the address it pays: more than one would be a second payment. */
  const submitted = new Map<string, Set<string>>()
  const noteSubmission = (body: string) => {
    const message = JSON.parse(JSON.parse(body).signedData.payload.message)
    const address: string = message.intents[0].receiver_id
    submitted.set(address, (submitted.get(address) ?? new Set()).add(body))
  }
  /** A payment on chain has no nonce: each request that leaves the process is another one. */
  const notePayment = (body: string) => {
    const address: string = JSON.parse(body).depositAddress
    const payments = submitted.get(address) ?? new Set()
    submitted.set(address, payments.add(`payment ${payments.size}`))
  }

  const { faultRate } = episode
  const faults = {
    ...calm,
    requestLost: faultRate * 0.35,
    answerLost: faultRate * 0.35,
    requestLate: faultRate * 0.3,
    lateMillis: minute
  }
  const network = Network.make({
    world,
    seed: episode.seed,
    service,
    servers: new Domain(world, episode.seed),
    trouble: () => (isCalm ? calm : faults),
    fate: (path) =>
      episode.losesAcknowledgements === true && !isCalm && path.endsWith("/v0/submit-intent")
        ? "answerLost"
        : undefined,
    seen: ({ body, fate, method, path }) => {
      if (path.endsWith("/v0/submit-intent")) noteSubmission(body)
      if (path.endsWith("/sandbox/deposit")) notePayment(body)
      trace.update(`${world.now} ${method} ${path} ${fate}\n`)
    }
  })

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
      : Layer.effect(Wallet, Effect.map(Wallet, erring(pays, new Domain(world, episode.seed + 1)))).pipe(
          Layer.provide(honest)
        )

  /** Now and then the operator's kill switch is on for a minute. */
  const withdrawIn = (leaving: Reason | undefined) => (): Reason | undefined => {
    const dice = randomFrom(episode.seed * 1000 + Math.trunc(world.now / minute))()
    const isKilled = episode.kills > 0 && !isCalm && dice < 0.15
    return leaving ?? (isKilled ? { code: "kill-switch", text: "simulated" } : undefined)
  }

  const journalFile = join(folder, "journal.sqlite")
  const incarnation = (until: () => boolean, leaving?: Reason): Exit.Exit<void, unknown> | undefined => {
    const bot = SimulatedBot.start(
      {
        world,
        connection,
        network,
        journalFile,
        markets,
        strategies: () => [strategy],
        withdraw: withdrawIn(leaving),
        pace: { doubtMillis: 10 * minute, ...episode.pace },
        account,
        ...(isOnChain ? { wallet: paying } : {})
      },
      episode.seed + world.steps,
      leaving === undefined ? "killed" : "idle"
    )
    const isDriven = world.drive(() => bot.exit() !== undefined || until())
    if (!isDriven && bot.exit() === undefined)
      throw new Error("deadlock: the bot waits for something outside of the simulation")
    bot.kill()
    return bot.exit()
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
    const onDisk = { world, journalFile }
    const events = BotProcess.withJournal(onDisk, evidence.readAll)
    const result = BotProcess.withJournal(
      onDisk,
      (isOnChain
        ? evidence.checkOnChain(connection.url, onChainSender, pays !== "short")
        : evidence.check(connection.url, signerId)
      ).pipe(Effect.provideService(HttpClient.HttpClient, service))
    )
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
