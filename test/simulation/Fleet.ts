/**
 * An account of a fleet whose owners change: whole bots on one journal behind a fence and one sandbox, in virtual time. Who places
 * accounts errs on purpose: it believes an owner dead that is frozen, or cannot reach the journal, or only works slowly, and starts
 * another one, so that two believe to own the account for up to a minute. In a quarter of the episodes the database itself goes on
 * elsewhere, from a copy without the newest records. The oracle judges as if they were one bot.
 */
import { Effect, Exit, Layer, Result, Scope } from "effect"
import { HttpClient } from "effect/http"
import type { BotEvent, Reason } from "../../src/domain/BotEvent.ts"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import * as EventText from "../../src/journal/EventText.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { PriceStore } from "../../src/journal/PriceStore.ts"
import * as BookCheck from "../../src/rehearsal/world/BookCheck.ts"
import * as Network from "../../src/rehearsal/world/Network.ts"
import { calm } from "../../src/rehearsal/world/Trouble.ts"
import { randomFrom, runIn, World } from "../../src/rehearsal/world/World.ts"
import type { State } from "../../src/sandbox/core/State.ts"
import { budgets } from "../../src/strategy/Strategy.ts"
import { type Fence, MemoryJournals } from "../world/bot/MemoryJournals.ts"
import { markets, parse } from "../world/bot/market.ts"
import * as SimulatedBot from "../world/bot/SimulatedBot.ts"
import * as Oracle from "./Oracle.ts"
import { Violation } from "./oracle/Judge.ts"
import { draw, type Feature, fileOf } from "./Plan.ts"
import { serverOf } from "./server.ts"

export interface FleetOptions {
  readonly seed: number
  readonly minutes?: number
  readonly fence?: Fence
}

/** What is said of an owner when it is replaced. */
const fates = ["frozen", "cut off from the journal", "slow", "killed"] as const
type Fate = (typeof fates)[number]

export interface FleetResult {
  readonly handovers: Readonly<Record<Fate, number>>
  /** Owners that ended because the journal refused them. */
  readonly fencedOff: number
  /** Owners that had nothing to record until they were told. */
  readonly endedByPlacement: number
  /** The database went on elsewhere without the newest records of the account. */
  readonly failovers: number
  readonly lostRecords: number
  /** While more than one process believed to own the account. */
  readonly sharedMillis: number
  readonly longestSharedMillis: number
  readonly deposits: number
  readonly events: number
  readonly steps: number
}

interface Owner {
  readonly number: number
  readonly process: SimulatedBot.SimulatedBot
  cutOffUntil: number
  /** Since when another one owns the account. */
  replacedAt: number | undefined
  /** It had claimed the account on a server that is gone. */
  isOfBefore: boolean
  /** When it was told so by the journal. */
  refusedAt: number | undefined
}

/** Features that the fleet's accidents take the place of, or that are about other things. */
const without: ReadonlyArray<Feature> = [
  ...["secondBot", "crashes", "suspensions", "fullDisk", "lostLease", "killSwitch", "killsMidway", "pauses"],
  ...["botClock", "venueClock", "clockSteps", "edits", "dust", "lies", "droppedMillis", "wrongPrices"],
  ...["signedQuotes", "tamperedQuotes", "oddSigner", "absentFields", "risingEstimates", "rotatedSalts"],
  ...["deployed", "failedPayouts", "recognition", "slowPayouts"]
] as ReadonlyArray<Feature>

const start = Date.UTC(2026, 0, 1)
const second = 1_000
const minute = 60 * second
const account = "one"
const journalMillis = 5
/** Records that a server which takes over has not got yet. */
const mostLost = 8
/** What is traded after the accidents, by whoever is left. */
const calmMillis = 30 * second
/** A doubt ends an hour after its order did. */
const restMillis = 100 * minute
/** Until then the placement itself gets through to a stale owner: one that has nothing to record does not meet the fence. */
const placementMillis = 3 * minute

