/** Compares the witnesses, also while a bot runs, within its rate limit. All processes on the journal share that of the history. */
import { Effect, type Layer } from "effect"
import type { BotEvent, Of } from "../../domain/BotEvent.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import * as Background from "../../engine/reconciliation/Background.ts"
import * as BalanceComparison from "../../engine/reconciliation/BalanceComparison.ts"
import * as Baseline from "../../engine/reconciliation/Baseline.ts"
import * as Comparison from "../../engine/reconciliation/Comparison.ts"
import * as HistorySync from "../../engine/reconciliation/HistorySync.ts"
import * as Reconciliation from "../../engine/reconciliation/Reconciliation.ts"
import * as Witnesses from "../../engine/reconciliation/Witnesses.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import * as SwapHistory from "../../engine/state/swaps/SwapHistory.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Layers from "../../Layers.ts"
import { Process } from "../../process/Process.ts"
import * as Progress from "../../process/Progress.ts"
import { Venue } from "../../venue/Venue.ts"
import type * as VenueAccess from "../swap/VenueAccess.ts"

export interface Reconciling {
  readonly config: ConfigFile.BotConfig
  readonly signerId: string
  readonly witnesses: Layer.Layer<Layer.Success<ReturnType<typeof VenueAccess.withHistory>>, unknown>
}

export const forever = Effect.fnUntraced(function* ({ witnesses, ...compared }: Reconciling) {
  const venue = yield* Venue
  const { partnerJwt } = compared.config.venue
  const turns = Background.every(compared.config.reconcileEvery)
  return yield* comparing(compared, turns, partnerJwt !== undefined).pipe(
    Effect.provideService(Venue, venue),
    Effect.provide(witnesses)
  )
})

/** Returns the balances that can be compared, and the assets whose money is there: public ones only if all money is public. */
const seenIn = ({ account, markets: { assets }, venue }: ConfigFile.BotConfig) => {
  const at = (home: BalanceComparison.SeenHome) => assets.filter((asset) => depositTypeOf(account, asset) === home)
  const isPublic = venue.facts.saltFrom !== undefined && at("INTENTS").length === assets.length
  const home = isPublic ? "INTENTS" : "CONFIDENTIAL_INTENTS"
  return { home, isSeen: new Set(at(home).map(({ symbol }) => symbol)) } as const
}

export const comparing = (
  { config, signerId }: Pick<Reconciling, "config" | "signerId">,
  turns: Background.Turns,
  hasHistory: boolean
) => {
  const { account, markets } = config
  const own = new Set([signerId, ...account.refundTo.values()])
  return Background.forever(turns, { own, hasHistory, markets, ...seenIn(config) })
}

export interface GatherOptions<E, R> {
  readonly acceptBalances?: boolean
  readonly book: (capital: ReadonlyArray<Of<"CapitalMoved">>) => Effect.Effect<void, E, R>
  readonly noHistory?: string | undefined
}

/** Asks every witness, and gives the reason for each one that is missing. */
export const gather = Effect.fnUntraced(function* <E, R>(
  config: ConfigFile.BotConfig,
  account: string,
  { acceptBalances = false, book, noHistory = whyNoHistory(config) }: GatherOptions<E, R>
) {
  const progress = yield* Progress.make("reconcile")
  const missing: Array<string> = []
  const journalBooks = yield* Witnesses.books
  progress.update(1, 4, "balances")
  const snapshot = yield* balancesOf(config, missing)
  progress.update(2, 4, "orders")
  const { found: venueOrders, unread: unreadOrders } = yield* Witnesses.venueOrders(journalBooks)
  const own = new Set([account, ...config.account.refundTo.values()])
  const balances =
    snapshot === undefined
      ? []
      : yield* movedSince(config, own, BalanceComparison.positions(snapshot, venueOrders), journalBooks.state, {
          isAccepted: acceptBalances,
          missing,
          book
        })
  progress.update(3, 4, "history")
  const hasHistory = noHistory === undefined
  if (hasHistory) yield* HistorySync.sync()
  else missing.push(`history: ${noHistory}`)
  const history = hasHistory ? yield* Witnesses.history : undefined
  const compared = Reconciliation.compare({
    own,
    orders: journalBooks.orders,
    swaps: journalBooks.swaps,
    venueOrders,
    unreadOrders,
    history: history?.lines,
    oddLines: history?.odd ?? []
  })
  const { reconciled } = journalBooks.state
  const decided = Witnesses.decidedIn([...compared, ...balances])
  const still = reconciled === undefined ? [] : yield* Baseline.stillTold(reconciled, (subject) => decided.has(subject))
  const witnesses = [
    "orders",
    ...(hasHistory ? ["history"] : []),
    ...(balances.length > 0 ? [balancesName(snapshot)] : [])
  ]
  const { state } = journalBooks
  const proven = history === undefined ? [] : Reconciliation.provenPaid(state.placements.values(), history.lines)
  const findings = [...compared, ...balances].map((each) => asToldBefore(each, still))
  return { findings, missing, witnesses, proven, state }
})

