/**
 * Breadth-first search of everything the protocol's model can reach: the shortest way to a loss, or the number of states in
 * which there is none, and how many of them cannot come to rest any more.
 */
import {
  type Bounds,
  broken,
  isAtRest,
  keyOf,
  type ModelState,
  next,
  type Rule,
  start,
  type Tables,
  tables
} from "./Protocol.ts"

export interface Found {
  readonly states: number
  readonly transitions: number
  /** The loss and the steps that lead to it. */
  readonly loss: { readonly what: string; readonly steps: ReadonlyArray<string> } | undefined
  /** States from which nothing leads to rest, unless a person helps. */
  readonly stuck: number
  /** Some order is paid, and rests. */
  readonly isUseful: boolean
}

/** What a person does. */
const help = /^(?:abandon|cancel|hold everything|end the doubt by the operator's word)( \(clone\))?$/

export const search = (
  bounds: Bounds,
  left: ReadonlyArray<Rule> = [],
  mostStates = 5_000_000,
  by: Tables = tables
): Found => {
  const without = new Set(left)
  const first = start(bounds, without)
  const firstKey = keyOf(first)
  /** By key: number of the state. */
  const known = new Map([[firstKey, 0]])
  const cameFrom: Array<number> = [-1]
  const cameBy: Array<string> = [""]
  const back: Array<Array<number>> = [[]]
  const resting: Array<number> = []
  let transitions = 0
  let isUseful = false
  let frontier: Array<readonly [number, ModelState]> = [[0, first]]
  const stepsTo = (state: number): ReadonlyArray<string> => {
    const steps: Array<string> = []
    for (let at = state; at > 0; at = cameFrom[at] ?? -1) steps.push(cameBy[at] ?? "")
    return steps.reverse()
  }
  while (frontier.length > 0) {
    const reached: Array<readonly [number, ModelState]> = []
    for (const [number, state] of frontier) {
      if (isAtRest(state, bounds)) resting.push(number)
      isUseful ||= state.bots.some(({ placements }) => placements.some((placement) => placement.state === "open"))
      for (const [name, following] of next(state, bounds, without, by)) {
        transitions += 1
        const isHelp = help.test(name)
        const key = keyOf(following)
        const seen = known.get(key)
        if (seen !== undefined) {
          if (!isHelp) back[seen]?.push(number)
          continue
        }
        const fresh = known.size
        if (fresh >= mostStates) throw new Error(`more than ${mostStates} states`)
        known.set(key, fresh)
        cameFrom.push(number)
        cameBy.push(name)
        back.push(isHelp ? [] : [number])
        const what = broken(following)
        if (what !== undefined)
          return { states: known.size, transitions, loss: { what, steps: stepsTo(fresh) }, stuck: 0, isUseful }
        reached.push([fresh, following])
      }
    }
    frontier = reached
  }
  return {
    states: known.size,
    transitions,
    loss: undefined,
    stuck: known.size - reachableBack(back, resting),
    isUseful
  }
}

const reachableBack = (back: ReadonlyArray<ReadonlyArray<number>>, from: ReadonlyArray<number>): number => {
  const seen = new Set(from)
  const open = [...from]
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const before of back[state] ?? []) {
      if (seen.has(before)) continue
      seen.add(before)
      open.push(before)
    }
  }
  return seen.size
}
