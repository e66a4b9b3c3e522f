/** Whatever people or programs may type: files, expressions, searches and control input give a value or a problem, and soon. */

import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as StrictJson from "../../src/domain/StrictJson.ts"
import { printable } from "../../src/domain/Text.ts"
import * as Grammar from "../../src/strategy/expression/Grammar.ts"
import { render } from "../../src/strategy/Problem.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import { mentions } from "../../src/views/Events.ts"
import { assets } from "../world/bot/market.ts"
import { processorMillis } from "../world/processorMillis.ts"
import { naughty } from "../world/texts/naughty.ts"

/** Far more of the processor than any input needs. */
const longestMillis = 2_000

const grid = (change: (text: string) => string): string =>
  change(`name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.1, quote: 6000 } }
grid: { lower: 59000, upper: 61000, levels: 21, size: { base: 0.005 } }
`)
const rules = (when: string): string => `name: rules
market: BTC/USDC
kind: rules
limits: { budget: { quote: 6000 } }
rules:
  timeframe: 1m
  slots:
    dip: { side: buy, price: close, size: { quote: 100 }, when: ${when} }
`
const quoted = (text: string): string => JSON.stringify(text)

const file = (text: string): void => {
  const read = StrategyFile.parse(text, "naughty.yaml", { assets, ticks: new Map() })
  if (Result.isFailure(read))
    for (const problem of read.failure) assert.notMatch(printable(render(problem, text)), /\0/)
}
/** What a terminal would obey. */
const commands = new Set(["\0", "\u0007", "\b", "\u001b", "\u007f", "\u009b", "\u202e", "\u2066"])
const line = {
  sequence: 1,
  at: 1,
  tag: "FillSeen",
  subject: "grid/cell-1",
  text: "x",
  weight: "quiet",
  fields: {}
} as const

const targets: Readonly<Record<string, (text: string) => unknown>> = {
  "a whole file": file,
  "a name": (text) => file(grid((good) => good.replace("name: grid", () => `name: ${text}`))),
  "a quoted name": (text) => file(grid((good) => good.replace("name: grid", () => `name: ${quoted(text)}`))),
  "a market": (text) => file(grid((good) => good.replace("BTC/USDC", () => quoted(text)))),
  "a price": (text) => file(grid((good) => good.replace("59000", () => text))),
  "a further key": (text) => file(grid((good) => `${good}${quoted(text)}: ${quoted(text)}\n`)),
  "a comment": (text) => file(grid((good) => `# ${text}\n${good}`)),
  "a condition": (text) => file(rules(quoted(text))),
  "an expression": (text) => Grammar.parse(text),
  "a number": (text) => Decimal.parse(text),
  JSON: (text) => StrictJson.parseJson(text),
  "text in JSON": (text) => StrictJson.parseJson(JSON.stringify({ a: text })),
  "a search": (text) => mentions(text)(line),
  "a line on the screen": (text) => {
    if ([...printable(text)].some((letter) => commands.has(letter))) throw new Error("a terminal would obey it")
  }
}

describe("naughty strings", () => {
  it.each(Object.entries(targets))("are read or refused in time as %s", (_, read) => {
    for (const text of naughty) {
      const millis = processorMillis(() => {
        try {
          read(text)
        } catch (cause) {
          throw new Error(`escapes: ${JSON.stringify(text).slice(0, 200)}`, { cause })
        }
      })
      assert.isBelow(millis, longestMillis, JSON.stringify(text).slice(0, 200))
    }
  })
})
