/**
 * Edits of strategy files as people make them, and what must be true of a journal that saw them: an order whose place in its
 * file did not change is left alone, and a slot goes on where it was, whatever was cut off, renamed, broken or brought back.
 */

import { rmSync, writeFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import type { Of, Recorded } from "../../src/domain/BotEvent.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { pause } from "../world/processes/processes.ts"

const allLevels = Array.from({ length: 21 }, (_, index) => 59_000 + index * 100)

const gridText = (levels: ReadonlyArray<number>, size: string) => `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.2, quote: 14000 } }
grid: { levels: [${levels.join(", ")}], size: { base: ${size} } }
`
const ladderText = (to: number, name = "ladder") => `name: ${name}
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 3000 } }
ladder: { side: buy, from: 59900, to: ${to}, rungs: 3, profile: flat, total: { quote: 3000 } }
`

export interface Files {
  readonly grid: string
  readonly ladder: string
}

/** As at the beginning. */
export const writeGood = ({ grid, ladder }: Files): void => {
  writeFileSync(grid, gridText(allLevels, "0.005"))
  writeFileSync(ladder, ladderText(59_000))
}

const broken = (text: string): ReadonlyArray<string> => [
  "",
  text.slice(0, Math.trunc(text.length / 2)),
  text.replace("kind: grid", "kind: gird"),
  text.replace("quote: 14000", "quote: 14"),
  text.replace("name: grid", "name: ladder"),
  `${text}\u0000`,
  "- not\n- a: strategy"
]

type Random = (low: number, high: number) => number

/** One edit; its name, for counting. */
export const edit = async ({ grid, ladder }: Files, random: Random): Promise<string> => {
  const dice = random(0, 1)
  const whole = (low: number, high: number) => Math.trunc(random(low, high))
  // Cells keep the places of their names only when levels are cut off at the top.
  const levels = allLevels.slice(0, whole(8, 22))
  if (dice < 0.4) {
    writeFileSync(grid, gridText(levels, "0.005"))
    return "levels"
  }
  if (dice < 0.5) {
    writeFileSync(grid, gridText(levels, `0.00${whole(3, 7)}`))
    return "size"
  }
  if (dice < 0.6) {
    writeFileSync(ladder, ladderText(whole(58_000, 59_500)))
    return "ladder"
  }
  if (dice < 0.7) {
    writeFileSync(ladder, ladderText(59_000, `ladder-${whole(1, 3)}`))
    return "renamed"
  }
  if (dice < 0.8) {
    rmSync(ladder, { force: true })
    return "removed"
  }
  const text = gridText(levels, "0.005")
  if (dice < 0.9) {
    const choices = broken(text)
    writeFileSync(grid, choices[whole(0, choices.length)] ?? "")
    return "broken"
  }
  // As an editor that does not replace the file at once.
  writeFileSync(grid, text.slice(0, whole(1, text.length)))
  await pause(random(10, 120))
  writeFileSync(grid, text)
  return "in two steps"
}

/** What a file says about its slots, its limits included: those of a ladder by name, the cells of a grid by what they place. */
interface Definitions {
  readonly slots: ReadonlySet<string>
  readonly of: (planned: Of<"Planned">) => string | undefined
}

const noDefinitions: Definitions = { slots: new Set(), of: () => undefined }

const numbered = (prefix: string, count: number): ReadonlySet<string> =>
  new Set(Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(2, "0")}`))

const definitionsIn = (text: string): Definitions => {
  const [limits = ""] = /^limits: .*$/m.exec(text) ?? []
  const levels = /levels: \[(.*)\], size: (.*) \}/.exec(text)
  if (levels !== null) {
    const [, list = "", size = ""] = levels
    const prices = list.split(", ")
    const placed = new Set([
      ...prices.slice(0, -1).map((price) => `BUY ${price}`),
      ...prices.slice(1).map((price) => `SELL ${price}`)
    ])
    return {
      slots: numbered("cell", prices.length - 1),
      of: ({ side, price }) => {
        const offer = `${side} ${Decimal.format(price)}`
        return placed.has(offer) ? `${offer} ${size} ${limits}` : undefined
      }
    }
  }
  const [, ladder] = /^ladder: (.*)$/m.exec(text) ?? []
  if (ladder === undefined) return noDefinitions
  const slots = numbered("rung", 3)
  return { slots, of: ({ slot }) => (slots.has(slot) ? ladder : undefined) }
}

/** What was bought by the legs so far, and not sold. */
const holdsBase = ({ filled, sides }: { readonly filled: number; readonly sides: ReadonlyArray<string> }): boolean =>
  filled > 0 && filled % 2 === (sides[0] === "BUY" ? 1 : 0)

/** The edits and restarts of a run, read from its journal alone. */
export const checkEdits = (events: ReadonlyArray<Recorded>) => {
  const files = new Map<string, Definitions>()
  const plans = new Map<
    string,
    { readonly event: Of<"Planned">; readonly definition: string | undefined; readonly edits: number }
  >()
  const completed = new Map<string, { sides: Array<string>; filled: number; edits: number }>()
  /** Slots that some file had. */
  const named = new Set<string>()
  /** How often the text of each strategy became another one. */
  const editions = new Map<string, number>()
  const texts = new Map<string, string>()
  const counts = { loaded: 0, refused: 0, removed: 0, runs: 0, cancels: 0, legs: 0 }
  const status = new Map<string, string>()
  for (const { sequence, event } of events) {
    const at = `event ${sequence}`
    if (event._tag === "BotStarted") counts.runs += 1
    if (event._tag === "StrategiesRefused") counts.refused += 1
    if (event._tag === "StrategyLoaded") {
      counts.loaded += 1
      const { strategy, text } = event
      if (text !== undefined && text !== texts.get(strategy)) {
        files.set(strategy, definitionsIn(text))
        texts.set(strategy, text)
        editions.set(strategy, (editions.get(strategy) ?? 0) + 1)
      }
      for (const slot of files.get(event.strategy)?.slots ?? []) named.add(`${event.strategy}/${slot}`)
    }
    if (event._tag === "StrategyRemoved") counts.removed += 1
    const edits = "strategy" in event ? (editions.get(event.strategy) ?? 0) : 0
    // What a cell bought before its level was edited away is sold under its old name.
    if (event._tag === "Planned" && event.why.code !== "left-over") {
      const key = `${event.strategy}/${event.slot}`
      const definition = files.get(event.strategy)?.of(event)
      // What a cell still holds is sold after its level is gone; a level that comes back beside it gets a name with a number.
      const isKnown = definition !== undefined || named.has(key.replace(/-v\d+$/, ""))
      assert.isTrue(isKnown, `${at}: ${key} is planned, and its file has no such slot`)
      plans.set(event.placement, { event, definition, edits })
      const slot = completed.get(key) ?? { sides: [], filled: 0, edits }
      completed.set(key, slot)
      // An edit may anchor a grid anew at the present price: a cell that holds nothing may begin on its other side.
      if (slot.edits !== edits && !holdsBase(slot)) {
        slot.sides.length = 0
        slot.filled = 0
      }
      slot.edits = edits
      // A cell goes on with its next leg, however often it was cut off in between; a rung is bought once.
      const [first = event.side] = slot.sides
      const flipped = first === "BUY" ? "SELL" : "BUY"
      assert.strictEqual(event.side, slot.filled % 2 === 0 ? first : flipped, `${at}: ${key} after ${slot.filled} legs`)
      if (event.slot.startsWith("rung")) assert.strictEqual(slot.filled, 0, `${at}: ${key} is bought a second time`)
      slot.sides.push(event.side)
    }
    if (event._tag === "Closed") status.set(event.placement, event.status)
    if (event._tag === "Settled" && status.get(event.placement) === "FILLED") {
      const slot = completed.get(`${event.strategy}/${event.slot}`)
      if (slot !== undefined) slot.filled += 1
      counts.legs += 1
    }
    if (event._tag === "CancelRequested" && event.why.code !== "leaving" && event.why.code !== "removed") {
      counts.cancels += 1
      const planned = plans.get(event.placement)
      const now = planned && files.get(event.strategy)?.of(planned.event)
      // A level that an edit brought back may be worked by a slot that holds base for it already.
      const isTakenOver = event.why.code === "left-behind" && planned !== undefined && planned.edits !== edits
      // Levels that were edited and edited back anchor the grid anew: a cell that never filled may change its side, or wait.
      const anew = event.why.code === "other-side" || event.why.code === "waits-for-price"
      const isAnchoredAnew = anew && planned !== undefined && planned.edits !== edits
      assert.isTrue(
        planned === undefined || planned.definition !== now || isAnchoredAnew || isTakenOver,
        `${at}: ${event.strategy}/${event.slot} is cancelled (${event.why.text}), and its file still says ${now}`
      )
    }
  }
  return counts
}
