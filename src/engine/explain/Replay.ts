/** Makes each recorded decision again. Unchanged files must give every decision again; an edited file shows its differences. */
import { createHash } from "node:crypto"
import { Result } from "effect"
import { formatWithSymbol } from "../../domain/Amount.ts"
import type { Of, Recorded } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { orderedJson } from "../../domain/Text.ts"
import type { Minute, SeenCandle } from "../../journal/PriceStore.ts"
import { type Memory, written } from "../../strategy/Decision.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { candlesWanted, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import * as CandleFeed from "../markets/CandleFeed.ts"
import { decisionEvent, stable, viewOf } from "../planning/DecisionRecord.ts"
import * as BotState from "../state/BotState.ts"

export type Replayed = ReturnType<ReturnType<typeof make>["result"]>

interface Difference {
  readonly sequence: number
  readonly at: number
  readonly strategy: string
  readonly recorded: string
  readonly now: string
  readonly changes: ReadonlyArray<string>
}

interface Counts {
  decisions: number
  identical: number
}

export interface ReplayOptions {
  readonly markets: Markets
  readonly edited: ReadonlyMap<string, Strategy>
  readonly minutes: ReadonlyMap<string, ReadonlyArray<Minute>>
  readonly candles: ReadonlyMap<string, ReadonlyArray<SeenCandle>>
}

const maxDifferences = 100

export const make = (options: ReplayOptions) => {
  const { edited, markets } = options
  const state = BotState.make()
  const strategies = new Map<string, Strategy>(edited)
  /** Files that ran: from the first decision, until the strategy was removed. */
  const ran = new Map<string, { last: Strategy; readonly hashes: Set<string>; from?: number; to?: number }>()
  /** An edited strategy keeps its own memory; the others use the recorded one. */
  const memories = new Map<string, Memory>()
  const hash = createHash("sha256")
  const differences: Array<Difference> = []
  const byCode = new Map<string, Counts>()
  let withoutFile = 0

  const load = ({ strategy, text, file }: Of<"StrategyLoaded">): void => {
    const source = text ?? state.strategies.get(strategy)?.loaded?.text
    const strategyResult = source === undefined ? undefined : StrategyFile.parse(source, file, markets)
    if (strategyResult === undefined || Result.isFailure(strategyResult)) return
    const last = strategyResult.success
    if (!edited.has(strategy)) strategies.set(strategy, last)
    const { from, hashes = new Set<string>() } = ran.get(strategy) ?? {}
    ran.set(strategy, { last, hashes: hashes.add(last.hash), ...present({ from }) })
  }

  const decide = ({ sequence, at }: Recorded, event: Of<"Decided">): void => {
    const strategy = strategies.get(event.strategy)
    const recordedStrategy = ran.get(event.strategy)
    const code = state.run?.decisionCode ?? ""
    const counts = byCode.get(code) ?? { decisions: 0, identical: 0 }
    byCode.set(code, counts)
    counts.decisions += 1
    const now = event.now ?? at
    if (recordedStrategy !== undefined) recordedStrategy.from ??= now
    // The recorded prices are those of the market that was traded.
    if (strategy === undefined || (recordedStrategy?.last ?? strategy).market.name !== strategy.market.name) {
      withoutFile += 1
      return
    }
    const price = { bid: event.bid, ask: event.ask, at: event.priceAt }
    const elsewhere =
      event.elsewhere && new Map(event.elsewhere.map(({ market, ...price }) => [market, price] as const))
    const prices = new Map([...(elsewhere ?? []), [strategy.market.name, price]])
    const candles = candlesAt(options, strategy, prices, now)
    const view = viewOf(state, strategy, { now, price, ...present({ elsewhere, candles, depth: event.depth }) })
    const isEdited = edited.has(event.strategy)
    const storedMemory = isEdited ? memories.get(event.strategy) : state.strategies.get(event.strategy)?.memory
    const decision = written(strategy.decide(view, storedMemory ?? strategy.initialMemory))
    memories.set(event.strategy, decision.memory)
    const decided = decisionEvent(strategy, view, decision, undefined)
    const [recorded, again] = [stable(event), stable(decided)]
    hash.update(`${sequence} ${again}\n`)
    if (recorded === again) counts.identical += 1
    else if (differences.length < maxDifferences)
      differences.push({
        ...{ sequence, at, strategy: event.strategy, recorded, now: again },
        changes: areLastDigits(recorded, again)
          ? ["only the last digits of its numbers differ: functions of Math round otherwise in another engine"]
          : changesBetween(strategy, event, decided)
      })
  }

  const total = (count: keyof Counts): number => [...byCode.values()].reduce((sum, counts) => sum + counts[count], 0)

  return {
    see: (entry: Recorded): void => {
      const { event } = entry
      if (event._tag === "StrategyLoaded") load(event)
      if (event._tag === "Decided") decide(entry, event)
      if (event._tag === "StrategyRemoved") Object.assign(ran.get(event.strategy) ?? {}, { to: entry.at })
      BotState.apply(state, entry)
    },
    result: () => ({
      decisions: total("decisions"),
      identical: total("identical"),
      /** Hash of all decisions of this replay: equal files on an equal journal give an equal hash. */
      hash: hash.digest("hex"),
      differences,
      withoutFile,
      /** Keyed by the hash of the code that decided then; empty for runs that did not record it. */
      byCode,
      ran: (strategy: string) => ran.get(strategy)
    })
  }
}

