/**
 * Runs a bot with its user's own files on its own sandbox for days of virtual time. Requests get lost, the service goes away, and the bot
 * is killed and suspended. At the end all orders are cancelled on a faultless network, and both sides' books must agree.
 */
import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { Clock as ClockReference } from "effect/Clock"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { SqlClient } from "effect/sql"
import * as Decimal from "../../domain/Decimal.ts"
import { dayMillis, hourMillis } from "../../domain/Durations.ts"
import * as Ledger from "../../domain/Ledger.ts"
import type { Market } from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import { type PaymentRequest, Wallet, type WalletPort, WalletUnclear } from "../../engine/funding/Wallet.ts"
import type { FindingName } from "../../engine/planning/ahead/PlanFindings.ts"
import { replay } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { overdueIn } from "../../engine/tracking/Overdue.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import { Journal } from "../../journal/Journal.ts"
import type { PriceStore } from "../../journal/PriceStore.ts"
import type * as Layers from "../../Layers.ts"
import type { State } from "../../sandbox/core/State.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import * as SandboxServer from "../../sandbox/SandboxServer.ts"
import type { SandboxAsset } from "../../sandbox/Settings.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as BookCheck from "./BookCheck.ts"
import * as BotProcess from "./BotProcess.ts"
import * as Network from "./Network.ts"
import * as Record from "./Record.ts"
import { calm, levels, type TroubleLevel } from "./Trouble.ts"
import { Domain, randomFrom, World } from "./World.ts"

export interface RehearsalWish {
  readonly settings: BotSettings
  readonly strategies: ReadonlyArray<Strategy>
  readonly allow: ReadonlyArray<FindingName>
  readonly assets: ReadonlyArray<SandboxAsset>
  readonly candles: string | undefined
  readonly candlesSymbol: string
  readonly seed: number
  readonly days: number
  readonly level: TroubleLevel
  readonly folder: string
  /** The polling pace; default: slow, because days are rehearsed in minutes. */
  readonly pace?: Layers.Pace
  /** Called from time to time with the finished share, from 0 to 1. */
  readonly progress: (share: number) => Effect.Effect<void>
}

export interface Stage {
  readonly startedAt: number
  readonly journalFile: string
  readonly connection: SandboxServer.ConnectionRecord
  readonly network: HttpClient.HttpClient
  readonly mid: (market: Market) => number
  readonly payer: Layer.Layer<never>
}

type Files = Journal | PriceStore | SqlClient.SqlClient

export interface Actor {
  readonly files: Layer.Layer<Files, unknown>
  /** `isLast`: it cancels everything and ends. `seen` gets its state once it has started. */
  readonly program: (isLast: boolean, seen: (state: BotState) => void) => Effect.Effect<void, unknown, Files>
}

const startedAt = 1_767_225_600_000
const valueEveryMillis = 60_000
const stepsAtOnce = 500
const restMillis = 2 * hourMillis

export const run = Effect.fn("Rehearsal.run")(function* (wish: RehearsalWish, actorOf: (stage: Stage) => Actor) {
  const begunAt = yield* Clock.currentTimeMillis
  const journalFile = `${wish.folder}/journal.sqlite`
  const theatre = yield* open(wish, journalFile, actorOf)
  const { connection, record, start, venue, world } = theatre
  const endsAt = startedAt + wish.days * dayMillis
  const driveTo = driving(world, (now) => wish.progress(Math.min(1, (now - startedAt) / (endsAt - startedAt))))
  const ended = yield* untilTheEnd(wish, theatre, driveTo, endsAt)
  theatre.calmDown()
  const last = start(true)
  yield* driveTo(last, world.now + restMillis)
  const isAtRest = last.exit() !== undefined
  last.kill()
  const state = BotProcess.withJournal({ journalFile, world }, replay)
  const terms = { placeOf: placeIn(wish.settings) }
  const now = yield* Clock.currentTimeMillis
  return {
    ...record.result(world.now),
    fills: state.fills,
    stillOpen: unfinished(state).length,
    ended,
    isAtRest,
    differences: isAtRest ? BookCheck.differences(venue, connection.account.signerId, [state], terms) : [],
    virtualMillis: world.now - startedAt,
    realMillis: now - begunAt
  }
})

