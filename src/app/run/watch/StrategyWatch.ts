/**
 * Watches the strategy files of a running bot. A saved file is checked together with all the others. Good files
 * replace what runs; bad ones change nothing, and their problems are recorded. File contents are compared every second, as no
 * file system notifies reliably and a strategy is small; only what has changed is parsed.
 */
import { Clock, Effect, FileSystem, Result, Semaphore } from "effect"
import { monotonicMillis } from "../../../domain/Durations.ts"
import type { Engine } from "../../../engine/Engine.ts"
import type { FindingName } from "../../../engine/planning/ahead/PlanFindings.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import * as ByHand from "../../../files/ByHand.ts"
import * as StrategyFiles from "../../../files/StrategyFiles.ts"
import type { Markets } from "../../../strategy/Markets.ts"
import { isOfOwnCode } from "../../../strategy/own/OwnCodeFailed.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import type * as WarmPrices from "../../candles/WarmPrices.ts"
import * as Admission from "../Admission.ts"

const lookMillis = 1_000
/** An editor that replaces a file removes it briefly. A file moved by mistake is reported after 3 s, and can be restored within 30 s. */
const missesUntilTold = 3
const missesUntilGone = 30
/** The market moves and orders fill, so an edit that was unsafe at one time is judged again after this time. */
const judgeAgainMillis = 30_000

export interface WatchOptions {
  readonly files: ReadonlyArray<string>
  /** Files of orders by hand that appear beside this journal are run as well. Absent if no real money moves. */
  readonly byHandOf?: string | undefined
  readonly markets: Markets
  /** The orders of a strategy whose file is removed are drained or left open. */
  readonly onRemoved: "drained" | "left"
  /** Judges edits as `plan` does; default: every readable file is accepted. */
  readonly admission?: Admission.Admission | undefined
  readonly warm?: WarmPrices.WarmPrices
}

const nothing = { names: "", text: "" }
const unjudged = { edit: "", until: 0 }

export const make = Effect.fn("StrategyWatch.make")(function* (
  engine: Pick<Engine, "replace">,
  running: ReadonlyArray<Strategy>,
  { byHandOf, files: given, markets, onRemoved, admission, warm }: WatchOptions
) {
  const fileSystem = yield* FileSystem.FileSystem
  const isThere = (file: string) => Effect.orElseSucceed(fileSystem.exists(file), () => true)
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof Admission.findingsOn>>>()
  const books = yield* Bookkeeper
  const looking = yield* Semaphore.make(1)
  const misses = new Map<string, number>()
  const readAll = StrategyFiles.reader(markets)
  let strategies = running
  let files = given
  /** Problems with the same names are recorded once, even if their details differ. */
  let standing = nothing
  let lastJudged = unjudged

  const refuse = Effect.fnUntraced(function* (problems: ReadonlyArray<string>, names = problems) {
    if (names.join() !== standing.names) yield* books.record({ _tag: "StrategiesRefused", problems })
    standing = { names: names.join(), text: problems.join("\n") }
    return false
  })

  const isSafe = Effect.fnUntraced(function* (next: ReadonlyArray<Strategy>) {
    const fresh = freshIn(next, strategies, yield* Clock.currentTimeMillis)
    if (admission === undefined || fresh.length === 0) return true
    const allowed = [...admission.allow, ...(yield* Admission.allowedNext(admission.config.journal))]
    const edit = [...fresh.map(({ hash }) => hash), ...allowed].join()
    const now = yield* monotonicMillis
    if (edit === lastJudged.edit && now < lastJudged.until) return false
    const { isFinal, names, problems } = yield* judge(admission, next, { fresh, running: strategies, allowed })
    if (problems.length === 0) return true
    if (isFinal) lastJudged = { edit, until: now + judgeAgainMillis }
    return yield* refuse(problems, isFinal ? [edit, ...names] : names)
  })

  const present = Effect.suspend(() => Effect.filter(files, hasNotGone))
  const hasNotGone = (file: string) =>
    Effect.map(isThere(file), (exists) => {
      const missCount = exists ? 0 : (misses.get(file) ?? 0) + 1
      misses.set(file, missCount)
      return missCount < missesUntilGone
    })

  /** The caller of a reload may disconnect meanwhile: the engine and this watch must still run the same files. */
  const use = Effect.fnUntraced(function* (next: ReadonlyArray<Strategy>) {
    warm?.use(next)
    yield* engine.replace(next, onRemoved)
    strategies = next
    if (admission !== undefined) yield* Admission.forgetAllowed(admission.config.journal)
  }, Effect.uninterruptible)

  const look = Effect.gen(function* () {
    if (byHandOf !== undefined) files = yield* ByHand.besides(knownOf(given, strategies), byHandOf)
    const there = yield* present
    const missing = there.filter((file) => (misses.get(file) ?? 0) > 0)
    const absentFiles = missing.filter((file) => (misses.get(file) ?? 0) >= missesUntilTold)
    if (absentFiles.length > 0) yield* refuse(absentFiles.map((file) => `${file} is gone: ${fateOf[onRemoved]}`))
    // It may be between an editor's two steps: look again later.
    if (missing.length > 0) return
    const strategyFiles = yield* readAll(there)
    if (strategyFiles.problems.length > 0) {
      lastJudged = unjudged
      yield* refuse(strategyFiles.rendered)
      return
    }
    // An unchanged file keeps its strategy object, so the engine does not run it again for that.
    const next = strategyFiles.strategies.map((strategy) => strategies.find((old) => isSame(old, strategy)) ?? strategy)
    if (!(yield* isSafe(next))) return
    if (standing.text !== "") yield* books.record({ _tag: "EditMended" })
    standing = nothing
    lastJudged = unjudged
    if (next.length === strategies.length && next.every((strategy) => strategies.includes(strategy))) return
    yield* use(next)
  }).pipe(looking.withPermit, Effect.provideContext(context))

  return {
    look,
    /** Judges the files now, even if they were judged recently, and returns why they do not run; "" if they run. */
    objection: Effect.suspend(() => {
      lastJudged = unjudged
      return Effect.map(look, () => standing.text.replaceAll("\n", "; "))
    }),
    forever: Effect.forever(Effect.andThen(Effect.sleep(lookMillis), look)),
    strategies: () => strategies,
    files: () => files
  } as const
})

