/** One list of a fleet's accounts, as last reported, and of single bots. Sums are exact, by asset; unknown amounts are not added. */
import { Schema } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { present } from "../../domain/Present.ts"
import { ProfitReport } from "../../journal/ProfitReport.ts"
import type { FleetAccount } from "../../journal/postgres/Registry.ts"
import { Time } from "../../views/AsOf.ts"
import type { moneyView } from "../../views/Money.ts"
import { OrderView } from "../../views/Orders.ts"
import { ProblemView } from "../../views/Problems.ts"
import type { Status } from "../../views/Status.ts"

const Text = Schema.String

export const botStates = ["nobody's", "failing", "unreachable", "killed", "paused", "running"] as const

const Sum = Schema.Struct({ asset: Text, id: Text, amount: Text })
type Sum = typeof Sum.Type

export const BotLine = Schema.Struct({
  name: Text,
  kind: Schema.Literals(["account", "bot"]),
  /** Folder whose strategies it shares; empty if none. */
  class: Text,
  state: Schema.Literals(botStates),
  why: Text,
  runner: Schema.NullOr(Text),
  openOrders: Schema.NullOr(Schema.Int),
  fills: Schema.NullOr(Schema.Int),
  problems: Schema.Array(Schema.Struct({ severity: Schema.Literals(["alarm", "warn"]), kind: Text, text: Text })),
  money: Schema.Array(Sum),
  profit: Schema.Array(ProfitReport),
  toldSecondsAgo: Schema.NullOr(Schema.Finite)
})
export type BotLine = typeof BotLine.Type

export const FleetOverview = Schema.Struct({
  at: Time,
  role: Schema.Literals(["signaller", "viewer", "trader", "operator"]),
  states: Schema.Array(Schema.Struct({ state: Schema.Literals(botStates), bots: Schema.Int })),
  classes: Schema.Array(Schema.Struct({ class: Text, bots: Schema.Int })),
  problems: Schema.Array(Schema.Struct({ kind: Text, severity: Schema.Literals(["alarm", "warn"]), bots: Schema.Int })),
  openOrders: Schema.Int,
  fills: Schema.Int,
  totals: Schema.Array(Sum),
  profits: Schema.Array(Schema.Struct({ asset: Text, amount: Text, bots: Schema.Int })),
  /** Before the filter. */
  bots: Schema.Int,
  /** Bots that do not run, or have a problem. */
  troubled: Schema.Int,
  /** Bots that pass the filter. Only the worst of them are listed. */
  matching: Schema.Int,
  listed: Schema.Array(BotLine)
})
export type FleetOverview = typeof FleetOverview.Type

export const BotDetail = Schema.Struct({
  at: Time,
  line: BotLine,
  problems: Schema.Array(ProblemView),
  orders: Schema.Array(OrderView),
  money: Schema.Array(Schema.Struct({ asset: Text, place: Text, amount: Text }))
})
export type BotDetail = typeof BotDetail.Type

const stateOf = ({ isOwned, told, wanted }: FleetAccount): BotLine["state"] => {
  if (!isOwned) return "nobody's"
  if (told !== undefined && told.failing !== null) return "failing"
  return wanted
}

export const lineOf = (account: FleetAccount): BotLine => {
  const { isOwned, name, owner, told, toldSecondsAgo, wanted, why } = account
  const failing = told?.failing ?? null
  return {
    ...unreachable(name, failing ?? (wanted === "running" ? "" : why)),
    kind: "account",
    class: account.class,
    state: stateOf(account),
    runner: isOwned ? (owner ?? null) : null,
    problems: [
      ...(failing === null ? [] : [{ severity: "alarm" as const, kind: "does-not-run", text: failing }]),
      ...(told?.problems ?? [])
    ],
    ...(told && { openOrders: told.openOrders, fills: told.fills, money: told.money, profit: told.profit ?? [] }),
    toldSecondsAgo: toldSecondsAgo ?? null
  }
}

export const unreachable = (name: string, why: string): BotLine => ({
  name,
  kind: "bot",
  class: "",
  state: "unreachable",
  why,
  runner: null,
  openOrders: null,
  fills: null,
  problems: [{ severity: "alarm", kind: "unreachable", text: why }],
  money: [],
  profit: [],
  toldSecondsAgo: null
})

export interface BotAnswer {
  readonly status: Pick<Status, "killSwitch" | "strategies" | "openOrders" | "fills" | "problems">
  readonly money: ReturnType<typeof moneyView>["rows"]
  readonly profit: BotLine["profit"]
}

export const lineOfBot = (name: string, answered: BotAnswer): BotLine => {
  const { fills, killSwitch, openOrders, problems, strategies } = answered.status
  const isPaused = strategies.length > 0 && strategies.every(({ paused }) => paused !== null)
  return {
    ...unreachable(name, killSwitch ?? ""),
    state: killSwitch !== null ? "killed" : isPaused ? "paused" : "running",
    openOrders,
    fills,
    problems: problems.map(({ kind, severity, text }) => ({ severity, kind, text })),
    // A bot's answer has no asset ids, so its assets are counted by symbol, apart from those of accounts.
    money: ownedIn(answered.money).map((sum) => ({ ...sum, id: "" })),
    profit: answered.profit.map(profitIn),
    toldSecondsAgo: 0
  }
}