/** A minute had closed once a price of a later one was seen. A price long after the last one restarted the candles. */
const candlesAt = (
  { candles: kept, minutes }: Pick<ReplayOptions, "candles" | "minutes">,
  strategy: Strategy,
  prices: ReadonlyMap<string, TwoSidedPrice>,
  now: number
) => {
  const feeds = new Map(
    candlesWanted(strategy).map(({ market, candles }) => {
      const feed = CandleFeed.make(candles)
      const price = prices.get(market.name)
      const until = price?.at ?? now
      const [from, minutesOf, keptOf] = [now - feed.spanMillis, minutes.get(market.name), kept.get(market.name)]
      const seenMinutes = minutesOf?.filter(({ openedAt }) => openedAt >= from && openedAt + minuteMillis <= until)
      feed.restore(seenMinutes ?? [], now)
      feed.adopt(keptOf?.filter(({ openedAt, seenAt }) => openedAt >= from && seenAt <= now) ?? [])
      if (price !== undefined) feed.observe(Decimal.toNumber(mid(price)), price.at)
      return [market.name, feed] as const
    })
  )
  return JoinedCandles.make(strategy)(CandleFeed.seenBy(strategy, feeds, now))
}

const plannedTexts = (strategy: Strategy, { desired, absent }: Of<"Decided">): ReadonlyMap<string, string> => {
  const markets = new Map(marketsSeen(strategy).map((market) => [market.name, market]))
  const orders = ({ legs, market = strategy.market.name, ...only }: Of<"Decided">["desired"][number]) => {
    const { base } = markets.get(market) ?? strategy.market
    const legTexts = (legs ?? [only]).map(({ by, price, quantity, side }) => {
      const text = `${side} ${formatWithSymbol(quantity, base)} at ${Decimal.format(price)}`
      return by === undefined ? text : `${text} by ${by}`
    })
    return legTexts.join(", then ")
  }
  return new Map([
    ...desired.map((wanted) => [wanted.slot, orders(wanted)] as const),
    ...absent.map(({ slot, why }) => [slot, `nothing (${why.code})`] as const)
  ])
}

const changesBetween = (strategy: Strategy, recorded: Of<"Decided">, again: Of<"Decided">): ReadonlyArray<string> => {
  const [before, after] = [plannedTexts(strategy, recorded), plannedTexts(strategy, again)]
  const slots = [...new Set([...before.keys(), ...after.keys()])]
  const lines = slots.flatMap((slot) => {
    const [was = "unknown", now = "unknown"] = [before.get(slot), after.get(slot)]
    return was === now ? [] : [`${slot}: was ${was}; now ${now}`]
  })
  return orderedJson(recorded.memory) === orderedJson(again.memory) ? lines : [...lines, "its memory differs"]
}

const number = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi
/** Two JavaScript engines may differ in the last of about 16 digits. Prices and sums of own code keep 12. */
const tolerance = 1e-11

export const areLastDigits = (recorded: string, again: string): boolean => {
  const numbers = again.match(number) ?? []
  return (
    recorded.replace(number, "#") === again.replace(number, "#") &&
    (recorded.match(number) ?? []).every((text, index) => {
      const [one, other] = [Number(text), Number(numbers[index])]
      return Math.abs(one - other) <= tolerance * Math.abs(one)
    })
  )
}
