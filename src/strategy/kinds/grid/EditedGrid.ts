/**
 * A grid whose file was edited while it ran. It is anchored again at the price of that moment: otherwise a level
 * below some earlier price could make it buy above the market. Slots keep what they have by price (see `Versions`).
 * From then on what its slots hold decides it, after every fill.
 */
import * as Decimal from "../../../domain/Decimal.ts"
import { mid } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import type { Decision, Memory } from "../../Decision.ts"
import type { Decide } from "../../Strategy.ts"
import type { View } from "../../View.ts"
import { isRecord } from "../Memory.ts"
import {
  type Anchor,
  anchored,
  anchorOf,
  decide,
  type Grid,
  nearby,
  nearestOf,
  renamed,
  type StandingGrid,
  sizesOf,
  standingAt,
  standingNow
} from "./Cells.ts"
import { choose, nextWaiting } from "./Choice.ts"
import { begin, isEdited, remember, slotIn, type Version, versionIn } from "./Versions.ts"

/** `gridAt`: the grid for an anchor; only an endless grid depends on it. */
export const editable = (gridAt: (start: Anchor["start"]) => Grid): Decide => {
  /** A backtest gives back the very memory that it was given: nothing need be read from it again. */
  const standings = new WeakMap<object, StandingGrid>()
  const decideStanding = (before: StandingGrid, view: View): Decision => {
    const standing = standingNow(before, view)
    standings.set(standing.memory, standing)
    return decide(standing, view)
  }
  return (view, memory) => {
    const standing = isRecord(memory) ? standings.get(memory) : undefined
    if (standing !== undefined) return decideStanding(standing, view)
    const price = mid(view.price)
    const known = anchorOf(memory, price)
    const grid = gridAt(known.start)
    if (isEdited(memory, { levels: grid.levels, sizes: sizesOf(grid.shape) }, view)) {
      const whole = gridAt(price)
      const cells = whole.cells.map((cell, index) => ({ index, cell }))
      const version = begin(cells, view, price, whole.budget.base)
      return decideEdited(whole, version, { start: price, reached: price }, view)
    }
    const version = versionIn(memory)
    return version.number === 1
      ? decideStanding(standingAt(grid, known), view)
      : decideEdited(grid, version, known, view)
  }
}

const decideEdited = (original: Grid, version: Version, { start, reached: before }: Anchor, view: View): Decision => {
  const price = mid(view.price)
  const candidates = original.cells.map((cell, index) => ({
    index,
    cell: renamed(cell, slotIn(version, index, cell.slot)),
    isInRange: true
  }))
  const whole = { ...original, cells: candidates.map(({ cell }) => cell) }
  const { sellers } = version
  const first = nextWaiting(candidates, sellers, before)
  const reached = first !== undefined && !Decimal.isLess(price, first) ? price : before
  const { market, shape, budget, keys } = whole
  const choosing = { market, shape, version, sellers, reached, quote: budget.quote, keys, leftBehind: "" }
  const { working, leftOver, absent } = choose(candidates, choosing, view)
  const { desired, leftOut } = nearestOf(working, view, whole)
  return {
    desired: [...desired, ...leftOver],
    absent: nearby([...absent, ...leftOut], desired, view, whole),
    memory: memoryOf(whole, { start, reached }, version),
    reasons: [anchored(whole, start, working.length)],
    until: { onFill: true, ...present({ priceAbove: nextWaiting(candidates, sellers, reached) }) }
  }
}

const memoryOf = ({ levels, shape }: Grid, { start, reached }: Anchor, version: Version): Memory => ({
  start: Decimal.format(start),
  reached: Decimal.format(reached),
  levels,
  sizes: sizesOf(shape),
  ...remember(version)
})
