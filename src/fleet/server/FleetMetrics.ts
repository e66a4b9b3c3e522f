/**
 * Many bots in Prometheus' text format. Labels are never names of accounts, so a fleet of ten thousand has as many series as one of ten.
 * The classes beyond the largest count as `other`. Assets beyond the `maxAssets` that most bots own are only counted.
 */
import type { Family, MetricSample } from "../../control/view/Metrics.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type BotLine, botStates, problemsByKind, sumOf, totalsOf } from "./FleetView.ts"

const maxClasses = 50
const maxAssets = 100
const rest = "other"

const largestFirst = <A>(groups: ReadonlyMap<string, ReadonlyArray<A>>) =>
  [...groups].toSorted(([, one], [, other]) => other.length - one.length)

const byClass = (lines: ReadonlyArray<BotLine>): ReadonlyArray<readonly [string, ReadonlyArray<BotLine>]> => {
  const largest = largestFirst(Map.groupBy(lines, (line) => line.class))
  const others = largest.slice(maxClasses).flatMap(([, members]) => members)
  const largestClasses = largest
    .slice(0, maxClasses)
    .map(([name, members]) => [name === "" ? "none" : name, members] as const)
  return others.length === 0 ? largestClasses : [...largestClasses, [rest, others] as const]
}

const byOwners = (lines: ReadonlyArray<BotLine>): ReadonlyArray<string> => {
  const ownedAssets = lines.flatMap(({ money }) => [...new Set(money.map(({ asset }) => asset))])
  return largestFirst(Map.groupBy(ownedAssets, (asset) => asset)).map(([asset]) => asset)
}

const moneyOf = (
  lines: ReadonlyArray<BotLine>,
  name: string,
  assets: ReadonlySet<string>
): ReadonlyArray<MetricSample> => {
  const sums = new Map<string, number>()
  for (const { amount, asset } of totalsOf(lines)) {
    const value = Decimal.parse(amount)
    if (value === undefined || !assets.has(asset)) continue
    sums.set(asset, (sums.get(asset) ?? 0) + Decimal.toNumber(value))
  }
  return [...sums].map(([asset, value]) => [{ class: name, asset }, value])
}

const gauge = (name: string, help: string, samples: ReadonlyArray<MetricSample>): Family => ({
  name: `fleet_${name}`,
  kind: "gauge",
  help,
  samples
})

export const families = (lines: ReadonlyArray<BotLine>): ReadonlyArray<Family> => {
  const classes = byClass(lines)
  const assets = byOwners(lines)
  const largestAssets = new Set(assets.slice(0, maxAssets))
  return [
    gauge(
      "bots",
      "Bots by class and state",
      classes.flatMap(([name, members]) =>
        botStates.map(
          (state): MetricSample => [{ class: name, state }, members.filter((line) => line.state === state).length]
        )
      )
    ),
    gauge(
      "problems",
      "Bots that have a problem of this kind, by class",
      classes.flatMap(([name, members]) =>
        problemsByKind(members).map(({ bots, kind, severity }): MetricSample => [{ class: name, kind, severity }, bots])
      )
    ),
    gauge(
      "open_orders",
      "Orders that are not settled yet",
      classes.map(([name, members]): MetricSample => [{ class: name }, sumOf(members, "openOrders")])
    ),
    gauge(
      "fills",
      "Fills since each journal began",
      classes.map(([name, members]): MetricSample => [{ class: name }, sumOf(members, "fills")])
    ),
    gauge(
      "money",
      "Units of an asset that the bots own, by their ledgers",
      classes.flatMap(([name, members]) => moneyOf(members, name, largestAssets))
    ),
    gauge("assets_left_out", "Assets without figures of money, because fewer bots own them than others", [
      [{}, assets.length - largestAssets.size]
    ]),
    gauge(
      "told_seconds",
      "Age of the oldest figures; infinite while a bot has none",
      classes.map(
        ([name, members]): MetricSample => [
          { class: name },
          members.reduce(
            (oldest, { toldSecondsAgo }) => Math.max(oldest, toldSecondsAgo ?? Number.POSITIVE_INFINITY),
            0
          )
        ]
      )
    )
  ]
}
