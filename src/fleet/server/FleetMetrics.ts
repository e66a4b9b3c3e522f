/**
 * Many bots in Prometheus' text format. Labels are never names of accounts, so a fleet of ten thousand has as many series as one of ten.
 * The classes beyond the largest count as `other`. Assets beyond the `maxAssets` that most bots own are only counted.
 */
import type { Family, MetricSample } from "../../control/view/Metrics.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type BotLine, botStates, problemsByKind, sumOf, totalsOf } from "./FleetView.ts"

const maxClasses = 50
const maxAssets = 100

const largestFirst = <A>(groups: ReadonlyMap<string, ReadonlyArray<A>>) =>
  [...groups].toSorted(([, one], [, other]) => other.length - one.length)

const byClass = (lines: ReadonlyArray<BotLine>): ReadonlyArray<readonly [string, ReadonlyArray<BotLine>]> => {
  const largest = largestFirst(Map.groupBy(lines, (line) => line.class))
  const others = largest.slice(maxClasses).flatMap(([, members]) => members)
  const largestClasses = largest
    .slice(0, maxClasses)
    .map(([name, members]) => [name === "" ? "none" : name, members] as const)
  return others.length === 0 ? largestClasses : [...largestClasses, ["other", others] as const]
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
  type SamplesOf = (name: string, members: ReadonlyArray<BotLine>) => ReadonlyArray<MetricSample>
  const ofEach = (name: string, help: string, samplesOf: SamplesOf): Family => {
    const samples = classes.flatMap(([group, members]) => samplesOf(group, members))
    return gauge(name, help, samples)
  }
  const oldest = (members: ReadonlyArray<BotLine>): number =>
    members.reduce((most, { toldSecondsAgo }) => Math.max(most, toldSecondsAgo ?? Number.POSITIVE_INFINITY), 0)
  return [
    ofEach("bots", "Bots by class and state", (name, members) =>
      botStates.map((state) => [{ class: name, state }, members.filter((line) => line.state === state).length])
    ),
    ofEach("problems", "Bots that have a problem of this kind, by class", (name, members) =>
      problemsByKind(members).map(({ bots, kind, severity }) => [{ class: name, kind, severity }, bots])
    ),
    ofEach("open_orders", "Orders that are not settled yet", (name, members) => [
      [{ class: name }, sumOf(members, "openOrders")]
    ]),
    ofEach("fills", "Fills since each journal began", (name, members) => [[{ class: name }, sumOf(members, "fills")]]),
    ofEach("money", "Units of an asset that the bots own, by their ledgers", (name, members) =>
      moneyOf(members, name, largestAssets)
    ),
    gauge("assets_left_out", "Assets without figures of money, because fewer bots own them than others", [
      [{}, assets.length - largestAssets.size]
    ]),
    ofEach("told_seconds", "Age of the oldest figures; infinite while a bot has none", (name, members) => [
      [{ class: name }, oldest(members)]
    ])
  ]
}
