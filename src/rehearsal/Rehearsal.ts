/**
 * A rehearsal: a bot with its user's own files on its own sandbox, for days of virtual time. Requests get lost, the
 * service goes away, and the bot is killed and suspended. At the end everything is withdrawn without trouble, and
 * both sides' books must agree. Nothing here is real but the program.
 */
import { Clock, Context, Effect, Exit, Layer } from "effect"
import { Clock as ClockReference } from "effect/Clock"
import { HttpClient } from "effect/http"
import type { Reason } from "../domain/BotEvent.ts"
import { dayMillis, hourMillis } from "../domain/Durations.ts"
import * as Ledger from "../domain/Ledger.ts"
import type { Market } from "../domain/Market.ts"
import { replay } from "../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../engine/state/BotState.ts"
import type { SandboxAsset } from "../sandbox/core/Settings.ts"
import type { State } from "../sandbox/core/State.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as SandboxServer from "../sandbox/SandboxServer.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import type { LedgerName } from "../venue/wire/WireValue.ts"
import * as BookCheck from "./BookCheck.ts"
import * as BotProcess from "./BotProcess.ts"
import * as Network from "./Network.ts"
import * as Record from "./Record.ts"
import { calm, levels, type TroubleLevel } from "./Trouble.ts"
import { Domain, randomFrom, World } from "./World.ts"

export interface RehearsalOptions {
  readonly strategies: ReadonlyArray<Strategy>
  readonly markets: ReadonlyMap<string, Market>
  readonly ledger: LedgerName
  readonly assets: ReadonlyArray<SandboxAsset>
  readonly candles: string | undefined
  readonly candlesSymbol: string
  readonly seed: number
  readonly days: number
  readonly level: TroubleLevel
  readonly journalFile: string
  /** How often the bot looks; default: seldom, because days are rehearsed in minutes. */
  readonly pace?: { readonly pollMinMillis: number; readonly pollMaxMillis: number }
  /** Called now and then with the finished share, from 0 to 1. */
  readonly progress: (share: number) => Effect.Effect<void>
}

const startedAt = 1_767_225_600_000
const leaving: Reason = { code: "leaving", text: "The rehearsal ends" }
/** Less often than at a real service. */
const seldom = { pollMinMillis: 5_000, pollMaxMillis: 60_000 }
const valueEveryMillis = 300_000
const stepsAtOnce = 500
/** Time for the last orders to be withdrawn. */
const restMillis = 2 * hourMillis

