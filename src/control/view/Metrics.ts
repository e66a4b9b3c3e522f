/**
 * The bot's state in Prometheus' text format, computed from the fold on each request. The configuration bounds the labels: never slots,
 * orders or ids. Amounts are in units of their asset, rounded to doubles: for graphs, not for books.
 */
import { Context, Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import type { Amount, Asset } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { totals } from "../../domain/Ledger.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { placementTransitions } from "../../domain/Placement.ts"
import { holdsOnBot } from "../../engine/holds/Holds.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import type { StrategyState } from "../../engine/state/strategies/StrategyState.ts"
import { sourcesCode, version } from "../../version.ts"
import { mayRun } from "../../views/Problems.ts"
import type { Bot } from "../Bot.ts"
import { live, ready } from "./Health.ts"

type Labels = Readonly<Record<string, string>>
export type MetricSample = readonly [labels: Labels, value: number]

export interface Family {
  readonly name: string
  readonly kind: "gauge" | "counter"
  readonly help: string
  readonly samples: ReadonlyArray<MetricSample>
}

export type MeasuredBot = Pick<
  Bot["Service"],
  "assets" | "markets" | "prices" | "turnedAt" | "pollMaxMillis" | "leaving"
>

export interface MeasuredState {
  readonly state: BotState
  readonly bot: MeasuredBot
  readonly now: number
}

type Read = (seen: MeasuredState) => boolean | number | ReadonlyArray<MetricSample>

interface Row extends Omit<Family, "samples"> {
  readonly read: Read
}

const gauge = (name: string, help: string, read: Read): Row => ({ name, kind: "gauge", help, read })
const counter = (name: string, help: string, read: Read): Row => ({ name, kind: "counter", help, read })

const seconds = (millis: number): number => millis / 1000

/** Returns no figure for an asset with unknown decimals. */
const units = (labels: Labels, amount: Amount, asset: Asset | undefined): ReadonlyArray<MetricSample> =>
  asset === undefined ? [] : [[labels, Number(amount) / 10 ** asset.decimals]]

const flags = ({ state }: MeasuredState, isSo: (strategy: StrategyState) => boolean): ReadonlyArray<MetricSample> =>
  [...state.strategies.values()].filter(mayRun).map((strategy) => [{ strategy: strategy.name }, isSo(strategy) ? 1 : 0])

const perMarket = ({ bot }: MeasuredState, value: (price: TwoSidedPrice) => number): ReadonlyArray<MetricSample> =>
  [...bot.prices].map(([market, price]) => [{ market }, value(price)])

const metrics: ReadonlyArray<Row> = [
  gauge("info", "Always 1; version and mode are in the labels", ({ state }) => [
    [{ version, sources: sourcesCode(), mode: state.run?.mode ?? "" }, 1]
  ]),
  gauge("live", "1 while turns end in time", ({ bot, now, state }) => live(state, bot, now).length === 0),
  gauge("ready", "1 while it can trade", ({ bot, now, state }) => ready(state, bot, now).length === 0),
  gauge("start_time_seconds", "When this run started", ({ state }) => seconds(state.runStartedAt)),
  gauge("last_turn_time_seconds", "When the last turn was complete", ({ bot }) => seconds(bot.turnedAt())),
  counter("journal_events_total", "Events in the journal", ({ state }) => state.sequence),
  counter("fills_total", "Fills recorded", ({ state }) => state.fills),
  gauge("held", "1 while this hold stops new payments", ({ state }) =>
    holdsOnBot(state).map(({ code }) => [{ reason: code }, 1])
  ),
  gauge("kill_switch", "1 while it is on", ({ state }) => state.killed !== undefined),
  gauge(
    "journal_gone",
    "1 while the journal or its lock is another file than the bot opened",
    ({ state }) => state.leaseLost !== undefined
  ),
  gauge("price_doubted", "1 while the quotes of a market may not be used", ({ state }) =>
    [...state.doubts.keys()].map((market) => [{ market }, 1])
  ),
  gauge("venue_down_seconds", "How long the venue has not answered; 0 while it does", ({ now, state }) =>
    state.venueDownSince === undefined ? 0 : seconds(now - state.venueDownSince)
  ),
  gauge("orders", "Unfinished placements by strategy and state", ({ state }) => {
    const open = unfinished(state)
    // Swaps by hand belong to no strategy of the state.
    const names = new Set([...state.strategies.keys(), ...open.map(({ strategy }) => strategy)])
    return [...names].flatMap((name) =>
      Object.keys(placementTransitions).map(
        (each): MetricSample => [
          { strategy: name, state: each },
          open.filter((placement) => placement.strategy === name && placement.state === each).length
        ]
      )
    )
  }),
  gauge(
    "slots_frozen",
    "Slots without new funding until the operator resolves them",
    ({ state }) => [...state.slots.values()].filter(({ frozen }) => frozen !== undefined).length
  ),
  gauge("strategy_paused", "1 while a strategy is paused by a limit or the operator", (seen) =>
    flags(seen, ({ paused }) => paused !== undefined)
  ),
  gauge("strategy_failing", "1 while a strategy cannot be planned", (seen) =>
    flags(seen, ({ failing }) => failing !== undefined)
  ),
  gauge("money", "Units of an asset by place, as the ledger has them", ({ bot, state }) =>
    totals(state.ledger).flatMap(({ amount, asset, place }) => units({ asset, place }, amount, bot.assets.get(asset)))
  ),
  gauge("realised_profit", "Realised profit by average cost, in the quote asset, after fees", ({ bot, state }) =>
    [...state.strategies.values()].flatMap(({ name, trading }) =>
      [...trading].flatMap(([market, { position }]) => {
        const quote = bot.markets.get(market)?.quote
        return units({ strategy: name, market, asset: quote?.symbol ?? "" }, position.basis.realised, quote)
      })
    )
  ),
  gauge("price_mid", "Last mid price of a market", (seen) => perMarket(seen, (price) => Decimal.toNumber(mid(price)))),
  gauge("price_age_seconds", "Age of the last price of a market", (seen) =>
    perMarket(seen, ({ at }) => seconds(seen.now - at))
  )
]

const samplesOf = (read: ReturnType<Read>): ReadonlyArray<MetricSample> =>
  typeof read === "object" ? read : [[{}, Number(read)]]

export const families = (seen: MeasuredState): ReadonlyArray<Family> =>
  metrics.map(({ read, ...metric }) => ({ ...metric, samples: samplesOf(read(seen)) }))

/**
 * Returns a new registry of these figures and of `counted`, which the process counts itself. Figures that no longer apply are not in it.
 */
export const registered = (families: ReadonlyArray<Family>, counted: Metric.MetricRegistry): Metric.MetricRegistry => {
  const registry: Metric.MetricRegistry = new Map(counted)
  const context = Context.make(Metric.MetricRegistry, registry)
  for (const { help: description, kind, name, samples } of families) {
    for (const [attributes, value] of samples) {
      const options = { description, attributes }
      const metric =
        kind === "counter"
          ? Metric.counter(`limitbot_${name}`, { ...options, incremental: true })
          : Metric.gauge(`limitbot_${name}`, options)
      metric.updateUnsafe(value, context)
    }
  }
  return registry
}

export const rendered = (families: ReadonlyArray<Family>) =>
  Effect.map(Metric.MetricRegistry, (counted) =>
    PrometheusMetrics.formatUnsafe(Context.make(Metric.MetricRegistry, registered(families, counted)))
  )
