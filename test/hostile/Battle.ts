/**
 * One attack on the whole bot in virtual time. It trades in two markets and is lied to in one of them; after a while
 * somebody pulls the kill switch, and then the lies end. The oracle judges every step by the honest sandbox's books. At the
 * end the verdict is drawn: the lie was told, nobody was paid who should not be, people were told exactly once, the other
 * market went on, the kill switch took everything back, and what the bot believes to have differs from what it has by no
 * more than was in flight in what it was lied about.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Clock } from "effect/Clock"
import { HttpClient } from "effect/http"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import { isTerminal } from "../../src/domain/Order.ts"
import * as Background from "../../src/engine/reconciliation/Background.ts"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../src/engine/state/BotState.ts"
import { HistoryStore } from "../../src/journal/HistoryStore.ts"
import type { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import * as BookCheck from "../../src/rehearsal/world/BookCheck.ts"
import * as BotProcess from "../../src/rehearsal/world/BotProcess.ts"
import * as Network from "../../src/rehearsal/world/Network.ts"
import { calm } from "../../src/rehearsal/world/Trouble.ts"
import { Domain, World } from "../../src/rehearsal/world/World.ts"
import { describe } from "../../src/report/text/EventLine.ts"
import { apply } from "../../src/sandbox/core/Commands.ts"
import type { SandboxOrder, SandboxSwap, State } from "../../src/sandbox/core/State.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import { budgets } from "../../src/strategy/Strategy.ts"
import { ownAccount } from "../../src/venue/VenueConfig.ts"
import * as Oracle from "../simulation/Oracle.ts"
import { Violation } from "../simulation/oracle/Judge.ts"
import { assets, markets, parse } from "../world/bot/market.ts"
import * as SimulatedBot from "../world/bot/SimulatedBot.ts"
import { type Attack, nameOf } from "./Attack.ts"
import * as Middle from "./Middle.ts"

const start = Date.UTC(2026, 0, 1)
const second = 1_000
/** Lied to and trading; then killed and still lied to; then the truth, until all is at rest. */
const killAt = start + 50 * second
const truthAt = killAt + 15 * second
const endAt = truthAt + 45 * second
/** From the switch to the end of every order that nobody lies about. */
const overWithinMillis = 10 * second

const ordersFile = `name: attacked
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.03, quote: 2000 } }
grid: { lower: 59600, upper: 60400, levels: 5, size: { base: 0.005 } }
`
const swapsFile = `name: attacked
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1200 } }
rules:
  timeframe: 1m
  orders:
    in-and-out:
      when: mid > 1
      side: buy
      by: swap
      price: mid * (1 + 1%)
      size: { base: 0.005 }
      pause: 5s
      times: 6
      then: { price: entry * (1 - 2%), by: swap }
`
const otherFile = `name: other
market: SOL/USDC
kind: dca
limits: { budget: { quote: 1500 } }
dca: { every: 10s, size: { base: 0.5 }, times: 10, reach: 0.5% }
`

export interface Outcome {
  readonly told: number
  readonly alerts: ReadonlyArray<string>
  /** Payments that were executed, and those of them in the other market after the first lie. */
  readonly paid: number
  readonly paidElsewhere: number
  /** What did not hold, in words. */
  readonly problems: ReadonlyArray<string>
}

/** Balances are shown of private money only. */
const isPrivate = ({ call }: Attack): boolean => call === "balances"
const isAboutWitnesses = ({ call }: Attack): boolean => call === "history" || call === "balances"

const isAboutSwaps = ({ call }: Attack): boolean => call === "quote" || call === "status"

/** What wakes people; the switch is pulled by themselves. */
const isAlert = (event: BotEvent): boolean =>
  event._tag === "OddOrderSeen" ||
  (event._tag === "Reconciled" && event.contradictions.length + event.foreign.length > 0) ||
  (event._tag !== "KillSwitch" && describe(event, new Map())?.weight === "alarm")

export const fight = async (attack: Attack, seed = 1): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-attack-"))
  const scope = await Effect.runPromise(Scope.make())
  try {
    return await battle(attack, seed, join(folder, "journal.sqlite"), scope)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}

const venueOf = async (world: World, seed: number, scope: Scope.Scope) => {
  const servers = new Domain(world, seed)
  const server = await Effect.runPromise(
    Layer.buildWithScope(
      SandboxServer.layerMemory({
        seed,
        speed: 60,
        settings: { partialFillShare: 1, stepMillis: 2 * second, fillWhileCancellingShare: 0 }
      }),
      scope
    ).pipe(Effect.provideService(Clock, servers.clock))
  )
  const look = Context.get(server, Sandbox).read((state) => state)
  const state = Effect.runSync(look.pipe(Effect.provideService(Clock, servers.clock), Effect.orDie))
  return {
    servers,
    state,
    service: Context.get(server, HttpClient.HttpClient),
    connection: Context.get(server, SandboxServer.SandboxConnection)
  }
}

