/**
 * One episode of the bad world: whole bots against the whole sandbox in virtual time, with everything that its plan draws, an
 * oracle after every step, and at the end both sides' books. The same options give the same steps, requests and events.
 */

import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { HttpClient } from "effect/http"
import type { Reason } from "../../src/domain/BotEvent.ts"
import { present } from "../../src/domain/Present.ts"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../src/engine/state/BotState.ts"
import * as BookCheck from "../../src/rehearsal/world/BookCheck.ts"
import * as BotProcess from "../../src/rehearsal/world/BotProcess.ts"
import * as Network from "../../src/rehearsal/world/Network.ts"
import { calm } from "../../src/rehearsal/world/Trouble.ts"
import { randomFrom, World } from "../../src/rehearsal/world/World.ts"
import * as Books from "../../src/sandbox/core/money/Books.ts"
import type { PayingAccount } from "../../src/signing/IntentGuard.ts"
import { budgets } from "../../src/strategy/Strategy.ts"
import { ownAccount } from "../../src/venue/VenueConfig.ts"
import { markets, parse } from "../world/bot/market.ts"
import * as SimulatedBot from "../world/bot/SimulatedBot.ts"
import * as Disk from "./Disk.ts"
import * as Hands from "./Hands.ts"
import * as Lies from "./Lies.ts"
import * as OddSigner from "./OddSigner.ts"
import * as Oracle from "./Oracle.ts"
import { Violation } from "./oracle/Judge.ts"
import * as Memory from "./oracle/Memory.ts"
import * as Shown from "./oracle/Shown.ts"
import { draw, type EpisodeOptions, fileOf, type Plan } from "./Plan.ts"
import * as Seat from "./Seat.ts"
import { serverOf } from "./server.ts"
import * as Witnesses from "./Witnesses.ts"

const start = Date.UTC(2026, 0, 1)
const minute = 60_000
/** A doubt ends an hour after its order did. */
const restMillis = 100 * minute
const auditMillis = 10_000
/** Where nothing is claimed about the end: time for what was under way to show. */
const aftermathMillis = 20_000

export interface EpisodeResult {
  readonly trace: string
  readonly steps: number
  readonly events: number
  readonly virtualMinutes: number
  /** How often each event, accident and lie came up. */
  readonly reached: ReadonlyMap<string, number>
}

export const run = async (options: EpisodeOptions): Promise<EpisodeResult> => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-episode-"))
  const scope = await Effect.runPromise(Scope.make())
  try {
    return await play(options, draw(options), folder, scope)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}

