/**
 * The catalogue live: each file run by a whole bot on a sandbox of its own, in virtual time, while requests get lost, the
 * service goes away and the process is killed. At the end everything is withdrawn, and both books agree to the unit.
 * `npm run catalogue` runs all of them for a quarter of a day and prints a table: orders placed, fills, kills, unexplained.
 *
 * A quarter of a day is short, so each file trades sooner than it says: candles are of a minute, windows are a fifth as long, and
 * its hours, weekdays and thresholds are those of that quarter. `LIMITBOT_CATALOGUE=NAME,NAME` runs some of them.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hourMillis } from "../../src/domain/Durations.ts"
import { findingNames } from "../../src/engine/planning/ahead/PlanFindings.ts"
import { defaultSettings } from "../../src/sandbox/Settings.ts"
import { firstOf } from "../long.ts"
import { rehearsed } from "../world/processes/rehearsing.ts"

const folder = "strategies/catalogue"
const asked = process.env["LIMITBOT_CATALOGUE"]
const isWhole = asked !== undefined
const days = isWhole ? 0.25 : 0.03
const wanted = asked?.split(",") ?? firstOf(1, ["safety-orders", "trailing-grid", "ema-cross"])
const names = readdirSync(folder)
  .map((file) => file.replace(".yaml", ""))
  .filter((name) => asked === "all" || wanted.includes(name))
  // The venue publishes no volumes.
  .filter((name) => !/\bvolume\b/.test(readFileSync(`${folder}/${name}.yaml`, "utf8")))

/** What a file waits for that a quarter of a Thursday, the first of a month, would not bring. */
const sooner: ReadonlyArray<readonly [was: string | RegExp, is: string]> = [
  [/timeframe: \w+/g, "timeframe: 1m"],
  // Nothing lies more than two deviations from the mean of four values.
  [", 20, 2)", ", 6, 1)"],
  ["keltnerUpper(20, 2)", "keltnerUpper(20, 1)"],
  ["every: 7d", "every: 1h"],
  ["band: 0.5%", "band: 0.05%"],
  ["adx(14) > 25", "adx(14) > 5"],
  ["risk: 1%", "risk: 0.01%"],
  ["risk: 0.5%", "risk: 0.01%"],
  ["change(close, 24) > 3%", "change(close, 24) > 0.2%"],
  [/hour == 8/g, "hour < 20"],
  ["weekday == 7", "weekday == 4"],
  ["monthday >= 28 and monthday <= 29", "monthday == 1"],
  ["(1 - 1%) and freeQuote", "(1 - 0.1%) and freeQuote"],
  ["rsi(close, 2) < 10", "rsi(close, 2) < 40"],
  ["hour == 23 and minute >= 30 and close[46] > open[46]", "close > open"],
  ["average * (1 - 1.5%)", "average * (1 - 0.05%)"],
  ["lower * (1 - 1%)", "lower * (1 - 0.05%)"],
  [/( +)initial: (smooth|close)\n/g, "$1initial: $2\n$1over: 20\n"],
  [/pause: \d+h/g, "pause: 10m"]
]

const eased = (text: string): string =>
  sooner
    .reduce((made, [was, is]) => made.replaceAll(was, is), text)
    .replaceAll(
      /(\(|, )(\d{2,3})(?=\)|, )/g,
      (_, before, length) => `${before}${Math.max(2, Math.ceil(Number(length) / 5))}`
    )

/** Several looks in each minute, so that its candle has a body. */
const pace = { pollMinMillis: 5_000, pollMaxMillis: 15_000 }
const looksAtBodies = (text: string): boolean => /\b(open|high|low|adx|atr)\b/.test(text)

/** The catalogue is written for a price around 2,000. */
const assets = defaultSettings("native").assets.map((asset) =>
  asset.symbol === "ETH" ? { ...asset, priceUsd: 2_000, volatility: 1.5, initial: 100 } : { ...asset, initial: 100_000 }
)

describe("the catalogue, live", () => {
  it.each(names.map((name, index) => [name, index + 1] as const))("%s: accounts for every unit", async (name, seed) => {
    const text = readFileSync(`${folder}/${name}.yaml`, "utf8")
    const outcome = await Effect.runPromise(
      rehearsed({
        strategy: eased(text),
        allow: findingNames,
        assets,
        seed,
        days,
        level: "medium",
        ...(looksAtBodies(text) ? { pace } : {})
      })
    )
    const count = (event: string) => outcome.events.get(event) ?? 0
    const crashes = outcome.accidents.get("crash") ?? 0
    const columns = [
      name,
      /kind: (\w+)/.exec(text)?.[1],
      count("Planned"),
      outcome.fills,
      crashes,
      outcome.differences.length
    ]
    if (isWhole) process.stdout.write(`| ${columns.join(" | ")} |\n`)
    assert.isUndefined(outcome.ended, name)
    if (isWhole) assert.isAbove(count("Planned"), 0, `${name} placed nothing`)
    assert.isTrue(outcome.isAtRest, `${name}: ${outcome.stillOpen} orders still open`)
    assert.deepStrictEqual(outcome.differences, [], name)
    assert.isAtLeast(outcome.virtualMillis, days * 24 * hourMillis)
  })
})
