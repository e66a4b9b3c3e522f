/** Plays the file of `limitbot sandbox --script`. Its steps give the same commands as the sandbox's HTTP interface. */
import { Clock, Console, Effect, FileSystem, Schema } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { present } from "../../domain/Present.ts"
import { messageOf } from "../../domain/Text.ts"
import * as Read from "../../strategy/Fields.ts"
import { place, render, report, type SourceText, sourceText, suggestion } from "../../strategy/Problem.ts"
import { readFile } from "../../strategy/YamlReader.ts"
import type { Command } from "../core/Commands.ts"
import { restingOrder, restingOrders } from "../core/Control.ts"
import type { Refusal } from "../core/Refusal.ts"
import type { State } from "../core/State.ts"
import { Sandbox } from "../Sandbox.ts"
import { defaultSettings } from "../Settings.ts"

const symbols = defaultSettings("native").assets.map(({ symbol }) => symbol)
const markets = symbols.flatMap((base) => symbols.filter((quote) => quote !== base).map((quote) => `${base}/${quote}`))
const market = Read.scalar(
  "a market of the sandbox such as BTC/USDC",
  (text) => markets.find((each) => each === text),
  (text) => suggestion(text, markets)
)

const stepKeys = {
  at: Read.optional(Read.duration, "earliest time after the start of the script"),
  wait: Read.optional(Read.duration, "time to wait after the previous step"),
  orders: Read.optional(Read.integer(1, 10_000), "number of resting orders to wait for"),
  prices: Read.optional(Read.table(market, Read.factor), "the new price of each market"),
  fill: Read.optional(
    Read.section({
      market: Read.optional(market),
      side: Read.optional(Read.side),
      price: Read.optional(Read.price),
      quantity: Read.optional(Read.price, "of the base; default: the rest of the order")
    }),
    "the oldest resting order that matches, as soon as there is one"
  ),
  advance: Read.optional(Read.duration, "time by which the sandbox moves forward at once")
}
type Step = Read.Located<Read.SettingsOf<typeof stepKeys>>

const readSteps = Read.list(
  Read.mapped(Read.section(stepKeys), (step, node, to) =>
    Object.values(step).some((value) => value !== undefined)
      ? step
      : report(to, node, "an empty step", `the keys are: ${Object.keys(stepKeys).join(", ")}`)
  )
)

class ScriptFailed extends Schema.TaggedError<ScriptFailed>()("ScriptFailed", { message: Schema.String }) {}

export interface PriceScript {
  readonly source: SourceText
  readonly steps: ReadonlyArray<Step>
}

export const load = Effect.fn("PriceScript.load")(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(file)
    .pipe(Effect.mapError((error) => new ScriptFailed({ message: `${file} cannot be read: ${messageOf(error)}` })))
  const { fields: steps, to } = readFile(readSteps, sourceText(file, text))
  if (steps === undefined || to.problems.length > 0) {
    return yield* new ScriptFailed({ message: to.problems.map((problem) => render(problem, text)).join("\n") })
  }
  return { source: to.source, steps } satisfies PriceScript
})

const decimal = (value: Decimal.Decimal | undefined) => (value === undefined ? undefined : Decimal.format(value))

const checkMillis = 100

/** Prices stay as they are after the last step. `prints`: print each completed step on a line. */
export const play = Effect.fn("PriceScript.play")(function* ({ source, steps }: PriceScript, prints: boolean) {
  const sandbox = yield* Sandbox
  const startedAt = yield* Clock.currentTimeMillis
  const until = (holds: (state: State) => boolean) =>
    Effect.gen(function* () {
      while (!(yield* sandbox.read(holds))) yield* Effect.sleep(checkMillis)
    })
  const change = (command: Command) => sandbox.change(command)
  for (const { start, end, value } of steps) {
    const { advance, at, fill, orders, prices, wait } = value
    if (at !== undefined) yield* Effect.sleep(Math.max(0, startedAt + at - (yield* Clock.currentTimeMillis)))
    if (wait !== undefined) yield* Effect.sleep(wait)
    yield* Effect.gen(function* () {
      if (orders !== undefined) yield* until((state) => restingOrders(state).length >= orders)
      if (prices !== undefined) {
        const byMarket = Object.fromEntries(prices.map(([name, price]) => [name.value, price.value]))
        yield* change({ tag: "SetPrices", payload: { prices: byMarket } })
      }
      if (fill !== undefined) {
        const request = present({ ...fill, price: decimal(fill.price), quantity: decimal(fill.quantity) })
        yield* until((state) => restingOrder(state, request) !== undefined)
        yield* change({ tag: "FillOrder", payload: request })
      }
      if (advance !== undefined) yield* change({ tag: "AdvanceTime", payload: { millis: advance } })
    }).pipe(Effect.mapError((refusal) => refused(place(source, start), refusal)))
    const text = source.text.slice(start, end).trim().replace(/\s+/g, " ")
    if (prints) yield* Console.log(`${place(source, start)}: ${text}`)
  }
  if (prints) yield* Console.log(`${source.file}: this was the last step; prices stay as they are`)
})

const refused = (where: string, { faults }: Refusal) =>
  new ScriptFailed({ message: `${where}: ${faults.map(({ detail }) => detail).join("; ")}` })