/** Keeps the fields of a report; a bot's answer has more. */
export const profitIn = ({ asset, curve, equity, exposure, share, total }: ProfitReport): ProfitReport => ({
  asset,
  total,
  share,
  ...present({ equity, exposure, curve })
})

/** Paid fees and abandoned money no longer belong to the bot. */
const lossPlaces: ReadonlySet<string> = new Set(["fees", "lost"])

export const ownedIn = (rows: ReturnType<typeof moneyView>["rows"]) =>
  summed(
    rows.filter(({ place }) => !lossPlaces.has(place)).map(({ amount, asset }) => ({ asset, id: asset, amount }))
  ).map(({ amount, asset }) => ({ asset, amount }))

/** Sums by identifier, because two accounts may use one symbol for different assets. */
const summed = (parts: ReadonlyArray<Sum>): ReadonlyArray<Sum> => {
  const sums = new Map<string, Sum>()
  for (const part of parts) {
    const amount = Decimal.parse(part.amount)
    if (amount === undefined) continue
    const key = `${part.id} ${part.asset}`
    const before = Decimal.parse(sums.get(key)?.amount ?? "0") ?? Decimal.zero
    sums.set(key, { ...part, amount: Decimal.format(Decimal.add(before, amount)) })
  }
  return [...sums.values()].toSorted((one, other) => one.asset.localeCompare(other.asset))
}

export interface FleetFilter {
  readonly search?: string | undefined
  readonly state?: BotLine["state"] | undefined
  readonly class?: string | undefined
  readonly problem?: string | undefined
}

const passes = ({ class: wanted, problem, search = "", state }: FleetFilter) => {
  const words = search.toLowerCase().split(/\s+/)
  return (line: BotLine): boolean => {
    const { name, problems, runner } = line
    const text = [name, line.class, runner ?? "", ...problems.map(({ kind, text }) => `${kind} ${text}`)]
    const all = text.join(" ").toLowerCase()
    return (
      words.every((word) => all.includes(word)) &&
      (state === undefined || line.state === state) &&
      (wanted === undefined || line.class === wanted) &&
      (problem === undefined || problems.some(({ kind }) => kind === problem))
    )
  }
}

export const worstFirst = (lines: ReadonlyArray<BotLine>): ReadonlyArray<BotLine> => {
  const rank = ({ problems, state }: BotLine): number =>
    botStates.indexOf(state) < botStates.indexOf("killed")
      ? 0
      : problems.some(({ severity }) => severity === "alarm")
        ? 1
        : problems.length > 0
          ? 2
          : 3
  const lowest = ({ profit }: BotLine): number => Math.min(...profit.map(({ share }) => share ?? 0), 0)
  return lines.toSorted((one, other) => rank(one) - rank(other) || lowest(one) - lowest(other))
}

const countBy = <K extends string>(keys: ReadonlyArray<K>) =>
  [...Map.groupBy(keys, (key) => key)].map(([key, those]) => ({ key, bots: those.length }))

export const problemsByKind = (lines: ReadonlyArray<BotLine>): FleetOverview["problems"] => {
  const severities = new Map(lines.flatMap(({ problems }) => problems.map(({ kind, severity }) => [kind, severity])))
  const kinds = lines.flatMap(({ problems }) => [...new Set(problems.map(({ kind }) => kind))])
  return countBy(kinds)
    .map(({ key, bots }) => ({ kind: key, severity: severities.get(key) ?? "warn", bots }))
    .toSorted((one, other) => one.severity.localeCompare(other.severity) || other.bots - one.bots)
}

export const totalsOf = (lines: ReadonlyArray<BotLine>): ReadonlyArray<Sum> =>
  summed(lines.flatMap(({ money }) => money))

const profitsOf = (lines: ReadonlyArray<BotLine>): FleetOverview["profits"] => {
  const all = lines.flatMap(({ profit }) => profit.map(({ asset, total }) => ({ asset, id: "", amount: total })))
  return summed(all).map(({ amount, asset }) => ({
    asset,
    amount,
    bots: all.filter((each) => each.asset === asset).length
  }))
}

export const sumOf = (lines: ReadonlyArray<BotLine>, figure: "openOrders" | "fills"): number =>
  lines.reduce((sum, line) => sum + (line[figure] ?? 0), 0)

export const fleetView = (
  lines: ReadonlyArray<BotLine>,
  filter: FleetFilter,
  most: number
): Omit<FleetOverview, "at" | "role"> => {
  const matching = lines.filter(passes(filter))
  const states = countBy(lines.map(({ state }) => state))
  return {
    states: botStates.flatMap((state) =>
      states.filter(({ key }) => key === state).map(({ bots }) => ({ state, bots }))
    ),
    classes: countBy(lines.map((line) => line.class)).map(({ key, bots }) => ({ class: key, bots })),
    problems: problemsByKind(lines),
    openOrders: sumOf(lines, "openOrders"),
    fills: sumOf(lines, "fills"),
    totals: totalsOf(lines),
    profits: profitsOf(lines),
    bots: lines.length,
    troubled: lines.filter(({ problems, state }) => state !== "running" || problems.length > 0).length,
    matching: matching.length,
    listed: worstFirst(matching).slice(0, most)
  }
}
