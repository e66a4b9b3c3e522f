/** Runs the sandbox on a loopback port with the options of the command line until stopped, and plays the file of `--script`. */
import { Clock, Console, Effect, FileSystem, Schema } from "effect"
import { parse } from "yaml"
import * as Decimal from "../../domain/Decimal.ts"
import { present } from "../../domain/Present.ts"
import { messageOf } from "../../domain/Text.ts"
import { Stop } from "../../process/Stop.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Read from "../../strategy/Fields.ts"
import { place, render, report, type SourceText, sourceText, suggestion } from "../../strategy/Problem.ts"
import { readFile } from "../../strategy/YamlReader.ts"
import type { Command } from "../core/Commands.ts"
import { restingOrder, restingOrders } from "../core/Control.ts"
import type { Refusal } from "../core/Refusal.ts"
import type { State } from "../core/State.ts"
import { uniformFaults } from "../http/Faults.ts"
import { Sandbox } from "../Sandbox.ts"
import type { SandboxOptions } from "../SandboxOptions.ts"
import { layer, SandboxConnection } from "../SandboxServer.ts"
import { defaultSettings } from "../Settings.ts"
import { SolverLaw, solverLaws } from "../Solvers.ts"
import * as SandboxConfig from "./SandboxConfig.ts"

export const solverNames = Object.keys(solverLaws)

export const [, usualExpireMillis] = defaultSettings("native").intentMillis

const decode = Schema.decodeUnknownResult(SolverLaw, { onExcessProperty: "error" })

export const lawOf = Effect.fn("SandboxServing.lawOf")(function* (written: string) {
  const laws = solverLaws[written]
  if (laws !== undefined) return laws
  const wrong = (what: string) => wrongUsage(`--solvers ${written}: ${what}`)
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(written)
    .pipe(Effect.mapError(() => wrong(`neither a file that can be read nor a name; names: ${solverNames.join(", ")}`)))
  const value = yield* Effect.try({ try: (): unknown => parse(text), catch: () => wrong("the file is not YAML") })
  return yield* Effect.mapError(Effect.fromResult(decode(value)), ({ message }) => wrong(message))
})

interface Asked extends Omit<SandboxOptions, "faults" | "settings"> {
  readonly faults: number
  readonly solvers: string | undefined
  readonly expireAfter: number | undefined
  readonly script: string | undefined
  readonly writeConfig: string | undefined
  readonly json: boolean
}

export const serve = Effect.fn("SandboxServing.serve")(function* (asked: Asked) {
  const { expireAfter, faults, json, script: file, solvers, speed, writeConfig, ...others } = asked
  if (file !== undefined && others.state !== undefined) {
    const message = "--script and --state exclude each other: a sandbox that starts again would play the script again"
    return yield* wrongUsage(message)
  }
  const script = file === undefined ? undefined : yield* loadScript(file)
  const options = {
    ...others,
    speed: speed ?? (script === undefined ? undefined : 0),
    faults: uniformFaults(faults),
    settings: present({
      solvers: solvers === undefined ? undefined : yield* lawOf(solvers),
      intentMillis: expireAfter === undefined ? undefined : ([Math.ceil(expireAfter / 2), expireAfter] as const)
    })
  }
  yield* Effect.gen(function* () {
    const connection = yield* SandboxConnection
    const stop = yield* Stop
    if (writeConfig !== undefined) yield* SandboxConfig.write(writeConfig, connection, others.like)
    yield* Console.log(json ? JSON.stringify(connection) : SandboxConfig.introduction(connection, writeConfig))
    const playing = script === undefined ? Effect.void : play(script, !json)
    yield* Effect.raceFirst(stop.requested, Effect.andThen(playing, Effect.never))
  }).pipe(Effect.provide(layer(options)))
})

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

interface PriceScript {
  readonly source: SourceText
  readonly steps: ReadonlyArray<Step>
}

const loadScript = Effect.fn("PriceScript.load")(function* (file: string) {
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

/**
 * Plays the file of `limitbot sandbox --script`. Its steps give the same commands as the sandbox's HTTP interface. Prices stay as they are
 * after the last step. `prints`: print each completed step on a line.
 */
const play = Effect.fn("PriceScript.play")(function* ({ source, steps }: PriceScript, prints: boolean) {
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