const balancesName = (look: BalanceComparison.BalanceLook | undefined): string =>
  [...(look?.certain.values() ?? [])].some(({ isPublic }) => isPublic) ? "public balances" : "private balances"

const whyNoHistory = ({ venue }: ConfigFile.BotConfig) =>
  venue.partnerJwt === undefined ? "venue.partnerJwt is not set" : undefined

/** Writes to the journal, unless a bot runs: a running bot books the movement itself. */
export const bookUnlessRunning = ({ journal }: ConfigFile.BotConfig) =>
  Effect.fnUntraced(function* (events: ReadonlyArray<BotEvent>) {
    if ((yield* Lease.holder(journal)) !== undefined) return
    const { pid } = yield* Process
    yield* Bookkeeper.use((books) => books.record(...events)).pipe(Effect.provide(Layers.books(journal, pid)))
  })

/** Explains arrivals that the account's history names, or that the operator accepts. `book` records them in the journal. */
const movedSince = Effect.fnUntraced(function* <E, R>(
  { markets }: ConfigFile.BotConfig,
  own: ReadonlySet<string>,
  now: BalanceComparison.Positions,
  state: BotState,
  {
    book,
    isAccepted,
    missing
  }: Pick<GatherOptions<E, R>, "book"> & { readonly isAccepted: boolean; readonly missing: Array<string> }
) {
  const { comparisons, unexplained } = yield* Baseline.compare(now, state, { isAccepted })
  const { capital, unread } = yield* Baseline.nameArrivals(unexplained, state, own, markets)
  if (unread !== undefined) missing.push(`account history: ${unread}`)
  const toRecord = isAccepted ? yield* Baseline.toRecord(state) : capital
  if (toRecord.length > 0) yield* book(toRecord)
  const explained = new Set(capital.map(({ asset }) => asset))
  return comparisons.map((each): Comparison.Comparison => {
    const text = `${each.text}; see the account's history: it counts as capital, never as profit`
    return explained.has(each.subject) ? { ...each, verdict: "explained", text } : each
  })
})

/** A contradiction that a running bot reported stays one while the new comparison is undecided. */
const asToldBefore = (
  { isUndecided, ...found }: Comparison.Comparison,
  still: ReadonlyArray<string>
): Comparison.Comparison => {
  const subject = Comparison.subjectOf(Comparison.sentenceOf(found))
  const before = still.find((sentence) => Comparison.subjectOf(sentence) === subject)
  if (before === undefined || isUndecided !== true) return found
  const text = `${before.slice(subject.length + 2)}, as a running bot saw it; now undecided: ${found.text}`
  return { ...found, verdict: "contradiction", text }
}

const otherWitnesses = {
  INTENTS:
    "the service shows private ones only, and money of INTENTS is public (set venue.facts.saltFrom to read it); its evidence is the orders and the history",
  ORIGIN_CHAIN:
    "money of ORIGIN_CHAIN is on other chains; its evidence is the orders, the history and the chains' explorers"
} as const

const isPrivate = (swap: SwapHistory.SwapHistory): boolean =>
  [swap.agreed.depositType, swap.agreed.refundType, swap.agreed.recipientType].includes("CONFIDENTIAL_INTENTS")

/** The end user's balances need an invitation; without them the other witnesses still count. */
const balancesOf = Effect.fnUntraced(function* (config: ConfigFile.BotConfig, missing: Array<string>) {
  const { account, markets } = config
  const { home, isSeen } = seenIn(config)
  for (const other of home === "INTENTS" ? [] : (["INTENTS", "ORIGIN_CHAIN"] as const)) {
    const there = markets.assets.filter((asset) => depositTypeOf(account, asset) === other)
    const assetList =
      there.length === markets.assets.length ? "" : ` of ${there.map(({ symbol }) => symbol).join(", ")}`
    if (there.length > 0) missing.push(`balances${assetList}: ${otherWitnesses[other]}`)
  }
  if (isSeen.size === 0 && !(yield* SwapHistory.all).some(isPrivate)) return undefined
  return yield* lookOr(missing, Witnesses.balances(markets, isSeen, home))
})

const lookOr = Effect.fnUntraced(function* (missing: Array<string>, look: ReturnType<typeof Witnesses.balances>) {
  const snapshot = yield* look.pipe(Effect.catchTag("VenueError", (error) => Effect.succeed(error.message)))
  if (typeof snapshot === "string") missing.push(`balances: ${snapshot}`)
  if (snapshot === undefined) missing.push("balances: the bot was too busy; compare again when it is idle")
  return typeof snapshot === "string" ? undefined : snapshot
})
