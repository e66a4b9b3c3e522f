/**
 * The bot's state in Prometheus' text format. It is computed from the fold when asked, so it cannot drift from it.
 * The configuration bounds the labels: assets, places, markets, strategies and states, never slots, orders or ids.
 * Amounts are in units of their asset, rounded to doubles: for graphs, not for books.
 */

import * as Decimal from "../../domain/Decimal.ts"
import { totals } from "../../domain/Ledger.ts"
import { mid } from "../../domain/Market.ts"
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

const one = (value: number): ReadonlyArray<Sample> => [[{}, value]]
const seconds = (millis: number): number => millis / 1000

/** What is measured outside the journal. */
export type MeasuredBot = Pick<
  Bot["Service"],
  "assets" | "markets" | "prices" | "turnedAt" | "pollMaxMillis" | "leaving"
>

export const families = (state: BotState, bot: MeasuredBot, now: number): ReadonlyArray<Family> => {
  const open = unfinished(state)
  const strategies = [...state.strategies.values()]
  const assetOf = (symbol: string) => bot.assets.get(symbol)
  return [
    {
      name: "info",
      kind: "gauge",
      help: "Always 1; what runs is in the labels",
      samples: [[{ version, mode: state.run?.mode ?? "" }, 1]]
    },
    {
      name: "live",
      kind: "gauge",
      help: "1 while turns end in time",
      samples: one(live(state, bot, now).length === 0 ? 1 : 0)
    },
    {
      name: "ready",
      kind: "gauge",
      help: "1 while it can trade",
      samples: one(ready(state, bot, now).length === 0 ? 1 : 0)
    },
    {
      name: "start_time_seconds",
      kind: "gauge",
      help: "When this run started",
      samples: one(seconds(state.runStartedAt))
    },
    {
      name: "last_turn_time_seconds",
      kind: "gauge",
      help: "When the last turn was complete",
      samples: one(seconds(bot.turnedAt()))
    },
    { name: "journal_events_total", kind: "counter", help: "Events in the journal", samples: one(state.sequence) },
    { name: "fills_total", kind: "counter", help: "Fills ever seen", samples: one(state.fills) },
    {
      name: "held",
      kind: "gauge",
      help: "1 while the whole bot pays nothing for this reason",
      samples: holdsOnBot(state).map(({ code }): Sample => [{ reason: code }, 1])
    },
    { name: "kill_switch", kind: "gauge", help: "1 while it is on", samples: one(state.killed === undefined ? 0 : 1) },
    {
      name: "journal_gone",
      kind: "gauge",
      help: "1 while the journal or its lock is another file than the bot opened",
      samples: one(state.leaseLost === undefined ? 0 : 1)
    },
    {
      name: "price_doubted",
      kind: "gauge",
      help: "1 while the quotes of a market may not be used",
      samples: [...state.doubts.keys()].map((market): Sample => [{ market }, 1])
    },
    {
      name: "venue_down_seconds",
      kind: "gauge",
      help: "How long the venue has not answered; 0 while it does",
      samples: one(state.venueDownSince === undefined ? 0 : seconds(now - state.venueDownSince))
    },
    {
      name: "orders",
      kind: "gauge",
      help: "Unfinished placements by strategy and state",
      samples: strategies.flatMap(({ name }) =>
        Object.keys(placementTransitions).map(
          (each): Sample => [
            { strategy: name, state: each },
            open.filter(({ strategy, state }) => strategy === name && state === each).length
          ]
        )
      )
    },
    {
      name: "slots_frozen",
      kind: "gauge",
      help: "Slots that get no new funding until somebody looks",
      samples: one([...state.slots.values()].filter(({ frozen }) => frozen !== undefined).length)
    },
    {
      name: "strategy_paused",
      kind: "gauge",
      help: "1 while a strategy is paused by a limit or the operator",
      samples: strategies.map(({ name, paused }): Sample => [{ strategy: name }, paused === undefined ? 0 : 1])
    },
    {
      name: "strategy_failing",
      kind: "gauge",
      help: "1 while a strategy cannot be planned",
      samples: strategies.map(({ name, failing }): Sample => [{ strategy: name }, failing === undefined ? 0 : 1])
    },
    {
      name: "money",
      kind: "gauge",
      help: "Units of an asset by place, as the ledger has them",
      samples: totals(state.ledger).flatMap(({ asset, place, amount }): ReadonlyArray<Sample> => {
        const decimals = assetOf(asset)?.decimals
        return decimals === undefined ? [] : [[{ asset, place }, Number(amount) / 10 ** decimals]]
      })
    },
    {
      name: "realised_profit",
      kind: "gauge",
      help: "Profit by average cost in the quote asset, fees taken off",
      samples: strategies.flatMap(({ name, trading }) =>
        [...trading].flatMap(([market, { basis }]): ReadonlyArray<Sample> => {
          const quote = bot.markets.get(market)?.quote
          const value = quote === undefined ? undefined : Number(basis.realised) / 10 ** quote.decimals
          return quote === undefined || value === undefined
            ? []
            : [[{ strategy: name, market, asset: quote.symbol }, value]]
        })
      )
    },
    {
      name: "price_mid",
      kind: "gauge",
      help: "Last mid price of a market",
      samples: [...bot.prices].map(([market, price]): Sample => [{ market }, Decimal.toNumber(mid(price))])
    },
    {
      name: "price_age_seconds",
      kind: "gauge",
      help: "Age of the last price of a market",
      samples: [...bot.prices].map(([market, { at }]): Sample => [{ market }, seconds(now - at)])
    }
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
