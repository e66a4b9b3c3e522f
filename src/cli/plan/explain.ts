/**
 * `limitbot explain [STRATEGY/SLOT] [--at TIME]`: why a slot holds (or held) its order, or nothing: the rule, what it
 * saw, what our limits and the venue said, and the numbers that would change it. For the past it uses only the
 * journal up to that moment, because files may have changed since.
 */

import { Clock, Console, DateTime, Effect, Option, Result, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { withJournal } from "../../app/journal/JournalView.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Calibration from "../../backtest/results/Calibration.ts"
import type { Of, Recorded } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis, unitMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import { defaults, type OverallLimits, type Settings } from "../../engine/EngineSettings.ts"
import { type Explanation, explain } from "../../engine/explain/Explanation.ts"
import * as PastInputs from "../../engine/explain/PastInputs.ts"
import { type Touched, touchedIn } from "../../engine/explain/Touched.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import type { Markets } from "../../strategy/Markets.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import * as flags from "../flags.ts"

/** The most events of a slot that are shown. */
const shownEvents = 6

export class NoSuchSlot extends Schema.TaggedError<NoSuchSlot>()("NoSuchSlot", {
  slot: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `There is no slot ${this.slot}. There are: ${this.known.slice(0, 30).join(", ")}${this.known.length > 30 ? ", …" : ""}`
  }
}

const millisOf = new Map<string, number>(Object.entries(unitMillis))

const momentOf = Effect.fnUntraced(function* (at: Option.Option<string>) {
  const now = yield* Clock.currentTimeMillis
  if (Option.isNone(at)) return now
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(at.value) ?? []
  if (count !== undefined) return now - Number(count) * (millisOf.get(unit) ?? 0)
  const moment = /^\d{4}-/.test(at.value) ? DateTime.make(at.value) : Option.none()
  if (Option.isSome(moment)) return DateTime.toEpochMillis(moment.value)
  return yield* new WrongUsage({
    message: `--at ${at.value} is not a time. Write 2026-01-31T12:00:00Z, or how long ago: 30s, 5m, 6h, 7d.`
  })
})

/** What tells how far beyond their limits orders filled. */
const ofLives: ReadonlySet<string> = new Set(["Planned", "DepositSeen", "FillSeen", "CancelSent", "Closed"])

/** Gathers, while the journal is read, what its fold drops: what happened to each slot, and what had ended. */
const gather = () => {
  const lives: Array<Recorded> = []
  const lately = new Map<string, Array<Recorded>>()
  const removed = new Map<string, Recorded>()
  const last: { stopped: Recorded | undefined } = { stopped: undefined }
  const seen = (entry: Recorded): void => {
    const { event } = entry
    if (ofLives.has(event._tag)) lives.push(entry)
    if (event._tag === "BotStarted") last.stopped = undefined
    if (event._tag === "BotStopped") last.stopped = entry
    if (event._tag === "StrategyLoaded") removed.delete(event.strategy)
    if (event._tag === "StrategyRemoved") removed.set(event.strategy, entry)
    if (!("slot" in event)) return
    const key = slotKey(event.strategy, event.slot)
    const known = lately.get(key)
    if (known === undefined) lately.set(key, [entry])
    else {
      known.push(entry)
      // Many of them tell a person nothing.
      if (known.length > 4 * shownEvents) known.shift()
    }
  }
  return { lately, lives, removed, last, seen }
}

/**
 * Resting orders, by placement, against the whole minutes of prices that the bot saw up to a moment, and against the
 * margins of its fills in the same market.
 */
export const touches = Effect.fn("explain.touches")(function* (
  state: BotState,
  lives: ReadonlyArray<Recorded>,
  now: number
) {
  const store = yield* PriceStore
  const [marketOf, rested] = [new Map<string, string>(), new Map<string, number>()]
  for (const { at, event } of lives) {
    if (event._tag === "Planned") marketOf.set(event.placement, event.market)
    // A deposit may arrive in parts.
    if (event._tag === "DepositSeen" && !rested.has(event.placement)) rested.set(event.placement, at)
  }
  const resting = unfinished(state).flatMap(({ id, market, price, side }) => {
    const since = rested.get(id)
    return since === undefined ? [] : [{ id, market, side, limit: Decimal.toNumber(price), since }]
  })
  const touched = new Map<string, Touched>()
  for (const [market, orders] of Map.groupBy(resting, (order) => order.market)) {
    const stored = yield* store.since(market, 0)
    // A minute that had not ended may hold prices of after the moment.
    const minutes = stored.filter(({ openedAt }) => openedAt + minuteMillis <= now)
    const own = lives.filter(({ event }) => "placement" in event && marketOf.get(event.placement) === market)
    const { edge } = Calibration.measure(own, new Map([[market, minutes]]))
    for (const order of orders) touched.set(order.id, touchedIn(order, minutes, edge))
  }
  return touched
})

/** The strategy that ran then, as the journal has it. */
const strategyOf = ({ file, text = "" }: Of<"StrategyLoaded">, markets: Markets): Strategy | undefined =>
  Result.getOrUndefined(StrategyFile.parse(text, file, markets))

export const command = Command.make(
  "explain",
  {
    slot: Argument.String("strategy/slot").pipe(
      Argument.withDescription("A slot as `status` shows it; all slots when left out"),
      Argument.optional
    ),
    at: flags.text("at", "A moment in the past: 2026-01-31T12:00:00Z, or how long ago: 30s, 5m, 6h, 7d"),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ slot, at, config, json }) {
    const now = yield* momentOf(at)
    const { markets, limits } = yield* ConfigFile.loadSettings(config)
    const { lately, lives, removed, last, seen } = gather()
    yield* withJournal(
      config,
      ({ state, assets }) =>
        Effect.gen(function* () {
          const strategies = new Map<string, Strategy>()
          const looked = new Map<string, PastInputs.SeenInputs>()
          for (const { name, loaded } of state.strategies.values()) {
            const strategy = loaded && strategyOf(loaded, markets)
            if (strategy === undefined) continue
            strategies.set(name, strategy)
            looked.set(name, yield* PastInputs.look(state, strategy, now))
          }
          const settings = settingsOf(state.run?.overall === undefined ? limits : overallOf(state.run.overall))
          const moment = {
            state,
            assets,
            now,
            strategies,
            seen: looked,
            removed,
            stopped: last.stopped,
            settings,
            lately,
            touched: yield* touches(state, lives, now)
          }
          const all = explain(moment, Option.getOrUndefined(slot))
          const wanted = Option.match(slot, {
            onNone: () => all,
            onSome: (name) => all.filter((each) => each.slot === name || each.slot.startsWith(`${name}/`))
          })
          if (wanted.length === 0 && Option.isSome(slot)) {
            return yield* new NoSuchSlot({ slot: slot.value, known: all.map((each) => each.slot) })
          }
          if (json) return yield* Console.log(JSON.stringify(wanted))
          if (Option.isSome(at)) yield* Console.log(`At ${iso(now)}:`)
          for (const each of wanted) {
            for (const line of lines(each, wanted.length === 1)) yield* Console.log(line)
          }
        }),
      { until: now, seen }
    )
  })
).pipe(
  Command.withDescription(
    "Explain why a slot holds what it holds, or nothing, now or at any time, and what would change that"
  ),
  Command.withExamples([
    { command: "limitbot explain btc-grid/cell-07", description: "One slot now" },
    { command: "limitbot explain btc-grid --at 2h", description: "All slots of a strategy two hours ago" }
  ])
)