/** Somebody else's order, which would be glad of our money. */
const strangerIn = (state: State): SandboxOrder => {
  const [base, quote] = ["BTC", "USDC"].map((symbol) => state.settings.assets.find((asset) => asset.symbol === symbol))
  const stranger = { recipient: "stranger.near", refundTo: "stranger.near" }
  const payload = {
    owner: "partner other-partner",
    side: "BUY" as const,
    baseAsset: base?.id ?? "",
    quoteAsset: quote?.id ?? "",
    quantity: "500000",
    price: "59000",
    ...stranger,
    depositType: "INTENTS" as const,
    recipientType: "INTENTS" as const,
    refundType: "INTENTS" as const,
    depositMode: "SIMPLE" as const,
    confidentiality: "basic",
    appFees: []
  }
  return Effect.runSync(Effect.orDie(Effect.fromResult(apply(state, { tag: "CreateOrder", payload }, start))))
}

const battle = async (attack: Attack, seed: number, journalFile: string, scope: Scope.Scope): Promise<Outcome> => {
  const world = new World(start)
  const { connection, servers, service, state } = await venueOf(world, seed, scope)
  const stranger = strangerIn(state)
  const { signerId: account } = connection.account
  const strategies = [isAboutSwaps(attack) ? swapsFile : ordersFile, otherFile].map(parse)
  const hashes: Array<string> = []
  const alerts: Array<string> = []
  const problems: Array<string> = []

  const middle = Middle.make(attack, () => ({ state, account, stranger, now: world.now, hashes }))
  const budget = new Map<string, bigint>()
  for (const { amount, asset } of strategies.flatMap(budgets))
    budget.set(asset.id, (budget.get(asset.id) ?? 0n) + amount)
  const isVictim = (orderId: string) => middle.victims.has(orderId)
  const oracle = Oracle.make({
    state,
    account,
    budget,
    now: () => world.now,
    killWithinMillis: second,
    places: () => () => true,
    secrets: [connection.account.key, connection.apiKey],
    isUnfit: (orderId) => attack.must.unfit === true && isVictim(orderId),
    isLiedAbout: isVictim
  })
  const network = Network.make({
    world,
    seed,
    service: middle.guarding(service),
    servers,
    trouble: () => calm,
    rewrite: middle.rewrite,
    seen: (departure) => oracle.departed("bot", departure)
  })
  const watched = (journal: Journal["Service"]): Journal["Service"] => ({
    ...journal,
    append: (rows) =>
      Effect.tap(journal.append(rows), () =>
        Effect.sync(() => {
          for (const event of rows) {
            if (event._tag === "FundingSigned") hashes.push(event.intentHash)
            if (isAlert(event)) alerts.push(describe(event, new Map())?.text ?? event._tag)
            oracle.recorded("bot", event)
          }
        })
      )
  })
  const beside = Background.forever(Background.every(10 * second), {
    own: new Set([account]),
    hasHistory: true,
    markets: { assets, ticks: new Map() },
    isSeen: new Set(isPrivate(attack) ? assets.map(({ symbol }) => symbol) : [])
  }).pipe(Effect.provide(HistoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: journalFile })))))
  const process = SimulatedBot.start(
    {
      ...(isAboutWitnesses(attack) ? { beside } : {}),
      ...(isPrivate(attack) ? { account: ownAccount(account, "CONFIDENTIAL_INTENTS") } : {}),
      world,
      connection,
      network,
      journalFile,
      markets,
      strategies: () => strategies,
      withdraw: () => (world.now < killAt ? undefined : { code: "kill-switch", text: "the attack" }),
      pace: { pollMinMillis: 2 * second },
      disk: watched
    },
    seed,
    "killed"
  )

  const driveUntil = (time: number): void => {
    world.drive(() => {
      if (world.now > killAt) oracle.withdrawing("bot", killAt)
      oracle.check(true)
      return world.now >= time || process.exit() !== undefined
    })
    world.now = Math.max(world.now, time)
  }
  const ends = (): void => {
    const exit = process.exit()
    const text = exit === undefined ? undefined : String(exit).slice(0, 400)
    if (text !== undefined && (attack.must.ends === undefined || !text.includes(attack.must.ends)))
      problems.push(`the bot ended: ${text}`)
    if (text === undefined && attack.must.ends !== undefined) problems.push(`the bot did not end: ${attack.must.ends}`)
  }
  const paid = () => [...state.orders.values(), ...state.swaps.values()].filter((each) => each.intentHashes.length > 0)

  let paidElsewhere = 0
  try {
    driveUntil(killAt)
    ends()
    const firstAt = middle.firstToldAt() ?? start
    paidElsewhere = paid().filter(({ createdAt, origin, destination }) => {
      const isElsewhere = origin.id !== Middle.attacked && destination.id !== Middle.attacked
      return isElsewhere && createdAt >= firstAt
    }).length
    driveUntil(killAt + overWithinMillis)
    if (process.exit() === undefined) problems.push(...stillOpen(state, isVictim))
    driveUntil(truthAt)
    middle.stop()
    driveUntil(endAt)
    if (process.exit() === undefined) problems.push(...stillOpen(state, () => false))
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    problems.push(error.message)
  }
  if (attack.must.unfit === true)
    for (const { id, intentHashes } of state.swaps.values())
      if (isVictim(id) && intentHashes.length > 0) problems.push(`the swap ${id} was paid`)
  const isRunning = process.exit() === undefined
  process.kill()
  if (problems.length === 0 && isRunning) {
    const told = BotProcess.withJournal({ world, journalFile }, replay)
    const place = isPrivate(attack) ? "private" : "balance"
    problems.push(
      ...losses(BookCheck.comparison(state, account, [told], { placeOf: () => place }), state, told, middle.victims)
    )
  }
  problems.push(...verdict(attack, { told: middle.told(), alerts, paidElsewhere, isRunning }))
  return { told: middle.told(), alerts, paid: paid().length, paidElsewhere, problems }
}

