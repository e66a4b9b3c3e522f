/** Reports every mistake in strategy files, with its place, before anything runs. */
import { Console, Effect, FileSystem } from "effect"
import { present } from "../../domain/Present.ts"
import { countText } from "../../domain/Text.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import { PrintedFailure } from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import type { MarketSources } from "../../strategy/Markets.ts"
import { type Problem, problemAt, render, sourceText } from "../../strategy/Problem.ts"
import { marketsSaid, type Strategy } from "../../strategy/Strategy.ts"
import type * as RunCandles from "./RunCandles.ts"

const rowOf = ({ file, line, column, message, hint }: Problem) => ({ file, line, column, message, hint: hint ?? null })

interface Reading extends StrategyFiles.ReadFiles {
  readonly unlisted: ReadonlyMap<Strategy, Problem>
  readonly leftOut: string | undefined
  readonly sources: MarketSources
  readonly settings: ConfigFile.BotSettings | undefined
}

const unconfigured: Omit<Reading, keyof StrategyFiles.ReadFiles> = {
  unlisted: new Map(),
  leftOut: undefined,
  sources: new Map(),
  settings: undefined
}

/**
 * Reports a broken configuration like a broken strategy. Without a configuration, checks everything that needs none, and the output says
 * what was left out. If the configuration was found but not named, a market that it lacks is not a mistake, as in a backtest.
 */
const readAgainst = Effect.fnUntraced(
  function* (
    { config: given, usual }: Pick<Asked, "config" | "usual">,
    files: ReadonlyArray<string>,
    purpose: StrategyFiles.Purpose
  ) {
    const fileSystem = yield* FileSystem.FileSystem
    const config = given ?? usual
    if (given === undefined && !(yield* fileSystem.exists(config))) {
      const leftOut = `No ${config}: asset ids, decimal places, price steps and limits over all strategies are not checked.`
      const contents = yield* StrategyFiles.readAll(files, yield* StrategyFiles.marketsNamedIn(files), purpose)
      return { ...unconfigured, ...contents, leftOut }
    }
    const settings = yield* ConfigFile.loadSettings(config)
    const { markets } = settings
    const contents =
      given !== undefined
        ? yield* StrategyFiles.readAll(files, markets, purpose)
        : yield* StrategyFiles.readBeyond(files, { config, markets, purpose })
    return { ...unconfigured, ...contents, ...present({ sources: markets.sources }), settings }
  },
  Effect.catchTag("ConfigInvalid", ({ problems, rendered }) =>
    Effect.succeed<Reading>({ ...unconfigured, strategies: [], problems, rendered: [rendered] })
  )
)

/** Loads its module only for strategies with indicators, because it imports half of the program. */
const readinessOf = Effect.fnUntraced(function* (
  strategies: ReadonlyArray<Strategy>,
  { settings, sources }: Pick<Reading, "settings" | "sources">
) {
  const waiting = strategies.filter(({ candles }) => candles !== undefined && candles.size > 0)
  if (waiting.length === 0) return []
  const { ofFiles } = yield* Effect.promise(() => import("../../app/candles/Readiness.ts"))
  return yield* ofFiles(waiting, sources, settings?.journal)
})

const startChecksOf = (settings: ConfigFile.BotSettings | undefined) =>
  settings === undefined
    ? Effect.succeed([])
    : Effect.map(
        Effect.promise(() => import("../../app/start/FileChecks.ts")),
        ({ look }) => look(settings).filter(({ verdict }) => verdict === "wrong")
      )

interface Asked extends RunCandles.PartAsked {
  readonly files: ReadonlyArray<string>
  readonly config: string | undefined
  readonly usual: string
  readonly lookahead: boolean
  readonly data: string | undefined
  readonly json: boolean
}

export const check = Effect.fn("FileCheck.check")(function* (asked: Asked) {
  const { usual, files, config, lookahead, data, json, ...part } = asked
  const reading = yield* readAgainst({ config, usual }, files, lookahead ? "search" : "live")
  const { strategies, problems, rendered, leftOut, unlisted } = reading
  const listed = strategies.filter((strategy) => !unlisted.has(strategy))
  const ready = yield* readinessOf(listed, reading)
  const warningsOf = (strategy: Strategy) => [unlisted.get(strategy) ?? [], strategy.warnings ?? []].flat()
  const unready = yield* startChecksOf(reading.settings)
  if (lookahead && data === undefined) return yield* wrongUsage("--lookahead needs candles: give --data CSV")
  const looks =
    lookahead && data !== undefined
      ? yield* Effect.flatMap(
          Effect.promise(() => import("./LookaheadCheck.ts")),
          (check) => check.look(strategies, data, part)
        )
      : []
  const faults = looks.flatMap((look) => look.faults)
  if (json) {
    yield* Console.log(
      JSON.stringify({
        ok: problems.length + faults.length === 0 && ready.every(({ problem }) => problem === null),
        problems: problems.map(rowOf),
        warnings: strategies.flatMap((strategy) => warningsOf(strategy).map(rowOf)),
        ...present({ leftOut }),
        ...(unready.length === 0 ? {} : { start: unready.map(({ refusal: _, ...finding }) => finding) }),
        ...(ready.length === 0 ? {} : { readiness: ready.map(({ line: _, ...each }) => each) }),
        ...(lookahead ? { lookahead: looks.map((look) => look.json) } : {})
      })
    )
  } else {
    for (const text of rendered) yield* Console.error(`${text}\n`)
    if (leftOut !== undefined) yield* Console.error(leftOut)
    for (const { check, fix, text } of unready) yield* Console.error(`warning: ${check}: ${text}; ${fix}\n`)
    for (const strategy of strategies) {
      const { file, name, kind, text } = strategy
      for (const warning of warningsOf(strategy)) yield* Console.error(`warning: ${render(warning, text)}\n`)
      const own = ready.filter((each) => each.strategy === name)
      const distrust = own.find(({ problem }) => problem !== null)?.problem
      if (distrust !== undefined && distrust !== null) {
        const place = strategy.candleSource ?? { start: 0, end: 0 }
        yield* Console.error(`${render(problemAt(sourceText(file, text), place, distrust), text)}\n`)
        continue
      }
      const but = unlisted.has(strategy) ? `, but not in ${usual}: run would refuse it` : ""
      yield* Console.log(`${file}: ok${but}: ${name}, ${kind} on ${marketsSaid(strategy)}`)
      if (strategy.earns !== undefined) yield* Console.log(`  ${strategy.earns}`)
      for (const { line } of own) yield* Console.log(`  ${line}`)
    }
    for (const { faults: found, file, passedText } of looks) {
      for (const fault of found) yield* Console.error(`${file}: ${fault}`)
      if (found.length === 0) yield* Console.log(`${file}: ${passedText}`)
    }
  }
  const count = problems.length + faults.length + ready.flatMap(({ problem }) => problem ?? []).length
  if (count > 0) return yield* new PrintedFailure({ message: `${countText(count, "problem")} found` })
})