const placeIn =
  ({ account }: BotSettings): BookCheck.PlaceOf =>
  (id) => {
    const kind = depositTypeOf(account, { id })
    return kind === "INTENTS" ? "balance" : kind === "CONFIDENTIAL_INTENTS" ? "private" : "external"
  }

const open = Effect.fnUntraced(function* (wish: RehearsalWish, journalFile: string, actorOf: (stage: Stage) => Actor) {
  const { level, seed, settings } = wish
  const { wallet } = settings.account
  const world = new World(startedAt)
  const { servers, service, venue, connection } = yield* openSandbox(wish, world)
  const record = Record.make(startedAt)
  let trouble = levels[level]
  const network = Network.make({
    world,
    seed,
    service,
    servers,
    trouble: () => trouble,
    seen: ({ fate }) => record.requested(fate),
    rewrite: respelled(settings.venue.assetSpellings)
  })
  const actor = actorOf({
    startedAt,
    journalFile,
    connection,
    network,
    mid: ({ base, quote }) => venue.model.mid(base, quote, startedAt),
    payer: walletLayer({
      kind: wallet === undefined || "manual" in wallet ? "manual" : "command",
      service,
      url: connection.url,
      outside: new Domain(world, seed + 11),
      random: randomFrom(seed + 13)
    })
  })
  const noted = (journal: Journal["Service"]): Journal["Service"] => ({
    ...journal,
    append: (events) =>
      Effect.tap(journal.append(events), () =>
        Effect.sync(() => {
          for (const event of events) record.recorded(event, world.now)
        })
      )
  })
  const files = Layer.effect(Journal, Effect.map(Journal, noted)).pipe(Layer.provideMerge(actor.files))
  let starts = 0
  let memory: BotState | undefined
  const start = (isLast: boolean) => {
    starts += 1
    memory = undefined
    const program = actor.program(isLast, (state) => {
      memory = state
    })
    return BotProcess.launch({ world, seed: seed * 1_000 + starts, files, program })
  }
  const calmDown = () => {
    trouble = calm
  }
  return { calmDown, connection, memory: () => memory, record, start, venue, world } as const
})

const driving = (world: World, progress: (now: number) => Effect.Effect<void>) =>
  Effect.fnUntraced(function* (running: BotProcess.Launched, until: number) {
    while (world.now < until && running.exit() === undefined) {
      const stopAt = world.steps + stepsAtOnce
      const isAlive = world.drive(() => world.steps >= stopAt || world.now >= until || running.exit() !== undefined)
      if (!isAlive) return
      yield* progress(world.now)
      yield* Effect.yieldNow
    }
  })

const untilTheEnd = Effect.fnUntraced(function* (
  { level, seed, settings: { stuckAfter } }: RehearsalWish,
  { memory, record, start, venue, world }: Effect.Success<ReturnType<typeof open>>,
  driveTo: ReturnType<typeof driving>,
  endsAt: number
) {
  const random = randomFrom(seed + 3)
  const { crashEveryMillis, downMillis, suspendEveryMillis, suspendMillis } = levels[level]
  /** Accident times are exponential: half come clearly sooner than the mean, some much later. */
  const after = (everyMillis: number) =>
    everyMillis === 0 ? Number.POSITIVE_INFINITY : world.now - Math.log(1 - random()) * everyMillis
  let current = start(false)
  let ended: Cause.Cause<unknown> | undefined
  let crashAt = after(crashEveryMillis)
  let suspendAt = after(suspendEveryMillis)
  let valueAt = startedAt
  while (world.now < endsAt && ended === undefined) {
    yield* driveTo(current, Math.min(endsAt, crashAt, suspendAt, valueAt))
    const exit = current.exit()
    if (exit !== undefined) ended = Exit.isFailure(exit) ? exit.cause : Cause.die("it ended by itself")
    if (world.now >= valueAt) {
      const state = memory()
      if (state !== undefined) {
        record.valued(worthOf(state, venue, world.now), world.now)
        record.stuck(overdueIn(state, stuckAfter, world.now), world.now)
      }
      valueAt = world.now + valueEveryMillis
    }
    if (world.now >= suspendAt) {
      record.happened("suspension")
      current.domain.suspend(random() * suspendMillis)
      suspendAt = after(suspendEveryMillis)
    }
    if (world.now >= crashAt) {
      record.happened("crash")
      current.kill()
      world.now = Math.ceil(world.now + random() * downMillis)
      current = start(false)
      crashAt = after(crashEveryMillis)
    }
  }
  current.kill()
  return ended
})

