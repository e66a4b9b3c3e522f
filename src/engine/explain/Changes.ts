/** Differences between two decisions of one strategy, slot by slot, in words. */
import { formatWithSymbol } from "../../domain/Amount.ts"
import type { Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { orderedJson } from "../../domain/Text.ts"
import { marketsSeen, type Strategy } from "../../strategy/Strategy.ts"

type Decided = Of<"Decided">

const plannedTexts = (strategy: Strategy, { desired, absent }: Decided): ReadonlyMap<string, string> => {
  const markets = new Map(marketsSeen(strategy).map((market) => [market.name, market]))
  const orders = ({ legs, market = strategy.market.name, ...only }: Decided["desired"][number]) => {
    const { base } = markets.get(market) ?? strategy.market
    const legTexts = (legs ?? [only]).map(({ by, price, quantity, side }) =>
      [
        side,
        formatWithSymbol(quantity, base),
        "at",
        Decimal.format(price),
        ...(by === undefined ? [] : [`by ${by}`])
      ].join(" ")
    )
    return legTexts.join(", then ")
  }
  return new Map([
    ...desired.map((wanted) => [wanted.slot, orders(wanted)] as const),
    ...absent.map(({ slot, why }) => [slot, `nothing (${why.code})`] as const)
  ])
}

export const between = (strategy: Strategy, recorded: Decided, again: Decided): ReadonlyArray<string> => {
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
