/** `limitbot recover FILE…`: a new journal from what the venue can prove, after the old one was lost. */

import { Clock, Console, Effect, Schema, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { bySymbol } from "../../domain/Amount.ts"
import type { Order } from "../../domain/Order.ts"
import { OrderBook } from "../../engine/book/OrderBook.ts"
import { wantedBy } from "../../engine/book/Wanted.ts"
import { momentOf, viewOf } from "../../engine/planning/DecisionRecord.ts"
import * as Recovery from "../../engine/reconciliation/Recovery.ts"
import * as StartUp from "../../engine/StartUp.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { orderPages } from "../../engine/tracking/OrderReads.ts"
import * as OrderTracker from "../../engine/tracking/OrderTracker.ts"
import * as Money from "../../report/text/Money.ts"
import { counted } from "../../report/text/Words.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { Venue } from "../../venue/Venue.ts"
import { version } from "../../version.ts"
import * as FileName from "../FileName.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import * as StrategyFiles from "../files/StrategyFiles.ts"
import * as flags from "../flags.ts"
import * as Modes from "../Modes.ts"
import { Process } from "../Process.ts"
import { isThere } from "./JournalView.ts"

/** A journal exists: it knows more than the venue. */
export class JournalThere extends Schema.TaggedError<JournalThere>()("JournalThere", { journal: Schema.String }) {
  override get message(): string {
    return `${this.journal} exists, and a journal knows more than the venue. If it is damaged, move it away first (with its -wal and -shm files); a backup is better: limitbot journal restore`
  }
}

export const command = Command.make(
  "recover",
  {
    files: FileName.argument("file").pipe(
      Argument.withDescription("The strategy files that ran (YAML)"),
      Argument.variadic({ min: 1 })
    ),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ files, config: file, json }) {
    const config = yield* ConfigFile.load(file)
    const strategies = yield* StrategyFiles.load(files, config.markets)
    const exists = yield* isThere(config.journal)
    if (exists) return yield* new JournalThere({ journal: config.journal })
    const account = yield* Modes.accountOf(config)
    const { pid } = yield* Process
    const run = { pid, version, mode: "live", account: account.signerId, venue: config.venue.url }
    const assets = bySymbol(config.markets.assets)
    const result = yield* rebuild(run, strategies, Modes.marketsByName(config.markets)).pipe(
      Effect.provide(Modes.live(config, account, pid))
    )
    const { found, unfunded, finished, notUnderstood } = result.recovery
    const own = found.filter(({ strategy }) => strategy !== Recovery.recovered).length
    const ids = (orders: ReadonlyArray<Order>) => orders.map(({ id }) => id)
    if (json) {
      const orders = found.map(({ order, strategy, slot }) => ({ order: order.id, slot: `${strategy}/${slot}` }))
      const money = Money.rows(result.state.ledger, assets)
      const rest = { unfunded: ids(unfunded), finished: finished.length, notUnderstood: ids(notUnderstood) }
      return yield* Console.log(JSON.stringify({ journal: config.journal, orders, ...rest, money, unknown }))
    }
    yield* Console.log(
      [
        `${config.journal}: ${counted(found.length, "order")} with money in them, ${own} in their slots again`,
        ...found
          .filter(({ strategy }) => strategy === Recovery.recovered)
          .map(({ order }) => `  ${order.id} fits no slot of these files: it is looked after until its money is back`),
        ...ids(notUnderstood).map((id) => `  ${id} HAS MONEY IN IT and is not understood: cancel it at the venue`),
        ...(unfunded.length === 0 ? [] : [`${counted(unfunded.length, "order")} without money: left alone`]),
        "",
        ...Money.table(result.state.ledger, assets),
        "",
        "Not known any more:",
        `  ${counted(finished.length, "order")} that are over, their fills and what they earned`,
        ...unknown.map((text) => `  ${text}`)
      ].join("\n")
    )
  }, Effect.scoped)
).pipe(Command.withDescription("Rebuild a lost journal from what the venue can prove, and say what it cannot"))

const unknown = [
  "what strategies remembered, and how far their slots had come: each starts with its first leg",
  "what of the budgets earlier orders had used: each strategy counts on its whole budget, less what rests",
  "payments that were signed or made and have not shown as a deposit yet: compare the account's balance"
]

const rebuild = Effect.fnUntraced(function* (
  run: StartUp.BotRun,
  strategies: ReadonlyArray<Strategy>,
  markets: ReturnType<typeof Modes.marketsByName>
) {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const pages = yield* Stream.runCollect(orderPages(venue))
  const orders = pages.flatMap((page) => page.orders)
  const wishes = yield* wishesNow(strategies)
  yield* StartUp.record(run, strategies)
  const recovery = Recovery.recover(orders, wishes, markets)
  yield* books.record(...Recovery.budgetsOf(recovery.found))
  for (const found of recovery.found) {
    const id = `p${books.state.placementCount + 1}`
    yield* books.record(...Recovery.plannedAs(found, id))
    const sent = books.state.placements.get(id)
    if (sent === undefined) continue
    yield* books.record(...OrderTracker.adopt(sent, found.order))
    const bound = books.state.placements.get(id)
    // Its deposit is recorded at once: an order that looked unfunded would be funded again.
    if (bound !== undefined) yield* books.record(...OrderTracker.observe(bound, found.order))
  }
  yield* books.record({ _tag: "BotStopped", reason: "rebuilt from the venue's orders" })
  return { recovery, state: books.state }
})

/** What the slots want at the present price. */
const wishesNow = Effect.fnUntraced(function* (strategies: ReadonlyArray<Strategy>) {
  const orderBook = yield* OrderBook
  const { state } = yield* Bookkeeper
  yield* orderBook.look(wantedBy(strategies), 0)
  const now = yield* Clock.currentTimeMillis
  return strategies.flatMap((strategy): ReadonlyArray<Recovery.Wishes> => {
    const moment = momentOf(strategy, orderBook.prices, undefined, now)
    if (moment === undefined) return []
    const { desired } = strategy.decide(viewOf(state, strategy, moment), strategy.initialMemory)
    return [{ strategy, desired }]
  })
})
