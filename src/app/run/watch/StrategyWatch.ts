/**
 * Watches the strategy files of a running bot. A saved file is checked together with all the others. Good files
 * replace what runs; bad ones change nothing, and their problems are recorded. File contents are compared every second, as no
 * file system notifies reliably and a strategy is small; only what has changed is parsed.
 */
import { Effect, FileSystem, Result, Semaphore } from "effect"
import type { Engine } from "../../../engine/Engine.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import * as StrategyFiles from "../../../files/StrategyFiles.ts"
import type { Markets } from "../../../strategy/Markets.ts"
import { isOfOwnCode } from "../../../strategy/own/OwnContext.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import type * as WarmPrices from "../../candles/WarmPrices.ts"
import * as Admission from "../Admission.ts"

const lookMillis = 1_000
/** An editor that replaces a file leaves a moment without one; whoever moves it by mistake is told after 3 s, and has 30 s to bring it back. */
const missesUntilTold = 3
const missesUntilGone = 30

export interface WatchOptions {
  readonly files: ReadonlyArray<string>
  readonly markets: Markets
  /** What happens to the orders of a strategy whose file is removed. */
  readonly onRemoved: "drained" | "left"
  /** Judges edits as `plan` does; default: every readable file is accepted. */
  readonly admission?: Admission.Admission | undefined
  /** Is told of new files before they run. */
  readonly warm?: WarmPrices.WarmPrices
}

type Judging = Effect.Services<ReturnType<typeof Admission.findingsOn>>

/** `look` applies what has changed; `forever` repeats it. */
export const make = Effect.fn("StrategyWatch.make")(function* (
  engine: Engine,
  running: ReadonlyArray<Strategy>,
  { files, markets, onRemoved, admission, warm }: WatchOptions
) {
  const fileSystem = yield* FileSystem.FileSystem
  const context = yield* Effect.context<Judging>()
  const books = yield* Bookkeeper
  const looking = yield* Semaphore.make(1)
  const misses = new Map<string, number>()
  const readAll = StrategyFiles.reader(markets)
  let strategies = running
  let lastRefusal = ""
  /** What was refused as unsafe, and what was allowed then; judged again when either changes. */
  let lastJudged = ""

  const refuse = Effect.fnUntraced(function* (problems: ReadonlyArray<string>) {
    const refusal = problems.join("\n")
    if (refusal === lastRefusal) return
    yield* books.record({ _tag: "StrategiesRefused", problems })
    lastRefusal = refusal
  })

  /** Why these cannot be accepted, if so; `undefined` if that was already reported. */
  const objections = Effect.fnUntraced(function* (next: ReadonlyArray<Strategy>) {
    const fresh = next.filter((strategy) => !strategies.includes(strategy))
    if (admission === undefined || fresh.length === 0) return []
    const allowed = [...admission.allow, ...(yield* Admission.allowedNext(admission.config.journal))]
    const judged = [...fresh.map(({ hash }) => hash), ...allowed].join()
    if (judged === lastJudged) return undefined
    const planned = Admission.findingsOn(admission, next, fresh)
    const findings = yield* Effect.result(Effect.catchDefect(planned, ofOwnCode))
    if (Result.isFailure(findings) && isOfOwnCode(findings.failure)) {
      lastJudged = judged
      return [findings.failure.message]
    }
    if (Result.isFailure(findings)) return [`The edit cannot be checked yet: ${findings.failure.message}`]
    if (findings.success === undefined) return ["The edit cannot be checked yet: the venue has no usable price"]
    const isMore = fresh.some((strategy) => Admission.isMore(strategy, strategies))
    const refused = Admission.refusedOf(findings.success, isMore ? allowed : [...allowed, "over-commit"])
    if (refused.length > 0) lastJudged = judged
    return refused.map(Admission.editSentenceOf)
  })

  const present = Effect.filter(files, (file) =>
    Effect.map(
      Effect.orElseSucceed(fileSystem.exists(file), () => true),
      (exists) => {
        const missed = exists ? 0 : (misses.get(file) ?? 0) + 1
        misses.set(file, missed)
        return missed < missesUntilGone
      }
    )
  )

  const look = Effect.gen(function* () {
    const there = yield* present
    const missing = there.filter((file) => (misses.get(file) ?? 0) > 0)
    const gone = missing.filter((file) => (misses.get(file) ?? 0) >= missesUntilTold)
    if (gone.length > 0) yield* refuse(gone.map((file) => `${file} is gone: ${fateOf[onRemoved]}`))
    // It may be between an editor's two steps: look again later.
    if (missing.length > 0) return
    const read = yield* readAll(there)
    if (read.problems.length > 0) {
      return yield* refuse(read.rendered)
    }
    // An unchanged file keeps its very object, so the engine does not ask it again.
    const next = read.strategies.map((strategy) => strategies.find((old) => isSame(old, strategy)) ?? strategy)
    const unsafe = yield* objections(next)
    if (unsafe === undefined) return
    if (unsafe.length > 0) return yield* refuse(unsafe)
    if (lastRefusal !== "") yield* books.record({ _tag: "EditMended" })
    lastRefusal = ""
    lastJudged = ""
    if (next.length === strategies.length && next.every((strategy) => strategies.includes(strategy))) return
    if (admission !== undefined) yield* Admission.forgetAllowed(admission.config.journal)
    warm?.use(next)
    yield* engine.replace(next, onRemoved)
    strategies = next
  }).pipe(looking.withPermit, Effect.provideContext(context))

  return {
    look,
    /** Looks, and says why what the files say does not run, if so. */
    objection: Effect.map(look, () => lastRefusal.replaceAll("\n", "; ")),
    forever: Effect.forever(Effect.andThen(Effect.sleep(lookMillis), look)),
    /** What runs now. */
    strategies: () => strategies
  } as const
})

/** Code of the user's own that fails now is an edit like any other that cannot be taken. */
const ofOwnCode = (mistake: unknown) => (isOfOwnCode(mistake) ? Effect.fail(mistake) : Effect.die(mistake))

const fateOf: Readonly<Record<WatchOptions["onRemoved"], string>> = {
  drained: "unless it is back within 30 s, its strategy's orders are withdrawn",
  left: "unless it is back within 30 s, its strategy ends, and its orders are left"
}

const isSame = (a: Strategy, b: Strategy): boolean => a.file === b.file && a.hash === b.hash
