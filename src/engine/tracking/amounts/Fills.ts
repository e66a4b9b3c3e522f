/**
 * Matches the fills of a report to known fills, and returns the amounts that count. A fill is one fact, however often it is reported. A new
 * id with the amounts of a known fill that the report no longer shows is that fill. A fill may grow if the venue says that it was updated
 * since, also in one amount alone, if less than a unit of the other explains it. Any other change is a contradiction. If known and reported
 * amounts differ at the end, the lower output counts as ours and the higher input as spent. The difference stays unexplained.
 */
import { type Amount, max, min } from "../../../domain/Amount.ts"
import type { Fill, Order } from "../../../domain/Order.ts"
import type { KnownFill, Placement } from "../../state/Placement.ts"
import { leastOf } from "./Fees.ts"

type Version = Pick<Fill, "amountIn" | "amountOut" | "updatedAt">

const isSame = (one: Version, other: Version): boolean =>
  one.amountIn === other.amountIn && one.amountOut === other.amountOut

const isLater = (before: Version, after: Version): boolean =>
  after.amountIn >= before.amountIn &&
  after.amountOut >= before.amountOut &&
  !isSame(before, after) &&
  (after.updatedAt ?? Number.NEGATIVE_INFINITY) > (before.updatedAt ?? Number.POSITIVE_INFINITY)

const hasGrown = (before: KnownFill, after: Version): boolean => {
  const { amountIn, amountOut, slices } = before
  const [addedIn, addedOut] = [after.amountIn - amountIn, after.amountOut - amountOut]
  const isOutExplained = addedIn > 0n || (addedOut - 1n) * (amountIn - slices) <= amountOut
  const isInExplained = addedOut > 0n || (addedIn - 1n) * (amountOut - slices) <= amountIn
  return isLater(before, after) && isOutExplained && isInExplained
}

interface Recognised {
  readonly fill: Fill
  readonly known: KnownFill | undefined
}

/** Each fill of the report once, under its first reported id. An older version of a grown fill is left out. */
const recognise = ({ fills: known }: Placement, fills: ReadonlyArray<Fill>): ReadonlyArray<Recognised> => {
  const fillsById = new Map(fills.map((fill) => [fill.id, fill]))
  const unshown = new Map([...known].filter(([id]) => !fillsById.has(id)))
  return [...fillsById.values()].flatMap((fill): ReadonlyArray<Recognised> => {
    const same = known.get(fill.id)
    if (same !== undefined) return isLater(fill, same) ? [] : [{ fill, known: same }]
    const renamed = [...unshown].find(([, each]) => isSame(each, fill))
    if (renamed === undefined) return [{ fill, known: undefined }]
    const [id, each] = renamed
    unshown.delete(id)
    return [{ fill: { ...fill, id }, known: each }]
  })
}

/** Rounding may take 1/20,000 of a grown fill on each side beyond its visible slices, because reads miss some slices. */
const unseenPart = 20_000n

const slicesOf = ({ fill, known }: Recognised): bigint =>
  known === undefined ? 1n : known.slices + (hasGrown(known, fill) ? 1n : 0n)

/** Smallest units that rounding may have cost on one side of these fills: one for each slice. */
export const roundingIn = (placement: Placement, fills: ReadonlyArray<Fill>, side: "amountIn" | "amountOut"): Amount =>
  recognise(placement, fills).reduce((total, each) => {
    const { fill } = each
    const slices = slicesOf(each)
    const isGrown = slices > 1n || (fill.updatedAt !== undefined && fill.updatedAt > fill.at)
    return total + slices + (isGrown ? fill[side] / unseenPart : 0n)
  }, 0n)

export const factsIn = (placement: Placement, fills: ReadonlyArray<Fill>): ReadonlyArray<Fill> =>
  recognise(placement, fills).map(({ fill, known }) =>
    known === undefined || hasGrown(known, fill)
      ? fill
      : { ...fill, amountIn: known.amountIn, amountOut: known.amountOut }
  )

export const newIn = (placement: Placement, facts: ReadonlyArray<Fill>): ReadonlyArray<Fill> =>
  facts.flatMap((fill) => {
    const recordedFill = placement.fills.get(fill.id)
    if (recordedFill === undefined) return [fill]
    if (isSame(recordedFill, fill)) return []
    const [amountIn, amountOut] = [fill.amountIn - recordedFill.amountIn, fill.amountOut - recordedFill.amountOut]
    return [{ ...fill, amountIn, amountOut, at: fill.updatedAt ?? fill.at }]
  })

export const lostIn = ({ fills: known }: Placement, facts: ReadonlyArray<Fill>): string | undefined =>
  [...known.keys()].find((id) => !facts.some((fill) => fill.id === id))

export const lackIn = (placement: Placement, fills: ReadonlyArray<Fill>): string | undefined => {
  const lost = lostIn(placement, factsIn(placement, fills))
  return lost && `partialFills lacks ${lost}, which it had shown`
}

export const changeIn = (placement: Placement, fills: ReadonlyArray<Fill>): string | undefined => {
  const firstById = new Map<string, Fill>()
  for (const fill of fills) {
    const twin = firstById.get(fill.id)
    if (twin !== undefined && !isSame(twin, fill)) return `fill ${fill.id} changed its amounts`
    firstById.set(fill.id, fill)
  }
  const changed = recognise(placement, fills).find(
    ({ fill, known }) => known !== undefined && !isSame(known, fill) && !hasGrown(known, fill)
  )
  return changed && `fill ${changed.fill.id} changed its amounts`
}

const sumOf = (
  fills: ReadonlyArray<Fill>,
  field: "amountIn" | "amountOut",
  choose: (one: Amount, other: Amount) => Amount
): Amount => {
  const byId = new Map<string, Amount>()
  for (const { id, [field]: amount } of fills) byId.set(id, choose(byId.get(id) ?? amount, amount))
  return [...byId.values()].reduce((total, amount) => total + amount, 0n)
}

export type Disputed = Readonly<ReturnType<typeof disputed>>

type Said = Pick<Order, "depositedAmount" | "fills" | "fillStatus">

export const disputed = (placement: Placement, known: Said, reported: Said) => {
  const spent = max(sumOf(known.fills, "amountIn", max), sumOf(reported.fills, "amountIn", max))
  const received = min(sumOf(known.fills, "amountOut", min), sumOf(reported.fills, "amountOut", min))
  const most = min(known.depositedAmount, reported.depositedAmount) - spent
  return { left: max(0n, most - unshown(placement, reported, received)), received }
}

const unshown = (placement: Placement, { fills, fillStatus }: Said, received: Amount): Amount => {
  const { inputAmount } = placement
  const outputAmount = leastOf(placement, placement.outputAmount)
  const missing = outputAmount - received - roundingIn(placement, fills, "amountOut")
  return fillStatus === "FILLED" && missing > 0n ? (missing * inputAmount + outputAmount - 1n) / outputAmount : 0n
}

export const fillsOf = ({ fills }: Placement): ReadonlyArray<Fill> =>
  [...fills].map(([id, fill]) => ({ ...fill, id, at: fill.updatedAt }))
