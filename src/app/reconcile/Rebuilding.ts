/**
 * Makes a new journal from everything that the venue can prove. Orders with money that fit a slot continue in it; all others are followed
 * until they end. Orders of other accounts with the same API key are left alone. The venue does not show which bot of the account made
 * an order, so other bots' journals must be named.
 */
import { Clock, Effect, Stream } from "effect"
import { bySymbol } from "../../domain/Amount.ts"
import type { Order } from "../../domain/Order.ts"
import { ended, recovered } from "../../domain/Placement.ts"
import { countText } from "../../domain/Text.ts"
import { partiesIn } from "../../engine/observation/SharedOrders.ts"
import { momentOf, slotEnds, viewOf } from "../../engine/planning/DecisionRecord.ts"
import * as HistorySync from "../../engine/reconciliation/HistorySync.ts"
import * as Recovery from "../../engine/reconciliation/Recovery.ts"
import * as Witnesses from "../../engine/reconciliation/Witnesses.ts"
import * as StartUp from "../../engine/StartUp.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import { concerns, orderPages } from "../../engine/tracking/OrderReads.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Head from "../../journal/Head.ts"
import * as Lease from "../../journal/Lease.ts"
import { fileOf as archiveOf } from "../../journal/schema/archive.ts"
import * as Layers from "../../Layers.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import { wantedBy } from "../../orderbook/Wanted.ts"
import { Process } from "../../process/Process.ts"
import * as Money from "../../report/text/Money.ts"
import { written } from "../../strategy/Decision.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { Venue } from "../../venue/Venue.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import { version } from "../../version.ts"
import { moneySums } from "../../views/Money.ts"
import { commandFailed } from "../CommandFailed.ts"
import { eventsOf, isThere, readingOf } from "../journal/JournalView.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

const unknown = [
  "the strategy, slot and reason of orders that have ended",
  "the state of strategies and their slots: each starts with its first leg",
  "how much of each budget earlier orders used: each strategy starts with its whole budget, less open orders",
  "payments signed or made whose deposit has not shown yet: compare the account's balance"
]

const ordersOf = (journal: string) =>
  eventsOf("Bound").pipe(
    Effect.map((events) => events.map(({ orderId }) => orderId)),
    Effect.provide(readingOf(journal))
  )

const rebuild = Effect.fnUntraced(function* (
  run: StartUp.BotRun,
  strategies: ReadonlyArray<Strategy>,
  markets: ReturnType<typeof Layers.marketsByName>,
  account: VenueAccount,
  others: ReadonlySet<string>
) {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const parties = new Set(partiesIn(account))
  const pages = yield* Stream.runCollect(orderPages(venue, { parties }))
  const listed = pages.flatMap((page) => page.orders).filter((order) => concerns(parties, order))
  const orders = listed.filter(({ id }) => !others.has(id))
  const total = pages.reduce((sum, { orders: ours, others: foreign = [] }) => sum + ours.length + foreign.length, 0)
  const slotPlans = yield* slotPlansNow(strategies)
  yield* StartUp.record(run, strategies)
  const recovery = Recovery.recover(orders, slotPlans, markets)
  yield* books.record(...Recovery.budgetsOf([...recovery.finished, ...recovery.found]))
  yield* Effect.forEach([...recovery.finished, ...recovery.found], Recovery.takeIn, { discard: true })
  // The money of ended orders is in the budgets of the strategies that continue.
  if (recovery.finished.length > 0) yield* books.record({ _tag: "StrategyRemoved", strategy: ended, orders: "left" })
  yield* books.record({ _tag: "BotStopped", reason: "rebuilt from the venue's orders" })
  const counts = { ofOthers: listed.length - orders.length, ofStrangers: total - listed.length }
  return { recovery, ...counts, state: books.state }
})

const historyOf = Effect.fnUntraced(function* (
  config: ConfigFile.BotConfig,
  { signerId }: VenueAccount,
  { found, finished, unfunded, notUnderstood }: Recovery.Recovery
) {
  if (config.venue.partnerJwt === undefined) return { notAsked: "venue.partnerJwt is not set" }
  const own = new Set([signerId, ...config.account.refundTo.values()])
  const orders = [
    ...found.map(({ order }) => order),
    ...finished.map(({ order }) => order),
    ...unfunded,
    ...notUnderstood
  ]
  const addresses = new Set(orders.map(({ depositAddress }) => depositAddress))
  return yield* Effect.gen(function* () {
    yield* HistorySync.sync()
    const { lines } = yield* Witnesses.history
    const unmatched = [...lines.values()].filter(
      ({ depositAddress, refundTo, status }) =>
        !addresses.has(depositAddress) && own.has(refundTo ?? "") && status !== "PENDING_DEPOSIT"
    )
    return { lines: lines.size, unmatched: unmatched.map(({ depositAddress }) => depositAddress) }
  }).pipe(
    Effect.provide(VenueAccess.besideJournal(config, signerId)),
    Effect.catchTag("VenueError", ({ message }) => Effect.succeed({ notAsked: message }))
  )
})