export const run = Effect.fn("Rehearsal.run")(function* (options: RehearsalOptions) {
  const begunAt = yield* Clock.currentTimeMillis
  const world = new World(startedAt)
  const { servers, service, venue, connection } = yield* openSandbox(options, world)
  const record = Record.make(startedAt)
  const trouble = levels[options.level]
  const random = randomFrom(options.seed + 3)
  const endsAt = startedAt + options.days * dayMillis
  let isCalm = false
  const network = Network.make({
    world,
    seed: options.seed,
    service,
    servers,
    trouble: () => (isCalm ? calm : trouble),
    seen: ({ fate }) => record.requested(fate)
  })
  const bot: BotProcess.BotOptions = {
    world,
    connection,
    network,
    journalFile: options.journalFile,
    markets: options.markets,
    strategies: () => options.strategies,
    withdraw: () => (isCalm ? leaving : undefined),
    pace: options.pace ?? seldom,
    disk: (journal) => ({
      ...journal,
      append: (events) =>
        Effect.tap(journal.append(events), () =>
          Effect.sync(() => {
            for (const event of events) record.recorded(event, world.now)
          })
        )
    })
  }
  let starts = 0
  const start = (until: "idle" | "killed") => {
    starts += 1
    return BotProcess.start(bot, options.seed * 1_000 + starts, until)
  }
  /** Accident times are exponential: half come clearly sooner than the mean, some much later. */
  const after = (everyMillis: number) =>
    everyMillis === 0 ? Number.POSITIVE_INFINITY : world.now - Math.log(1 - random()) * everyMillis

  /** Runs the world up to a moment, or until the bot ends, and lets others run in between. */
  const driveTo = Effect.fnUntraced(function* (running: BotProcess.BotProcess, until: number) {
    while (world.now < until && running.exit() === undefined) {
      const stopAt = world.steps + stepsAtOnce
      const isAlive = world.drive(() => world.steps >= stopAt || world.now >= until || running.exit() !== undefined)
      if (!isAlive) return
      yield* options.progress(Math.min(1, (world.now - startedAt) / (endsAt - startedAt)))
      yield* Effect.yieldNow
    }
  })

  let current = start("killed")
  let ended: string | undefined
  let crashAt = after(trouble.crashEveryMillis)
  let suspendAt = after(trouble.suspendEveryMillis)
  let valueAt = startedAt
  while (world.now < endsAt && ended === undefined) {
    yield* driveTo(current, Math.min(endsAt, crashAt, suspendAt, valueAt))
    const exit = current.exit()
    if (exit !== undefined) ended = Exit.isFailure(exit) ? String(exit.cause) : "it ended by itself"
    if (world.now >= valueAt) {
      const inside = current.inside()
      if (inside !== undefined) record.valued(worthOf(inside.state, venue, world.now), world.now)
      valueAt = world.now + valueEveryMillis
    }
    if (world.now >= suspendAt) {
      record.happened("suspension")
      current.domain.suspend(random() * trouble.suspendMillis)
      suspendAt = after(trouble.suspendEveryMillis)
    }
    if (world.now >= crashAt) {
      record.happened("crash")
      current.kill()
      world.now = Math.ceil(world.now + random() * trouble.downMillis)
      current = start("killed")
      crashAt = after(trouble.crashEveryMillis)
    }
  }
  current.kill()
  isCalm = true
  const last = start("idle")
  yield* driveTo(last, world.now + restMillis)
  const isAtRest = last.exit() !== undefined
  last.kill()
  const state = BotProcess.withJournal(bot, replay)
  const now = yield* Clock.currentTimeMillis
  return {
    ...record.result(world.now),
    fills: state.fills,
    stillOpen: unfinished(state).length,
    ended,
    isAtRest,
    differences: isAtRest ? BookCheck.differences(venue, connection.account.signerId, [state]) : [],
    virtualMillis: world.now - startedAt,
    realMillis: now - begunAt
  }
})

export type RehearsalOutcome = Effect.Success<ReturnType<typeof run>>

const openSandbox = Effect.fnUntraced(function* (options: RehearsalOptions, world: World) {
  const { assets, candles, candlesSymbol, ledger, seed } = options
  const servers = new Domain(world, seed)
  const server = yield* Layer.build(
    SandboxServer.layerMemory({ seed, ledger, candles, candlesSymbol, settings: { assets, stepMillis: 1_000 } })
  ).pipe(Effect.provideService(ClockReference, servers.clock))
  const venue = yield* Context.get(server, Sandbox)
    .read((state) => state)
    .pipe(
      Effect.provideService(ClockReference, servers.clock),
      Effect.catch(({ code }) => Effect.die(new Error(`The sandbox of the rehearsal refuses to be looked at: ${code}`)))
    )
  return {
    servers,
    venue,
    service: Context.get(server, HttpClient.HttpClient),
    connection: Context.get(server, SandboxServer.SandboxConnection)
  }
})

/** Everything that the strategies own, wherever it is, in dollars of the market. */
const worthOf = ({ ledger, strategies }: BotState, venue: State, at: number): number => {
  let usd = 0
  for (const asset of venue.settings.assets) {
    for (const name of strategies.keys()) {
      const owned = Ledger.ownedBy(ledger, name, asset.symbol)
      if (owned !== 0n) usd += (Number(owned) / 10 ** asset.decimals) * venue.model.usd(asset, at)
    }
  }
  return usd
}