/** The kill switch: nothing rests any more that nobody lies about; and once the lies are over, nothing at all. */
const stillOpen = (state: State, isVictim: (orderId: string) => boolean): ReadonlyArray<string> =>
  [...state.orders.values()].flatMap(({ id, intentHashes, owner, status }) =>
    intentHashes.length === 0 || isTerminal(status) || isVictim(id) || owner.includes("other")
      ? []
      : [`after kill the order ${id} is ${status}`]
  )

/** By how much the bot's books differ from the venue's, where that is more than was in flight in what was lied about. */
const losses = (
  counted: ReadonlyArray<BookCheck.Counted>,
  state: State,
  told: BotState,
  victims: ReadonlySet<string>
): ReadonlyArray<string> => {
  const open = unfinished(told).filter(({ order }) => order === undefined || !victims.has(order.id))
  const unrest = open.map(({ id, state: at, status }) => `${id} is not at rest: ${at} ${status ?? ""}`)
  return [
    ...unrest,
    ...counted.flatMap(({ asset, ours, theirs }) => {
      const inFlight = [...state.orders.values(), ...state.swaps.values()]
        .filter(({ id }) => victims.has(id))
        .reduce((sum, each) => sum + amountIn(each, asset), 0n)
      const difference = ours > theirs ? ours - theirs : theirs - ours
      return difference <= inFlight
        ? []
        : [`the bot counts ${ours} ${asset} more, the venue ${theirs}, and only ${inFlight} were in flight`]
    })
  ]
}

/** What an order or swap could move of an asset, either way; a swap may bring more than it was quoted. */
const amountIn = (each: SandboxOrder | SandboxSwap, asset: string): bigint => {
  const [input, output] =
    each.kind === "order"
      ? [each.inputAmount, each.outputAmount]
      : [each.quoted.amountIn, each.outcome?.received ?? each.quoted.amountOut]
  return each.origin.symbol === asset ? input : each.destination.symbol === asset ? output : 0n
}

const verdict = (
  attack: Attack,
  {
    alerts,
    isRunning,
    paidElsewhere,
    told
  }: Pick<Outcome, "alerts" | "paidElsewhere" | "told"> & { readonly isRunning: boolean }
): ReadonlyArray<string> => {
  const { must } = attack
  const [least, most] = typeof must.alerts === "number" ? [must.alerts, must.alerts] : must.alerts
  return [
    ...(told === 0 ? [`never told: ${nameOf(attack)}`] : []),
    ...(alerts.length < least || alerts.length > most
      ? [`${alerts.length} alerts instead of ${most === least ? most : `${least} to ${most}`}: ${alerts.join(" | ")}`]
      : []),
    ...(isRunning && paidElsewhere === 0 && must.elsewhereWaits !== true ? ["the other market stood still"] : [])
  ]
}
