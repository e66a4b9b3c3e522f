/**
 * Compares price alerts with a running bot's prices, and edits them. A reached alert is an event, so it is reported once. So is a market
 * that only alerts use and that has no price.
 */
import { Clock, Effect, Result } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { elapsedMillis, monotonicMillis } from "../../domain/Durations.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { iso, percent, utc } from "../../domain/Text.ts"
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

/** `unread`: lines of the file that are not alerts now. */
const alertsOf = ({ alerts, journal, markets }: Settings) =>
  Effect.map(PriceAlerts.inFile(journal, markets), (lines) => ({
    read: [...alerts, ...lines.flatMap(({ alert }) => alert ?? [])],
    unread: lines.filter(({ alert }) => alert === undefined)
  }))

const isFresh = (price: TwoSidedPrice | undefined, now: number): price is TwoSidedPrice =>
  price !== undefined && elapsedMillis(price.at, now) <= staleMillis

export const watch = Effect.fnUntraced(function* (settings: Settings, strategies: () => ReadonlyArray<Strategy>) {
  const { record, state } = yield* Bookkeeper
  const book = yield* OrderBook
  /** Start of the outage of each market without a price; Infinity once it is reported. */
  let outages: ReadonlyMap<string, number> = new Map()
  const noteOutages = Effect.fnUntraced(function* (markets: ReadonlyArray<string>, failure?: string) {
    const [now, wait] = [yield* Clock.currentTimeMillis, yield* monotonicMillis]
    const unpriced = markets.filter((market) => !isFresh(book.prices.get(market), now))
    // While the venue is down, its own alarm stands, and the time without a price begins with its return.
    const isDown = state.venueDownSince !== undefined
    const since = (market: string) => {
      const begin = outages.get(market) ?? wait
      return isDown && begin !== Infinity ? wait : begin
    }
    const due = unpriced.filter((each) => since(each) <= wait - staleMillis)
    outages = new Map(unpriced.map((market) => [market, due.includes(market) ? Infinity : since(market)]))
    for (const market of due) {
      const reason = book.doubts.get(market)?.reason ?? failure ?? "the venue has not quoted it"
      yield* record({ _tag: "AlertUnpriced", market, reason })
    }
  })
  const look = Effect.gen(function* () {
    const { read } = yield* Effect.withTracerEnabled(alertsOf(settings), false)
    const alerts = read.filter((alert) => isArmed(state, alert))
    // The same alert may be in the configuration and in the file.
    const armed = new Map(alerts.map((alert) => [alert.text, alert]))
    if (armed.size === 0) return yield* noteOutages([])
    const polled = new Set(strategies().flatMap((strategy) => marketsSeen(strategy).map(({ name }) => name)))
    const others = new Map(alerts.flatMap(({ market }) => (polled.has(market.name) ? [] : [[market.name, market]])))
    const looked = yield* Effect.result(book.look([...others.values()].map(aboutOne), pollMillis))
    yield* noteOutages([...others.keys()], Result.isFailure(looked) ? looked.failure.message : undefined)
    const now = yield* Clock.currentTimeMillis
    for (const { market, price, side, text } of armed.values()) {
      const present = book.prices.get(market.name)
      if (!isFresh(present, now)) continue
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
  const since = yield* Clock.currentTimeMillis
  const alert = PriceAlerts.alertOf(text, since, markets, to)
  const before = yield* PriceAlerts.inFile(journal, markets)
  const isUnread = before.some((line) => line.alert === undefined && line.text === text)
  if (alert === undefined && !(what === "remove" && isUnread))
    return yield* wrongUsage(
      to.problems.map(({ hint, message }) => [message, hint].filter(Boolean).join("; ")).join("; ")
    )
  const name = alert?.text ?? text
  const others = before.filter((other) => other.text !== name)
  if (what === "remove" && others.length === before.length)
    return yield* wrongUsage(
      `${name} was not added by this command: limitbot alert list shows where each alert is from`
    )
  const added = what === "add" ? [{ since, text: name }] : []
  const lines = [...others, ...added].map(({ since, text }) => `${iso(since)} ${text}\n`)
  yield* WholeFile.writeAtomically(PriceAlerts.fileOf(journal), lines.join(""))
  return name
})

export const listed = Effect.fn("Alerting.listed")(function* (settings: Settings) {
  const state = yield* stateOf(settings.journal)
  const status = yield* RunningBot.statusOf(settings.journal, 1_000)
  const prices = pricesIn(status?.prices ?? [])
  const { read, unread } = yield* alertsOf(settings)
  const rows = read.map(({ market, price, since, text }) => {
    const present = prices.get(market.name)
    const middle = present && mid(present)
    const away =
      middle && `${percent(Decimal.toNumber(price) / Decimal.toNumber(middle) - 1)} from ${Decimal.short(middle)}`
    return {
      alert: text,
      from: since === 0 ? "configuration" : iso(since),
      state: isArmed(state, { since, text })
        ? `waits, ${away ?? "no price"}`
        : `reached ${utc(state.alerts.get(text) ?? 0)}`
    }
  })
  const unreadRows = unread.map(({ problem, since, text }) => {
    return { alert: text, from: iso(since), state: `not watched: ${problem}` }
  })
  return [...rows, ...unreadRows]
})