const slotPlansNow = Effect.fnUntraced(function* (strategies: ReadonlyArray<Strategy>) {
  const orderBook = yield* OrderBook
  const { state } = yield* Bookkeeper
  yield* orderBook.look(
    wantedBy(strategies, (name) => slotEnds(state, name)),
    0
  )
  const now = yield* Clock.currentTimeMillis
  return strategies.flatMap((strategy): ReadonlyArray<Recovery.SlotPlans> => {
    const moment = momentOf(strategy, orderBook.prices, undefined, now)
    if (moment === undefined) return []
    const { desired } = written(strategy.decide(viewOf(state, strategy, moment), strategy.initialMemory))
    return [{ strategy, desired }]
  })
})

interface Asked {
  readonly files: ReadonlyArray<string>
  readonly beside: ReadonlyArray<string>
  readonly config: string
}

export const rebuilt = Effect.fn("Rebuilding.rebuilt")(function* ({ files, beside, config: file }: Asked) {
  const config = yield* ConfigFile.load(file)
  const strategies = files.length === 0 ? [] : yield* StrategyFiles.load(files, config.markets)
  for (const journal of [config.journal, archiveOf(Lease.fileOf(config.journal))])
    if (yield* isThere(journal))
      return yield* commandFailed(
        `${journal} exists, and a journal has more than the venue. If the journal is damaged, move it away first (with its -wal, -shm, .head and .archive files); a backup is better: limitbot journal restore`
      )
  const others = new Set((yield* Effect.forEach(beside, ordersOf)).flat())
  yield* Head.forget(Lease.fileOf(config.journal))
  const account = yield* Layers.accountOf(config)
  const { pid } = yield* Process
  const run = { pid, version, mode: "live", account: account.signerId, venue: config.venue.url }
  const assets = bySymbol(config.markets.assets)
  const result = yield* rebuild(run, strategies, Layers.marketsByName(config.markets), account, others).pipe(
    Effect.provide(Layers.live(config, account, pid))
  )
  const elsewhere = yield* historyOf(config, account, result.recovery)
  const { found, unfunded, finished, notUnderstood } = result.recovery
  const own = found.filter(({ strategy }) => strategy !== recovered).length
  const ids = (orders: ReadonlyArray<Order>) => orders.map(({ id }) => id)
  const { money, notCounted } = moneySums(result.state, assets)
  const data = () => ({
    journal: config.journal,
    orders: found.map(({ order, strategy, slot }) => ({ order: order.id, slot: slotKey(strategy, slot) })),
    unfunded: ids(unfunded),
    finished: finished.length,
    fills: finished.reduce((sum, { order }) => sum + order.fills.length, 0),
    ofOthers: result.ofOthers,
    notUnderstood: ids(notUnderstood),
    money,
    notCounted,
    history: elsewhere,
    unknown
  })
  const lines = () => [
    `${config.journal}: ${countText(found.length, "order")} with money in them, ${own} in their slots again`,
    ...found
      .filter(({ strategy }) => strategy === recovered)
      .map(({ order }) => `  ${order.id} fits no slot of the files: it is tracked until its money is back`),
    ...(own === found.length
      ? []
      : [
          "If another bot trades on this account, some of these may belong to it: then move this journal away, and add --beside with that bot's journal. A kill cancels these orders."
        ]),
    ...(beside.length === 0 ? [] : [`${countText(result.ofOthers, "order")} of other bots: not touched`]),
    ...(result.ofStrangers === 0
      ? []
      : [
          `${countText(result.ofStrangers, "order")} of other accounts of the API key: not touched. If an address of this account was edited, put the old one back, and repeat`
        ]),
    `${countText(finished.length, "order")} that ended, with their fills and fees, under the name ${ended}`,
    ...("notAsked" in elsewhere
      ? [`The history was not read: ${elsewhere.notAsked}`]
      : elsewhere.unmatched.map(
          (address) => `  ${address} is in the history but not in the list of orders: not touched`
        )),
    ...ids(notUnderstood).map((id) => `  ${id} HAS MONEY IN IT and cannot be read: cancel it at the venue`),
    ...(unfunded.length === 0 ? [] : [`${countText(unfunded.length, "order")} without money: not touched`]),
    "",
    ...Money.table(result.state.ledger, assets),
    "",
    "Not known any more:",
    ...unknown.map((text) => `  ${text}`)
  ]
  return { data, lines }
}, Effect.scoped)