const overallOf = ({ exposure, ...counts }: NonNullable<Of<"BotStarted">["overall"]>): OverallLimits => ({
  ...counts,
  exposure: new Map(Object.entries(exposure))
})

/** An explanation needs no account, because it checks no orders against it. */
const settingsOf = (overall: Settings["overall"]): Settings => ({
  ...defaults,
  ...present({ overall }),
  account: { signerId: "", depositType: "INTENTS", maxAppFeeBasisPoints: 0 }
})

/** A slot shown alone lists every limit with its numbers; in a list, limits that pass are only named. */
const lines = (
  { slot, verdict, because, rule, ruleText, inputs, guards, wouldChange, lately }: Explanation,
  isAlone: boolean
): ReadonlyArray<string> => {
  const refusing = guards.filter(({ verdict }) => verdict !== "passes")
  const passing = guards.filter(({ verdict, text }) => verdict === "passes" && text !== "not set")
  return [
    `${slot} ${verdict}`,
    ...because.map((line) => `  because ${line}`),
    ...(rule === null
      ? []
      : [`  by the rule at ${rule}${ruleText === null || ruleText.endsWith(":") ? "" : `: ${ruleText}`}`]),
    ...(inputs === null ? [] : [`  on a mid of ${inputs.mid}, ${inputs.priceAgeMillis} ms old`]),
    ...(inputs === null ? [] : conditionLines(inputs)),
    ...refusing.map(({ guard, verdict, text }) => `  limit ${guard} ${verdict}: ${text}`),
    ...(isAlone
      ? passing.map(({ guard, text }) => `  ${guard}: ok, ${text}`)
      : passing.length === 0
        ? []
        : [`  limits, all ok: ${passing.map(({ guard }) => guard).join(", ")}`]),
    ...wouldChange.map((line) => `  reconsidered ${line.startsWith("mid") ? "when" : "with"} ${line}`),
    ...lately.slice(-shownEvents).map((line) => `  saw ${line}`)
  ]
}

const conditionLines = ({ checks, checkedAt }: NonNullable<Explanation["inputs"]>): ReadonlyArray<string> => [
  ...(checks.length === 0 || checkedAt === null ? [] : [`  on these conditions at ${iso(checkedAt)}`]),
  ...checks.map(({ text, values, holds }) => `    ${text} ${holds ? "holds" : "does not hold"}: ${values}`)
]
