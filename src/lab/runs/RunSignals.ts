/** Reads the signals of a strategy for a backtest, with their times: from a file, or from a bot's own journal (`journal:FILE`). */
import { Effect, FileSystem, Option } from "effect"
import * as SignalCsv from "../../candles/csv/SignalCsv.ts"
import { format } from "../../candles/DataProblem.ts"
import { historyOf } from "../../domain/Signal.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import type { Strategy } from "../../strategy/Strategy.ts"

const journalPrefix = "journal:"
const maxProblems = 20

const valuesOf = Effect.fnUntraced(function* (from: string) {
  if (from.startsWith(journalPrefix)) {
    const JournalData = yield* Effect.promise(() => import("../../app/journal/JournalData.ts"))
    return yield* JournalData.signals(from.slice(journalPrefix.length))
  }
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(from)
    .pipe(Effect.mapError(({ message }) => new WrongUsage({ message: `--signals ${from}: ${message}` })))
  const { problems, values } = SignalCsv.parseSignals(text, from)
  if (problems.length === 0) return values
  return yield* new WrongUsage({ message: problems.slice(0, maxProblems).map(format).join("\n") })
})

/** Returns `undefined` for a strategy without signals. A strategy with signals needs values, because it would otherwise decide nothing. */
export const of = Effect.fn("RunSignals.of")(function* (
  from: Option.Option<string> | undefined,
  { file, signals }: Pick<Strategy, "file" | "signals">
) {
  if (signals === undefined) return undefined
  const names = [...signals.keys()]
  const looks = `${file} uses the signal ${names.join(", ")}`
  if (from === undefined)
    return yield* new WrongUsage({
      message: `${looks}, which a search cannot supply: run limitbot backtest --signals FILE`
    })
  if (Option.isNone(from))
    return yield* new WrongUsage({
      message: `${looks}: add its values with --signals FILE, in lines of time,name,value`
    })
  const history = historyOf(yield* valuesOf(from.value))
  const missing = names.filter((name) => !history.names.has(name))
  if (missing.length > 0)
    return yield* new WrongUsage({
      message: `--signals ${from.value}: has no value of ${missing.join(", ")}, which ${file} uses`
    })
  return history
})