/** A running file of orders by hand that is gone is missed like any other. */
const knownOf = (given: ReadonlyArray<string>, running: ReadonlyArray<Strategy>): ReadonlyArray<string> => [
  ...given,
  ...running.flatMap(({ file, name }) => (ByHand.isByHand(name) && !given.includes(file) ? [file] : []))
]

/** The edited strategies, without edits that take no new risk. */
const freshIn = (next: ReadonlyArray<Strategy>, running: ReadonlyArray<Strategy>, now: number) =>
  next.filter((strategy) => {
    const before = running.find(({ name }) => name === strategy.name)?.text
    return !running.includes(strategy) && !Admission.takesNoRisk(strategy, before, now)
  })

interface Edit {
  readonly fresh: ReadonlyArray<Strategy>
  readonly running: ReadonlyArray<Strategy>
  readonly allowed: ReadonlyArray<FindingName>
}

/** Returns the problems of an edit, and their names without details. They are not final while the venue gives no usable answers. */
const judge = Effect.fnUntraced(function* (
  admission: Admission.Admission,
  next: ReadonlyArray<Strategy>,
  { fresh, running, allowed }: Edit
) {
  const planned = Admission.findingsOn(admission, next, fresh)
  const findings = yield* Effect.result(Effect.catchDefect(planned, ofOwnCode))
  const pending = (why: string) => ({ isFinal: false, problems: [why], names: [why] })
  if (Result.isFailure(findings)) {
    const { failure } = findings
    const { message } = failure
    return isOfOwnCode(failure)
      ? { ...pending(message), isFinal: true }
      : pending(`The edit cannot be checked yet: ${message}`)
  }
  if (findings.success === undefined) return pending("The edit cannot be checked yet: the venue has no usable price")
  const isMore = fresh.some((strategy) => Admission.isMore(strategy, running))
  const refused = Admission.refusedOf(findings.success, isMore ? allowed : [...allowed, "over-commit"])
  const names = refused.flatMap(({ name, strategies }) => [name, ...strategies])
  return { isFinal: true, problems: refused.map(Admission.editSentenceOf), names }
})

const ofOwnCode = (mistake: unknown) => (isOfOwnCode(mistake) ? Effect.fail(mistake) : Effect.die(mistake))

const fateOf: Readonly<Record<WatchOptions["onRemoved"], string>> = {
  drained: "unless it is back within 30 s, its strategy's orders are cancelled",
  left: "unless it is back within 30 s, its strategy ends, and its orders stay open"
}

const isSame = (a: Strategy, b: Strategy): boolean => a.file === b.file && a.hash === b.hash