const openSandbox = Effect.fnUntraced(function* (
  { assets, candles, candlesSymbol, seed, settings: { venue: config } }: RehearsalWish,
  world: World
) {
  const servers = new Domain(world, seed)
  const minimum = config.minOrderUsd === undefined ? {} : { minOrderUsd: Decimal.toNumber(config.minOrderUsd) }
  const settings = { stepMillis: 1_000, assets, verifier: config.verifier, facts: config.facts, ...minimum }
  const options = { ledger: config.ledger, candles, candlesSymbol, seed, settings }
  const server = yield* Layer.build(SandboxServer.layerMemory(options)).pipe(
    Effect.provideService(ClockReference, servers.clock)
  )
  const venue = yield* Context.get(server, Sandbox)
    .read((state) => state)
    .pipe(
      Effect.provideService(ClockReference, servers.clock),
      Effect.catch(({ code }) => Effect.die(new Error(`The rehearsal's sandbox refuses to be read: ${code}`)))
    )
  const service = Context.get(server, HttpClient.HttpClient)
  return { servers, venue, service, connection: Context.get(server, SandboxServer.SandboxConnection) }
})

/** Every second answer about orders, balances and tokens names assets by their other spellings, as the configuration allows. */
const respelled = (spellings: ReadonlyMap<string, string>) => {
  let answers = 0
  return ({ path }: Network.Departure, { status, text }: Network.HttpAnswer): Network.HttpAnswer | undefined => {
    if (spellings.size === 0 || !/^\/v0\/(orders|account|tokens)/.test(path)) return undefined
    answers += 1
    if (answers % 2 === 0) return undefined
    const body = [...spellings].reduce(
      (made, [alias, id]) => made.replaceAll(JSON.stringify(id), JSON.stringify(alias)),
      text
    )
    return { status, text: body }
  }
}

const worthOf = ({ ledger, strategies }: BotState, venue: State, at: number): number => {
  let usd = 0
  for (const asset of venue.settings.assets) {
    for (const name of strategies.keys()) {
      const amount = Ledger.ownedBy(ledger, name, asset.symbol)
      if (amount !== 0n) usd += (Number(amount) / 10 ** asset.decimals) * venue.model.usd(asset, at)
    }
  }
  return usd
}

/** Pays deposits on other chains, even if the bot has ended. A program pays in seconds and reports it; a person in minutes, unreported. */
interface Payer {
  readonly kind: WalletPort["kind"]
  readonly url: string
  readonly service: HttpClient.HttpClient
  readonly outside: Domain
  readonly random: () => number
}

const takesMillis = { command: [1_000, 10_000], manual: [60_000, 600_000] } as const
const sender = "rehearsal-wallet"

const walletLayer = ({ kind, outside, random, service, url }: Payer): Layer.Layer<never> => {
  const deposit = ({ amount, asset, depositAddress, depositMemo }: PaymentRequest) => {
    const memo = depositMemo === undefined ? {} : { memo: depositMemo }
    const body = { depositAddress, ...memo, asset: asset.id, amount: String(amount), sender }
    return service
      .execute(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${url}/sandbox/deposit`), body))
      .pipe(
        Effect.flatMap((response) => response.json),
        Effect.map(hashIn)
      )
  }

  const startPayment = (payment: PaymentRequest) => {
    const [least, most] = takesMillis[kind]
    const paying = Effect.andThen(Effect.sleep(least + Math.ceil(random() * (most - least))), deposit(payment))
    return outside.fork(paying)
  }

  const pay = Effect.fn("SimulatedWallet.pay")(function* (payment: PaymentRequest) {
    const paying = startPayment(payment)
    if (kind === "manual") return { txHash: undefined, sender: undefined }
    const txHash = yield* Effect.callback<string | undefined, WalletUnclear>((resume) => {
      paying.addObserver((exit) =>
        resume(
          Exit.isSuccess(exit) ? Effect.succeed(exit.value) : Effect.fail(new WalletUnclear({ text: "no answer" }))
        )
      )
    })
    return { txHash, sender }
  })

  return Layer.succeed(Wallet, { kind, pay })
}

const hashIn = (answer: unknown): string | undefined =>
  typeof answer === "object" && answer !== null && "txHash" in answer ? String(answer.txHash) : undefined
