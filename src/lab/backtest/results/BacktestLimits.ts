/** Describes in sentences what a strategy's own limits did in a backtest: the orders that they kept back, and the loss stops. */
import { iso } from "../../../domain/Text.ts"
import type * as BandSide from "./BandSide.ts"

export const deniedOrders = ({ outcome }: BandSide.BandSide): number =>
  [...outcome.deniedBy.values()].reduce((sum, count) => sum + count, 0)

type Stop = BandSide.BandSide["outcome"]["stops"][number]

const sentenceOf = ({ from, until, action, reason }: Stop): string => {
  const cancelText = action === "drain" ? " Its orders were cancelled." : ""
  const resumeText = until === undefined ? "It did not resume." : `It resumed at ${iso(until)}.`
  return `stopped at ${iso(from)}: ${reason}.${cancelText} ${resumeText}`
}

const maxSentences = 5

export const sentences = (name: string, { outcome }: BandSide.BandSide): ReadonlyArray<string> => {
  const denied = [...outcome.deniedBy].map(([limit, count]) => `${limit} ${count}`)
  const stops = outcome.stops.slice(0, maxSentences).map(sentenceOf)
  const more = outcome.stops.length - stops.length
  return [
    ...(denied.length === 0 ? [] : [`orders stopped only by a limit: ${denied.join(", ")}`]),
    ...stops,
    ...(more > 0 ? [`stopped ${more === 1 ? "once" : `${more} times`} more`] : [])
  ].map((sentence) => `${name}: ${sentence}`)
}
