/** Compares price alerts with a running bot's prices, and edits them. A reached alert is an event, so it is reported once. */
import { Clock, Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { elapsedMillis } from "../../domain/Durations.ts"
import { mid } from "../../domain/Market.ts"
import { iso, percent } from "../../domain/Text.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import * as PriceAlerts from "../../files/PriceAlerts.ts"
import * as WholeFile from "../../journal/WholeFile.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import { aboutOne } from "../../orderbook/Wanted.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import { type Report, sourceText } from "../../strategy/Problem.ts"
import { marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import { pricesIn } from "../../views/Prices.ts"
import { stateOf } from "../journal/JournalView.ts"

type Settings = Pick<BotSettings, "alerts" | "journal" | "markets">

const lookMillis = 1_000
/** Interval of price requests for markets that no strategy uses. */
const pollMillis = 10_000
const staleMillis = 60_000

const isArmed = ({ alerts }: BotState, { since, text }: Pick<PriceAlerts.PriceAlert, "since" | "text">): boolean =>
  (alerts.get(text) ?? -1) < since

const alertsOf = ({ alerts, journal, markets }: Settings) =>
  Effect.map(PriceAlerts.inFile(journal, markets), (added) => [...alerts, ...added])

export const watch = Effect.fn("Alerting.watch")(function* (
  settings: Settings,
  strategies: () => ReadonlyArray<Strategy>
) {
  const { record, state } = yield* Bookkeeper
  const book = yield* OrderBook
  const look = Effect.gen(function* () {
    const armed = (yield* alertsOf(settings)).filter((alert) => isArmed(state, alert))
    if (armed.length === 0) return
    const polled = new Set(strategies().flatMap((strategy) => marketsSeen(strategy).map(({ name }) => name)))
    const others = new Map(armed.flatMap(({ market }) => (polled.has(market.name) ? [] : [[market.name, market]])))
    yield* Effect.ignore(book.look([...others.values()].map(aboutOne), pollMillis))
    const now = yield* Clock.currentTimeMillis
    for (const { market, price, side, text } of armed) {
      const present = book.prices.get(market.name)
      if (present === undefined || elapsedMillis(present.at, now) > staleMillis) continue
      const beyond = Decimal.compare(mid(present), price) * (side === "above" ? 1 : -1)
      if (beyond >= 0) yield* record({ _tag: "AlertReached", alert: text, mid: mid(present) })
    }
  })
  return yield* Effect.forever(Effect.andThen(look, Effect.sleep(lookMillis)))
})

export const change = Effect.fn("Alerting.change")(function* (
  what: "add" | "remove",
  text: string,
  settings: Settings
) {
  const { journal, markets } = settings
  const to: Report = { source: sourceText("alert", text), problems: [] }
  const alert = PriceAlerts.alertOf(text, yield* Clock.currentTimeMillis, markets, to)
  if (alert === undefined)
    return yield* wrongUsage(
      to.problems.map(({ hint, message }) => [message, hint].filter(Boolean).join("; ")).join("; ")
    )
  const before = yield* PriceAlerts.inFile(journal, markets)
  const others = before.filter((other) => other.text !== alert.text)
  if (what === "remove" && others.length === before.length)
    return yield* wrongUsage(
      `${alert.text} was not added by this command: limitbot alert list shows where each alert is from`
    )
  const lines = [...others, ...(what === "add" ? [alert] : [])].map(({ since, text }) => `${iso(since)} ${text}\n`)
  yield* WholeFile.writeAtomically(PriceAlerts.fileOf(journal), lines.join(""))
  return alert.text
})

export const listed = Effect.fn("Alerting.listed")(function* (settings: Settings) {
  const { journal } = settings
  const state = yield* stateOf(journal)
  const status = yield* RunningBot.statusOf(journal, 1_000)
  const prices = pricesIn(status?.prices ?? [])
  return (yield* alertsOf(settings)).map(({ market, price, since, text }) => {
    const present = prices.get(market.name)
    const middle = present && mid(present)
    const away =
      middle && `${percent(Decimal.toNumber(price) / Decimal.toNumber(middle) - 1)} from ${Decimal.short(middle)}`
    return {
      alert: text,
      from: since === 0 ? "configuration" : iso(since),
      state: isArmed(state, { since, text })
        ? `waits, ${away ?? "no price"}`
        : `reached ${iso(state.alerts.get(text) ?? 0)}`
    }
  })
})
