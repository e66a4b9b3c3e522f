/**
 * The bot's state in Prometheus' text format. It is computed from the fold when asked, so it cannot drift from it.
 * The configuration bounds the labels: assets, places, markets, strategies and states, never slots, orders or ids.
 * Amounts are in units of their asset, rounded to doubles: for graphs, not for books.
 */

import * as Decimal from "../../domain/Decimal.ts"
import { totals } from "../../domain/Ledger.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { placementTransitions } from "../../domain/Placement.ts"
import { holdsOnBot } from "../../engine/holds/Holds.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { version } from "../../version.ts"
import type { Bot } from "../Bot.ts"
import { live, ready } from "./Health.ts"

type Labels = Readonly<Record<string, string>>
type Sample = readonly [labels: Labels, value: number]

interface Family {
  readonly name: string
  readonly kind: "gauge" | "counter"
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

const gauge = (name: string, help: string, samples: ReadonlyArray<Sample>): Family => ({
  name,
  kind: "gauge",
  help,
  samples
})
const counter = (name: string, help: string, value: number): Family => ({
  name,
  kind: "counter",
  help,
  samples: one(value)
})

const one = (value: number): ReadonlyArray<Sample> => [[{}, value]]
const flag = (isSet: boolean): number => (isSet ? 1 : 0)
const seconds = (millis: number): number => millis / 1000

/** What is measured outside the journal. */
export type MeasuredBot = Pick<
  Bot["Service"],
  "assets" | "markets" | "prices" | "turnedAt" | "pollMaxMillis" | "leaving"
>

export const families = (state: BotState, bot: MeasuredBot, now: number): ReadonlyArray<Family> => {
  const open = unfinished(state)
  const strategies = [...state.strategies.values()]
  const perMarket = (value: (price: TwoSidedPrice) => number) =>
    [...bot.prices].map(([market, price]): Sample => [{ market }, value(price)])
  return [
    gauge("info", "Always 1; what runs is in the labels", [[{ version, mode: state.run?.mode ?? "" }, 1]]),
    gauge("live", "1 while turns end in time", one(flag(live(state, bot, now).length === 0))),
    gauge("ready", "1 while it can trade", one(flag(ready(state, bot, now).length === 0))),
    gauge("start_time_seconds", "When this run started", one(seconds(state.runStartedAt))),
    gauge("last_turn_time_seconds", "When the last turn was complete", one(seconds(bot.turnedAt()))),
    counter("journal_events_total", "Events in the journal", state.sequence),
    counter("fills_total", "Fills ever seen", state.fills),
    gauge(
      "held",
      "1 while the whole bot pays nothing for this reason",
      holdsOnBot(state).map(({ code }) => [{ reason: code }, 1])
    ),
    gauge("kill_switch", "1 while it is on", one(flag(state.killed !== undefined))),
    gauge(
      "journal_gone",
      "1 while the journal or its lock is another file than the bot opened",
      one(flag(state.leaseLost !== undefined))
    ),
    gauge(
      "price_doubted",
      "1 while the quotes of a market may not be used",
      [...state.doubts.keys()].map((market) => [{ market }, 1])
    ),
    gauge(
      "venue_down_seconds",
      "How long the venue has not answered; 0 while it does",
      one(state.venueDownSince === undefined ? 0 : seconds(now - state.venueDownSince))
    ),
    gauge(
      "orders",
      "Unfinished placements by strategy and state",
      strategies.flatMap(({ name }) =>
        Object.keys(placementTransitions).map(
          (each): Sample => [
            { strategy: name, state: each },
            open.filter(({ strategy, state }) => strategy === name && state === each).length
          ]
        )
      )
    ),
    gauge(
      "slots_frozen",
      "Slots that get no new funding until somebody looks",
      one([...state.slots.values()].filter(({ frozen }) => frozen !== undefined).length)
    ),
    gauge(
      "strategy_paused",
      "1 while a strategy is paused by a limit or the operator",
      strategies.map(({ name, paused }) => [{ strategy: name }, flag(paused !== undefined)])
    ),
    gauge(
      "strategy_failing",
      "1 while a strategy cannot be planned",
      strategies.map(({ name, failing }) => [{ strategy: name }, flag(failing !== undefined)])
    ),
    gauge(
      "money",
      "Units of an asset by place, as the ledger has them",
      totals(state.ledger).flatMap(({ asset, place, amount }): ReadonlyArray<Sample> => {
        const decimals = bot.assets.get(asset)?.decimals
        return decimals === undefined ? [] : [[{ asset, place }, Number(amount) / 10 ** decimals]]
      })
    ),
    gauge(
      "realised_profit",
      "Profit by average cost in the quote asset, fees taken off",
      strategies.flatMap(({ name, trading }) =>
        [...trading].flatMap(([market, { basis }]): ReadonlyArray<Sample> => {
          const quote = bot.markets.get(market)?.quote
          if (quote === undefined) return []
          return [[{ strategy: name, market, asset: quote.symbol }, Number(basis.realised) / 10 ** quote.decimals]]
        })
      )
    ),
    gauge(
      "price_mid",
      "Last mid price of a market",
      perMarket((price) => Decimal.toNumber(mid(price)))
    ),
    gauge(
      "price_age_seconds",
      "Age of the last price of a market",
      perMarket(({ at }) => seconds(now - at))
    )
  ]
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const labelsOf = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

export const render = (state: BotState, bot: Bot["Service"], now: number): string =>
  families(state, bot, now)
    .flatMap(({ name, kind, help, samples }) => [
      `# HELP limitbot_${name} ${help}`,
      `# TYPE limitbot_${name} ${kind}`,
      ...samples.map(([labels, value]) => `limitbot_${name}${labelsOf(labels)} ${value}`)
    ])
    .join("\n")
    .concat("\n")
