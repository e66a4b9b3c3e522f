/** Explains a journal at a time. It uses only the journal up to that time, because files may have changed since. */
import { Clock, Effect, Option, Result, Stream } from "effect"
import { bySymbol } from "../../domain/Amount.ts"
import type { Of, Recorded } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis, unitMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import { utc } from "../../domain/Text.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { defaults, type OverallLimits, type Settings } from "../../engine/EngineSettings.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as ByHand from "../../files/ByHand.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import { Journal } from "../../journal/Journal.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import * as Calibration from "../../ledger/measured/Calibration.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import { explain, lines, shownEvents } from "../../views/Explanation.ts"
import * as PastInputs from "../../views/explain/PastInputs.ts"
import { type Touched, touchedIn } from "../../views/explain/Touched.ts"
import { commandFailed } from "../CommandFailed.ts"
import { withSettings } from "../journal/JournalView.ts"

const millisOf = new Map<string, number>(Object.entries(unitMillis))

const momentOf = Effect.fnUntraced(function* (at: string | undefined) {
  const now = yield* Clock.currentTimeMillis
  if (at === undefined) return now
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(at) ?? []
  if (count !== undefined) return now - Number(count) * (millisOf.get(unit) ?? 0)
  const moment = Timestamp.written(at)
  if (moment !== undefined) return moment
  return yield* wrongUsage(`--at ${at} is not a time. Write 2026-01-31T12:00:00Z, or how long ago: 30s, 5m, 6h, 7d.`)
})

const ofLives: ReadonlySet<string> = new Set(["Planned", "DepositSeen", "FillSeen", "CancelSent", "Closed"])

const gather = () => {
  const lives: Array<Recorded> = []
  const lately = new Map<string, Array<Recorded>>()
  const removed = new Map<string, Recorded>()
  const last: { stopped: Recorded | undefined } = { stopped: undefined }
  const noteEntry = (entry: Recorded): void => {
    const { event } = entry
    if (ofLives.has(event._tag)) lives.push(entry)
    if (event._tag === "BotStarted") last.stopped = undefined
    if (event._tag === "BotStopped") last.stopped = entry
    if (event._tag === "StrategyLoaded") removed.delete(event.strategy)
    if (event._tag === "StrategyRemoved") removed.set(event.strategy, entry)
    if (!("slot" in event)) return
    const key = slotKey(event.strategy, event.slot)
    const recentEntries = lately.get(key) ?? []
    lately.set(key, recentEntries)
    recentEntries.push(entry)
    // More events than shown are kept, because many have no text for people.
    if (recentEntries.length > 4 * shownEvents) recentEntries.shift()
  }
  return { lately, lives, removed, last, seen: noteEntry }
}

/** Compares open orders, by placement, with the whole minutes of prices up to `now`, and with the margins of fills in the same market. */
export const touches = Effect.fn("Explaining.touches")(function* (
  state: BotState,
  lives: ReadonlyArray<Recorded>,
  now: number
) {
  const store = yield* PriceStore
  const [marketOf, rested] = [new Map<string, string>(), new Map<string, number>()]
  for (const { at, event } of lives) {
    if (event._tag === "Planned") marketOf.set(event.placement, event.market)
    // An order counts as open from the first part of its deposit.
    if (event._tag === "DepositSeen" && !rested.has(event.placement)) rested.set(event.placement, at)
  }
  const resting = unfinished(state).flatMap(({ id, market, price, side }) => {
    const since = rested.get(id)
    return since === undefined ? [] : [{ id, market, side, limit: Decimal.toNumber(price), since }]
  })
  const touched = new Map<string, Touched>()
  for (const [market, orders] of Map.groupBy(resting, (order) => order.market)) {
    const stored = yield* store.since(market, 0)
    // A minute that had not ended may contain later prices.
    const minutes = stored.filter(({ openedAt }) => openedAt + minuteMillis <= now)
    const own = lives.filter(({ event }) => "placement" in event && marketOf.get(event.placement) === market)
    const { edge } = Calibration.measure(own, new Map([[market, minutes]]))
    for (const order of orders) touched.set(order.id, touchedIn(order, minutes, edge))
  }
  return touched
})

const overallOf = ({ exposure, ...counts }: NonNullable<Of<"BotStarted">["overall"]>): OverallLimits => ({
  ...counts,
  exposure: new Map(Object.entries(exposure))
})

const settingsOf = (overall: Settings["overall"]): Settings => ({
  ...defaults,
  ...present({ overall }),
  account: { signerId: "", depositType: "INTENTS", maxAppFeeBasisPoints: 0 }
})

/** A slot of an order by hand also has the name of its order, with or without its strategy. */
const isNamed = (key: string, name: string | undefined): boolean => {
  const order = ByHand.orderOf(key)
  return name === key || name === order || (ByHand.isByHand(key) && order.endsWith(`/${name}`))
}

export const explained = Effect.fn("Explaining.explained")(function* (
  { limits, markets }: Pick<BotSettings, "limits" | "markets">,
  slot: string | undefined,
  at: string | undefined
) {
  const now = yield* momentOf(at)
  const { events } = yield* Journal
  const first = Option.getOrUndefined(yield* Stream.runHead(events()))
  if (first !== undefined && first.at > now)
    return yield* commandFailed(`At ${utc(now)} there is no data: the journal begins at ${utc(first.at)}`)
  const { lately, lives, removed, last, seen } = gather()
  const state = yield* Bookkeeper.replayUntil(now, seen)
  const strategies = new Map<string, Strategy>()
  const looked = new Map<string, PastInputs.SeenInputs>()
  for (const { name, loaded } of state.strategies.values()) {
    const strategy = loaded && Result.getOrUndefined(StrategyFile.parse(loaded.text ?? "", loaded.file, markets))
    if (strategy === undefined) continue
    strategies.set(name, strategy)
    looked.set(name, yield* PastInputs.look(state, strategy, now))
  }
  const moment = {
    state,
    assets: bySymbol(markets.assets),
    now,
    strategies,
    seen: looked,
    removed,
    stopped: last.stopped,
    settings: settingsOf(state.run?.overall === undefined ? limits : overallOf(state.run.overall)),
    lately,
    touched: yield* touches(state, lives, now)
  }
  const ownKeys = [...state.slots.keys()].filter((key) => isNamed(key, slot))
  const all = explain(moment, ownKeys)
  const matches = all.filter(
    (each) => slot === undefined || isNamed(each.slot, slot) || each.slot.startsWith(`${slot}/`)
  )
  if (matches.length === 0 && slot !== undefined) {
    const names = all.slice(0, 30).map((each) => each.slot)
    const slots = `Slots: ${names.join(", ")}${all.length > 30 ? ", …" : ""}`
    return yield* commandFailed(`No slot ${slot}${all.length === 0 ? ": no strategy was loaded" : `. ${slots}`}`)
  }
  return { now, slots: matches }
})

interface Asked {
  readonly slot: string | undefined
  readonly at: string | undefined
}

export const explanationOf = Effect.fn("Explaining.found")(function* ({ at, slot }: Asked) {
  const { now, slots } = yield* withSettings((settings) => explained(settings, slot, at))
  const title = at !== undefined ? [`At ${utc(now)}:`] : []
  return {
    data: () => slots,
    lines: () => [...title, ...slots.flatMap((each) => lines(each, slots.length === 1))]
  } satisfies CommandAnswer
})
