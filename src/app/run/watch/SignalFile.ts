/**
 * Reads the end of a changed file of signals, each second: lines of time,name,value, as in a backtest. For each name it takes the last line
 * whose time has come, once, even after a restart. A fault is reported once and changes nothing.
 */
import { Clock, Effect, FileSystem, Option } from "effect"
import * as SignalCsv from "../../../candles/csv/SignalCsv.ts"
import { format } from "../../../candles/DataProblem.ts"
import type { SignalServices } from "../../../control/Signals.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"

const lookMillis = 1_000
const maxBytes = 65_536
const notYet = "the file does not exist yet; it is read once it does"

interface Seen extends SignalCsv.SignalsRead {
  readonly mark: string
}

export const make = Effect.fn("SignalFile.make")(function* (
  file: string,
  signals: SignalServices,
  isWanted: (name: string) => boolean
) {
  const fileSystem = yield* FileSystem.FileSystem
  const books = yield* Bookkeeper
  let lastRead: Seen = { mark: "", problems: [], values: [] }
  let lastProblem = ""

  const tell = Effect.fnUntraced(function* (reason: string) {
    if (reason !== lastProblem && reason !== "")
      yield* books.record({ _tag: "LoopFailed", what: `reading the signals in ${file}`, reason })
    lastProblem = reason
  })

  const tail = Effect.fnUntraced(function* (size: number) {
    const handle = yield* fileSystem.open(file)
    const from = Math.max(0, size - maxBytes)
    yield* handle.seek(BigInt(from), "start")
    const bytes = Option.getOrElse(yield* handle.readAlloc(maxBytes), () => new Uint8Array())
    const text = new TextDecoder().decode(bytes)
    return text.slice(from === 0 ? 0 : text.indexOf("\n") + 1, text.lastIndexOf("\n") + 1)
  }, Effect.scoped)

  const look = Effect.gen(function* () {
    const { mtime, size } = yield* fileSystem.stat(file)
    const mark = `${size} ${Option.getOrUndefined(mtime)?.getTime()}`
    if (mark !== lastRead.mark) lastRead = { mark, ...SignalCsv.parseSignals(yield* tail(Number(size)), file) }
    const { problems, values } = lastRead
    yield* tell(problems[0] === undefined ? "" : format(problems[0]))
    const now = yield* Clock.currentTimeMillis
    const due = new Map<string, SignalCsv.NamedSignal>()
    for (const each of values)
      if (each.at <= now && isWanted(each.name) && each.at >= (due.get(each.name)?.at ?? 0)) due.set(each.name, each)
    const fresh = [...due.values()].filter(({ at, name }) => at > (books.state.signals.get(name)?.at ?? 0))
    yield* Effect.forEach(fresh, (each) => Effect.ignore(signals.take(`the file ${file}`, each)), { discard: true })
  }).pipe(
    Effect.catchTag("PlatformError", ({ message, reason }) => tell(reason._tag === "NotFound" ? notYet : message))
  )

  return { forever: Effect.forever(Effect.andThen(look, Effect.sleep(lookMillis))) } as const
})