export const run = async (options: FleetOptions): Promise<FleetResult> => {
  const scope = await Effect.runPromise(Scope.make())
  try {
    return await play(options, scope)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const play = async ({ fence = "epoch", minutes = 6, seed }: FleetOptions, scope: Scope.Scope): Promise<FleetResult> => {
  const world = new World(start)
  const plan = draw({ seed, profile: "safety", minutes, without })
  const { connection, domain: servers, service, state, truth } = await serverOf(world, plan, scope)
  const random = randomFrom(seed * 17 + 3)
  const strategies = () => [parse(fileOf(account, plan.strategy, 0)), parse(fileOf(`${account}-scalper`, "scalper", 0))]
  const budget = new Map<string, bigint>()
  for (const { amount, asset } of strategies().flatMap(budgets))
    budget.set(asset.id, (budget.get(asset.id) ?? 0n) + amount)
  const oracle = Oracle.make({
    state,
    account: connection.account.signerId,
    budget,
    now: () => world.now,
    killWithinMillis: minute,
    truth,
    places: () => () => true,
    secrets: [connection.account.key, connection.apiKey],
    isUnfit: () => false,
    isLiedAbout: () => false
  })
  /** Without a fence the journal makes no sense after a while: only what was paid is looked at. */
  const isFenced = fence !== "none"
  let isCalm = false
  let isChanged = true
  let events = 0
  let leaving: Reason | undefined
  const written: Array<BotEvent> = []
  const journals = new MemoryJournals(fence, ({ at, body, sequence }) => {
    events += 1
    const event = EventText.decode(body)
    if (Result.isFailure(event)) throw new Error(`event ${sequence} does not decode`)
    written.push(event.success)
    if (isFenced) oracle.recorded(account, event.success, at)
  })
  const changed = Effect.sync(() => {
    isChanged = true
  })
  const owners: Array<Owner> = []
  let afterRefusal: string | undefined
  const handovers: Record<Fate, number> = { frozen: 0, "cut off from the journal": 0, slow: 0, killed: 0 }
  let [fencedOff, endedByPlacement, sharedMillis, longestSharedMillis, started] = [0, 0, 0, 0, 0]
  let [failovers, lostRecords] = [0, 0]

  const claim = (until: "idle" | "killed"): Owner => {
    started += 1
    const number = started
    let owner: Owner | undefined
    const passable = Effect.suspend(() => Effect.sleep(Math.max(0, (owner?.cutOffUntil ?? 0) - world.now)))
    /** A call goes on without whoever made it, and arrives when there is a way. */
    const way = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> => {
      const there = Effect.andThen(Effect.sleep(journalMillis), Effect.andThen(passable, call))
      const andBack = Effect.flatMap(Effect.exit(there), (exit) => Effect.andThen(passable, exit))
      return Effect.callback<A, E>((resume) => {
        servers.fork(andBack).addObserver((exit) => {
          if (owner !== undefined && isRefusal(exit)) owner.refusedAt ??= world.now
          resume(exit)
        })
      })
    }
    const network = Network.make({
      world,
      seed: seed * 100 + number,
      service: HttpClient.transform(service, (answering) => Effect.ensuring(answering, changed)),
      servers,
      trouble: () => (isCalm ? calm : plan.trouble),
      seen: (departure) => {
        if (isFenced) oracle.departed(account, departure)
        // What it had begun in that very moment is recorded.
        const heardAt = Math.max(owner?.refusedAt ?? world.now, owner?.process.domain.suspendedUntil ?? 0)
        if (departure.method === "POST" && /orders|submit/.test(departure.path) && world.now > heardAt)
          afterRefusal ??= `owner ${number} sent ${departure.method} ${departure.path} after the journal had refused it`
      }
    })
    const process = SimulatedBot.start(
      {
        world,
        connection,
        network,
        journalFile: "",
        files: Layer.merge(
          Layer.effect(Journal, journals.claim(account, way)),
          Layer.succeed(PriceStore, PriceStore.empty)
        ),
        markets,
        strategies,
        withdraw: () => leaving,
        // The last owner may have to wait an hour for a doubt to end: it looks rarely, or most of an episode's time goes into that.
        pace: {
          orderLifetimeMillis: plan.orderLifetimeMillis,
          pollMinMillis: until === "idle" ? 20 * second : plan.pollMinMillis
        }
      },
      seed * 1_000 + number,
      until
    )
    for (const other of owners) other.replacedAt ??= world.now
    owner = { number, process, cutOffUntil: 0, replacedAt: undefined, isOfBefore: false, refusedAt: undefined }
    owners.push(owner)
    return owner
  }

  const forget = (owner: Owner) => {
    oracle.interrupted(account)
    owner.process.kill()
    owners.splice(owners.indexOf(owner), 1)
    if (owner.replacedAt === undefined) return
    const shared = world.now - owner.replacedAt
    sharedMillis += shared
    longestSharedMillis = Math.max(longestSharedMillis, shared)
  }

  /** Who ended by itself was refused by the journal, or it is a defect. */
  const reap = () => {
    for (const owner of [...owners]) {
      const { isOfBefore, number, process, replacedAt } = owner
      const exit = process.exit()
      const isToldAtLast = replacedAt !== undefined && world.now - replacedAt > placementMillis
      if (exit === undefined && !isToldAtLast) continue
      if (exit === undefined) endedByPlacement += 1
      else if (isRefusal(exit) && (fence === "sequence" || isOfBefore || replacedAt !== undefined)) fencedOff += 1
      else if (isFenced) throw new Violation("F1", `owner ${number} ended by itself: ${String(exit).slice(0, 2_000)}`)
      forget(owner)
    }
  }

  const driveUntil = (time: number, isOver = () => false) => {
    while (world.now < time && !isOver()) {
      world.drive(() => {
        if (isFenced) oracle.check(isChanged)
        else if (isChanged) paidOnce(state)
        isChanged = false
        if (afterRefusal !== undefined) throw new Violation("F2", afterRefusal)
        return world.now >= time || owners.some(({ process }) => process.exit() !== undefined)
      })
      if (isOver()) return
      if (owners.every(({ process }) => process.exit() === undefined)) world.now = Math.max(world.now, time)
      reap()
    }
  }

  const handOver = (owner: Owner | undefined) => {
    const fate = fates[Math.floor(random() * fates.length)] ?? "slow"
    handovers[fate] += 1
    const millis = 5 * second + random() * 55 * second
    oracle.interrupted(account)
    if (owner !== undefined) {
      if (fate === "frozen") owner.process.domain.suspend(millis)
      if (fate === "cut off from the journal") owner.cutOffUntil = world.now + millis
      if (fate === "killed") forget(owner)
    }
    // Sometimes late, when the other one is back already, and sometimes at once.
    driveUntil(world.now + random() * (fate === "slow" ? second : millis))
    claim("killed")
  }

  const mishaps = randomFrom(seed * 31 + 7)
  // A swap is in no list: what a database has forgotten of one, nobody finds (see docs/journal.md).
  const failsOver = seed % 4 === 0 && strategies().every(({ text }) => !text.includes("swap"))
  const failOver = () => {
    const lost = journals.failOver(account, 1 + Math.floor(mishaps() * mostLost))
    failovers += 1
    lostRecords += lost
    oracle.interrupted(account)
    oracle.lost(account, written.splice(written.length - lost))
    for (const owner of owners) owner.isOfBefore = true
  }

  claim("killed")
  const endsAt = start + plan.chaosMillis
  const kills = randomFrom(seed * 29 + 1)
  while (world.now < endsAt) {
    leaving = seed % 2 === 1 && kills() < 0.3 ? { code: "kill-switch", text: "simulated" } : undefined
    driveUntil(Math.min(endsAt, world.now + (0.1 + random()) * 30 * second))
    if (failsOver && mishaps() < 0.3) failOver()
    handOver(owners.at(-1))
  }
  isCalm = true
  leaving = undefined
  driveUntil(world.now + calmMillis)
  driveUntil(world.now + placementMillis + minute, () => owners.length === 1)
  for (const owner of [...owners]) forget(owner)
  leaving = { code: "leaving", text: "the episode ends" }
  const last = claim("idle")
  driveUntil(world.now + restMillis, () => last.process.exit() !== undefined)
  const exit = last.process.exit()
  if (exit === undefined || Exit.isFailure(exit))
    throw new Violation("I20", `the last owner is not at rest: ${String(exit)}`)
  const told = runIn(
    world,
    Effect.flatMap(journals.claim(account), (journal) => Effect.provideService(replay, Journal, journal))
  )
  // What it has forgotten of orders that are over, nobody can book: it is told, and nothing is paid any more.
  const isBehind = told.integrity.forgotten.size > 0
  const differences = isBehind
    ? []
    : BookCheck.differences(state, connection.account.signerId, [told], { placeOf: () => "balance" })
  if (differences.length > 0) throw new Violation("I10", differences.join("; "))
  return {
    handovers,
    fencedOff,
    endedByPlacement,
    failovers,
    lostRecords,
    sharedMillis,
    longestSharedMillis,
    deposits: oracle.reached.get("deposit executed") ?? 0,
    events,
    steps: world.steps
  }
}

const paidOnce = ({ orders }: State): void => {
  for (const { id, intentHashes } of orders.values())
    if (intentHashes.length > 1) throw new Violation("I4", `order ${id} was funded ${intentHashes.length} times`)
}

const isRefusal = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && /OwnerChanged|another process has taken over the account/.test(String(exit))