const play = async (
  options: EpisodeOptions,
  plan: Plan,
  folder: string,
  scope: Scope.Scope
): Promise<EpisodeResult> => {
  const world = new World(start)
  world.notesCallSites = options.stacks === true
  const { connection, domain: servers, rotateSalts, service, state, truth } = await serverOf(world, plan, scope)
  const random = randomFrom(plan.seed * 13 + 5)
  const trace = createHash("sha256")
  const { signerId } = connection.account
  let isCalm = false
  let events = 0
  let diskFullUntil = Number.NEGATIVE_INFINITY
  let killSince: number | undefined
  let clearSince = start
  let audited = start
  const names = ["one", "two"].slice(0, plan.bots)
  /** Every bot has accidents, outages and a rate limit of its own. */
  const networkSeedOf = (index: number) => plan.seed + index
  const limits = new Map(names.map((name, index) => [name, Network.rateLimit(networkSeedOf(index))]))
  const troubleNow = () => (isCalm ? calm : plan.trouble)

  const strategiesOf = ({ edit, name }: Pick<Seat.Seat, "edit" | "name">) => [
    parse(fileOf(name, plan.strategy, edit, plan.leastOrders)),
    parse(fileOf(`${name}-scalper`, "scalper", edit, plan.leastOrders))
  ]
  const budget = new Map<string, bigint>()
  for (const name of names) {
    for (const { amount, asset } of strategiesOf({ name, edit: 0 }).flatMap(budgets))
      budget.set(asset.id, (budget.get(asset.id) ?? 0n) + amount)
  }
  const lies = Lies.make(plan.seed, plan.lies, plan.dropsMillis)
  const oracle: Oracle.Oracle = Oracle.make({
    state,
    account: signerId,
    budget,
    now: () => world.now,
    killWithinMillis: options.killWithinMillis ?? 1_000,
    truth,
    places: (name) => {
      const limit = limits.get(name)?.copy()
      return (at) => limit?.take(troubleNow(), at) ?? true
    },
    secrets: [connection.account.key, connection.apiKey],
    isUnfit: lies.isUnfit,
    isLiedAbout: lies.isLiedAbout
  })
  const scene = { plan, now: () => world.now, isCalm: () => isCalm, note: oracle.note }
  const hands = Hands.make(scene)
  const witnesses = Witnesses.make(scene)
  const rewriteFor = (name: string) => (departure: Network.Departure, answer: Network.HttpAnswer) => {
    const said = witnesses.rewrite(name, departure, answer)
    const lied = lies.rewrite(departure, said, ({ about, lie }) => {
      oracle.note(`lie: ${lie}`)
      if (about !== undefined && departure.fate === "delivered") oracle.told(name, { about, lie })
    })
    return lied ?? said
  }

  /** The venue's books change only while it answers. */
  let isChanged = true
  const changed = Effect.sync(() => {
    isChanged = true
  })

  const networkOf = (name: string, index: number) =>
    Network.make({
      world,
      seed: networkSeedOf(index),
      service: HttpClient.transform(service, (answering) => Effect.ensuring(answering, changed)),
      servers,
      trouble: troubleNow,
      ...present({ limit: limits.get(name) }),
      ...(plan.lies === 0 && !plan.dropsMillis && !witnesses.isAny ? {} : { rewrite: rewriteFor(name) }),
      seen: (departure) => {
        trace.update(`${world.now} ${name} ${departure.method} ${departure.path} ${departure.fate}\n`)
        const isAccident = departure.fate !== "delivered" && departure.fate !== "rateLimited"
        if (isAccident) clearSince = world.now + plan.trouble.lateMillis
        oracle.departed(name, departure)
        if (hands.departed(departure)) killSince ??= world.now
      }
    })
  const seats = names.map((name, index) =>
    Seat.make({
      name,
      journalFile: join(folder, `${name}.sqlite`),
      network: networkOf(name, index),
      skewMillis: plan.botSkewMillis,
      at: start
    })
  )

  const diskOf = (name: string) =>
    Disk.watched({
      isFull: () => world.now < diskFullUntil,
      refused: () => {
        oracle.note("disk full")
        oracle.interrupted(name)
      },
      written: (event) => {
        events += 1
        trace.update(`${name} ${event._tag}\n`)
        oracle.recorded(name, event)
        hands.recorded(name, event)
        witnesses.recorded(name, event)
      }
    })

  let leaving: Reason | undefined
  const withdraw = (): Reason | undefined =>
    leaving ?? (killSince === undefined ? undefined : { code: "kill-switch", text: "simulated" })

  const begin = (seat: Seat.Seat, until: "idle" | "killed") => {
    seat.starts += 1
    seat.startedAt = world.now
    clearSince = world.now
    const process = SimulatedBot.start(
      {
        world,
        connection,
        network: seat.network,
        journalFile: seat.journalFile,
        markets,
        strategies: () => strategiesOf(seat),
        withdraw,
        pace: { orderLifetimeMillis: plan.orderLifetimeMillis, pollMinMillis: plan.pollMinMillis },
        disk: diskOf(seat.name),
        isVerifying: plan.has.has("signedQuotes"),
        // Where the verifier of payments is another one than that of logins.
        ...(plan.has.has("deployed")
          ? { account: ownAccount(connection.account.signerId, "CONFIDENTIAL_INTENTS") }
          : {}),
        ...(plan.has.has("oddSigner") ? { guard: (payer: PayingAccount) => OddSigner.layer(scene, payer) } : {}),
        leaseLost: () => (seat.isLeaseLost ? "somebody removed it" : undefined)
      },
      // Each process has random numbers of its own: with the same ones two journals would draw the same identity.
      plan.seed * 100 + seat.starts + 50 * seats.indexOf(seat),
      until
    )
    process.domain.skewMillis = seat.skewMillis
    oracle.clock(seat.name, seat.skewMillis - plan.venueSkewMillis)
    seat.process = process
  }

  const end = (seat: Seat.Seat): BotState | undefined => {
    const { process } = seat
    seat.isLeaseLost = false
    oracle.leaseLost(seat.name, false)
    if (process === undefined) return undefined
    const believed = process.inside()?.state
    process.kill()
    oracle.interrupted(seat.name)
    seat.process = undefined
    const told = BotProcess.withJournal({ world, journalFile: seat.journalFile }, replay)
    Memory.check(seat.name, believed, told)
    return told
  }

  /** I17 and I24: how much there is of everything, and whether what people are shown is what is on disk. */
  const audit = (): void => {
    const states = seats.flatMap(({ name, process }) => {
      const state = process?.inside()?.state
      return state === undefined ? [] : [[name, state] as const]
    })
    oracle.bounded({
      ...world.waiting,
      unfinished: new Map(states.map(([name, state]) => [name, unfinished(state).length]))
    })
    for (const [name, state] of states) Shown.check(oracle, name, state)
  }

  const look = (): void => {
    if (hands.releases()) killSince = undefined
    for (const { name, process } of seats) if (process !== undefined) hands.act(name, process)
    for (const [index, seat] of seats.entries()) {
      const isDark = Network.isDark(troubleNow(), networkSeedOf(index), world.now)
      if (isDark) clearSince = world.now
      seat.darkSince = isDark && world.now >= diskFullUntil ? (seat.darkSince ?? world.now) : undefined
    }
    for (const seat of seats) {
      const isRunning = seat.process !== undefined
      const since = killSince === undefined || !isRunning ? undefined : Math.max(killSince, clearSince)
      const suspended = (seat.process?.domain.suspendedUntil ?? 0) + 1
      oracle.withdrawing(seat.name, since === undefined ? undefined : Math.max(since, suspended))
      const { darkSince } = seat
      oracle.dark(
        seat.name,
        isRunning && darkSince !== undefined ? Math.max(darkSince, seat.startedAt, suspended) : undefined
      )
    }
    oracle.check(isChanged)
    isChanged = false
    if (world.now - audited < auditMillis) return
    audited = world.now
    audit()
  }

  /** A bot that ended: allowed where its disk is full, else a defect. */
  const reap = (seat: Seat.Seat) => {
    const exit = seat.process?.exit()
    if (exit === undefined) return
    if (!(Exit.isFailure(exit) && String(exit).includes("Cannot write the journal")))
      throw new Violation("I23", `bot ${seat.name} ended by itself: ${String(exit).slice(0, 2_000)}`)
    end(seat)
    seat.restartAt = world.now + 5_000
  }

  const actions: Array<{ readonly everyMillis: number; nextAt: number; readonly act: (seat: Seat.Seat) => void }> = []
  const sometimes = (everyMillis: number, act: (seat: Seat.Seat) => void) => {
    if (everyMillis > 0) actions.push({ everyMillis, nextAt: start + random() * everyMillis * 2, act })
  }
  const { crashEveryMillis, downMillis, suspendEveryMillis, suspendMillis } = plan.trouble
  sometimes(crashEveryMillis, (seat) => {
    oracle.note("crash")
    end(seat)
    seat.restartAt = world.now + random() * downMillis
  })
  sometimes(suspendEveryMillis, ({ name, process }) => {
    oracle.note("suspension")
    oracle.interrupted(name)
    process?.domain.suspend(random() * suspendMillis)
  })
  sometimes(plan.clockStepMillis === 0 ? 0 : plan.chaosMillis / 2, (seat) => {
    oracle.note("clock step")
    seat.skewMillis += plan.clockStepMillis
    oracle.clock(seat.name, seat.skewMillis - plan.venueSkewMillis)
    if (seat.process !== undefined) seat.process.domain.skewMillis = seat.skewMillis
  })
  sometimes(plan.hasKillSwitch ? plan.chaosMillis / 4 : 0, () => {
    oracle.note("kill switch turned")
    killSince = killSince === undefined ? world.now : undefined
  })
  sometimes(plan.editEveryMillis, (seat) => {
    oracle.note("edit")
    seat.edit += 1
    const inside = seat.process?.inside()
    if (inside !== undefined) seat.process?.domain.fork(inside.engine.replace(strategiesOf(seat), "drained"))
  })
  sometimes(plan.saltEveryMillis, () => {
    oracle.note("salts rotated")
    rotateSalts()
    isChanged = true
  })
  sometimes(plan.losesLease ? plan.chaosMillis / 3 : 0, (seat) => {
    oracle.note("lease lost")
    seat.isLeaseLost = true
    oracle.leaseLost(seat.name, true)
  })
  sometimes(plan.hasFullDisk ? plan.chaosMillis / 2 : 0, () => {
    diskFullUntil = world.now + random() * 30_000
  })

  const driveUntil = (time: number) => {
    world.drive(() => {
      look()
      return world.now >= time || seats.some(({ process }) => process?.exit() !== undefined)
    })
    // Where nothing is left to do time goes on all the same.
    if (!seats.some(({ process }) => process?.exit() !== undefined)) world.now = Math.max(world.now, time)
  }

  const chaosEnds = start + plan.chaosMillis
  while (world.now < chaosEnds) {
    for (const seat of seats) if (seat.process === undefined && world.now >= seat.restartAt) begin(seat, "killed")
    const restarts = seats.flatMap(({ process, restartAt }) => (process === undefined ? [restartAt] : []))
    driveUntil(Math.min(chaosEnds, ...actions.map(({ nextAt }) => nextAt), ...restarts))
    for (const seat of seats) reap(seat)
    for (const action of actions) {
      if (world.now < action.nextAt) continue
      action.nextAt = world.now + 1 + random() * action.everyMillis * 2
      action.act(seats[Math.floor(random() * seats.length)] ?? seats[0] ?? raise("no bot"))
    }
  }

  isCalm = true
  killSince = undefined
  diskFullUntil = Number.NEGATIVE_INFINITY
  for (const seat of seats) {
    end(seat)
    if (plan.profile === "liveness") seat.skewMillis = plan.venueSkewMillis
  }
  const isLive = plan.profile === "liveness"
  if (isLive) leaving = { code: "leaving", text: "the episode ends" }
  for (const seat of seats) begin(seat, isLive ? "idle" : "killed")
  const rest = world.now + (isLive ? restMillis : aftermathMillis)
  world.drive(() => {
    look()
    return world.now >= rest || (isLive && seats.every(({ process }) => process?.exit() !== undefined))
  })
  const told = seats.flatMap((seat) => {
    const exit = seat.process?.exit()
    if (isLive && exit === undefined) {
      const open = unfinished(seat.process?.inside()?.state ?? raise("no state"))
      const what = open.map(({ id, state: at, status }) => `${id} ${at} ${status ?? ""}`).join(", ")
      throw new Violation(
        "I20",
        `${seat.name} is not at rest ${restMillis / minute} minutes after the faults stopped: ${what}`
      )
    }
    if (exit !== undefined && Exit.isFailure(exit))
      throw new Violation("I23", `bot ${seat.name} ended by itself: ${String(exit).slice(0, 2_000)}`)
    return end(seat) ?? []
  })
  const imbalances = Books.imbalances(state.books)
  if (imbalances.length > 0) throw new Violation("I1", `the sandbox itself: ${imbalances.join("; ")}`)
  const differences = isLive
    ? BookCheck.differences(state, signerId, told, {
        mayBeUnexplained: plan.has.has("risingEstimates"),
        placeOf: () => (plan.has.has("deployed") ? "private" : "balance")
      })
    : []
  if (differences.length > 0) throw new Violation("I10", differences.join("; "))
  if (isLive) oracle.complete()

  return {
    trace: trace.digest("hex"),
    steps: world.steps,
    events,
    virtualMinutes: (world.now - start) / minute,
    reached: oracle.reached
  }
}

const raise = (text: string): never => {
  throw new Error(text)
}
