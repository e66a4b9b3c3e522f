/**
 * Watches the strategy files of a running bot, and checks a saved file together with all others. Good files replace what runs; bad ones
 * change nothing. It compares contents each second, because no file system notifies reliably.
 */
import { resolve } from "node:path"
import { Clock, Effect, FileSystem, Result, Semaphore } from "effect"
import { monotonicMillis } from "../../../domain/Durations.ts"
import type { Engine } from "../../../engine/Engine.ts"
import type { FindingName } from "../../../engine/planning/ahead/PlanFindings.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../../engine/state/BotState.ts"
import { slotKey } from "../../../engine/state/SlotFold.ts"
import * as ByHand from "../../../files/ByHand.ts"
import * as StrategyFiles from "../../../files/StrategyFiles.ts"
import type { Markets } from "../../../strategy/Markets.ts"
import { isOfOwnCode } from "../../../strategy/own/OwnCodeFailed.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import type * as WarmPrices from "../../candles/WarmPrices.ts"
import * as Admission from "../Admission.ts"

const lookMillis = 1_000
/** Polls of one second. An editor that replaces a file removes it briefly, and a file moved by mistake may return. */
const missesUntilTold = 3
const missesUntilGone = 30
/** An edit that was unsafe may become safe after fills and price moves, so it is judged again after this time. */
const judgeAgainMillis = 30_000

export interface WatchOptions {
  readonly files: ReadonlyArray<string>
  /** Files of orders by hand beside this journal run as well. Absent in the demo. */
  readonly byHandOf?: string | undefined
  readonly markets: Markets
  readonly onRemoved: "drained" | "left"
  readonly admission?: Admission.Admission | undefined
  readonly warm?: WarmPrices.WarmPrices
}

interface Verdict {
  readonly problems: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}
const safe: Verdict = { problems: [], names: [] }
/** For reads that repeat every second: a trace would be full of them. */
const untraced = Effect.withTracerEnabled(false)
const unjudged = { edit: "", until: 0, verdict: safe }

export const make = Effect.fnUntraced(function* (
  engine: Pick<Engine, "replace" | "withdrawPlacements">,
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
  let standing = ""
  let lastJudged = unjudged

  const verdictOn = Effect.fnUntraced(function* (next: ReadonlyArray<Strategy>, fresh: ReadonlyArray<Strategy>) {
    if (admission === undefined || fresh.length === 0) return safe
    const allowed = [...admission.allow, ...(yield* untraced(Admission.allowedNext(admission.config.journal)))]
    const edit = [...fresh.map(({ hash }) => hash), ...allowed].join()
    const now = yield* monotonicMillis
    if (edit === lastJudged.edit && now < lastJudged.until) return lastJudged.verdict
    const { isFinal, names, problems } = yield* judge(admission, next, { fresh, running: strategies, allowed })
    if (problems.length === 0) return safe
    const verdict = { problems, names: isFinal ? [edit, ...names] : names }
    if (isFinal) lastJudged = { edit, until: now + judgeAgainMillis, verdict }
    return verdict
  })

  const present = Effect.suspend(() => Effect.filter(files, hasNotGone))
  const hasNotGone = (file: string) =>
    Effect.map(isThere(file), (exists) => {
      const missCount = exists ? 0 : (misses.get(file) ?? 0) + 1
      misses.set(file, missCount)
      return missCount < missesUntilGone
    })

  const withdrawCancelled = Effect.suspend(() => withdrawn(engine, cancelledOrders(books.state, strategies)))
  yield* withdrawCancelled

  /** Uninterruptible, because the caller of a reload may disconnect: the engine and this watch must run the same files. */
  const use = Effect.fnUntraced(function* (next: ReadonlyArray<Strategy>) {
    warm?.use(next)
    yield* engine.replace(next, onRemoved)
    strategies = next
    yield* withdrawCancelled
    if (admission !== undefined) yield* Admission.forgetAllowed(admission.config.journal)
  }, Effect.uninterruptible)

  const look = Effect.gen(function* () {
    if (byHandOf !== undefined) files = yield* untraced(ByHand.besides(knownOf(given, strategies), byHandOf))
    const there = yield* present
    const missesOf = (file: string) => misses.get(file) ?? 0
    const absent = there.flatMap((file) => (missesOf(file) < missesUntilTold ? [] : [goneText(file, onRemoved)]))
    const strategyFiles = yield* untraced(readAll(there.filter((file) => missesOf(file) === 0)))
    const next = nextOf(there, strategyFiles, strategies)
    const fresh = freshIn(next, strategies, yield* Clock.currentTimeMillis)
    const verdict = yield* verdictOn(next, fresh)
    const problems = [...absent, ...strategyFiles.rendered, ...verdict.problems]
    const names = [...absent, ...strategyFiles.rendered, ...verdict.names].join()
    if (names !== "" || there.every((file) => missesOf(file) === 0)) {
      const event = names === "" ? { _tag: "EditMended" as const } : { _tag: "StrategiesRefused" as const, problems }
      if (names !== standing) yield* books.record(event)
      standing = names
      if (names === "") lastJudged = unjudged
    }
    const versionBefore = ({ file }: Strategy) => strategies.filter((each) => each.file === file)
    const admitted = next.flatMap((each) => (verdict !== safe && fresh.includes(each) ? versionBefore(each) : each))
    const isUnchanged = admitted.length === strategies.length && admitted.every((each) => strategies.includes(each))
    if (!isUnchanged) yield* use(admitted)
    const applied = strategyFiles.strategies.filter(({ file, hash }) => ofFile(file, admitted)?.hash === hash)
    const waiting = there.filter((file) => ofFile(file, applied) === undefined)
    const why = (file: string) => (missesOf(file) > 0 ? goneText(file, onRemoved) : whyIn(file, strategyFiles, verdict))
    return new Map(waiting.map((file) => [file, why(file).replaceAll("\n", "; ")]))
  }).pipe(looking.withPermit, Effect.provideContext(context))

  return {
    look,
    /** Judges the files now, even if they were judged recently. `own` is the file that the caller has written. */
    reload: Effect.fnUntraced(function* (own?: string) {
      lastJudged = unjudged
      return answerTo(own, yield* look)
    }),
    forever: Effect.forever(Effect.andThen(Effect.sleep(lookMillis), look)),
    strategies: () => strategies,
    files: () => files
  } as const
})

/** Returns live orders that were cancelled by hand. A plan would cancel them only with a price. */
const cancelledOrders = (state: BotState, strategies: ReadonlyArray<Strategy>): ReadonlyArray<string> => {
  const cancelled = strategies.flatMap(({ name, text }) =>
    ByHand.isByHand(name) ? ByHand.cancelledIn(text).map((id) => slotKey(name, id)) : []
  )
  return unfinished(state).flatMap(({ id, slot, strategy }) =>
    cancelled.includes(slotKey(strategy, ByHand.orderOf(slot))) ? [id] : []
  )
}

const withdrawn = ({ withdrawPlacements }: Pick<Engine, "withdrawPlacements">, orders: ReadonlyArray<string>) =>
  orders.length === 0
    ? Effect.void
    : Effect.asVoid(withdrawPlacements(orders, { code: "operator", text: "The order was cancelled by hand" }))

/** Keeps the running strategy of a file that is missing or has mistakes; the other files do not wait for it. */
const nextOf = (
  there: ReadonlyArray<string>,
  { problems, strategies: readable }: StrategyFiles.ReadFiles,
  running: ReadonlyArray<Strategy>
) => {
  const isWhole = problems.length === 0 && readable.length === there.length
  return there.flatMap((file) => {
    const before = running.find((old) => old.file === file)
    const after = readable.find((each) => each.file === file && !problems.some((problem) => problem.file === file))
    const owner = running.find((old) => old.name === after?.name)?.file ?? file
    if (after === undefined || (owner !== file && !isWhole)) return before ?? []
    // An unchanged file keeps its strategy object, so that the engine does not replace it.
    return before !== undefined && before.file === after.file && before.hash === after.hash ? before : after
  })
}

const ofFile = (file: string, strategies: ReadonlyArray<Strategy>) => strategies.find((each) => each.file === file)

/** A readable file waits for the verdict on all edits with new risk, or for the file whose strategy name it takes. */
const whyIn = (own: string, { problems, rendered, strategies }: StrategyFiles.ReadFiles, verdict: Verdict): string => {
  const mistakes = rendered.filter((_, at) => problems[at]?.file === own)
  const judged = ofFile(own, strategies) === undefined ? [] : verdict.problems
  return [mistakes, judged, rendered].find(({ length }) => length > 0)?.join("; ") ?? ""
}

const answerTo = (own: string | undefined, waiting: ReadonlyMap<string, string>) => {
  const isOwn = (file: string) => own === undefined || resolve(file) === resolve(own)
  const texts = new Set([...waiting].flatMap(([file, text]) => (isOwn(file) ? [text] : [])))
  const others = [...waiting.keys()].filter((file) => !isOwn(file)).join(", ")
  const note = others === "" ? "" : `. Not applied: ${others}; limitbot status shows why`
  return { objection: [...texts].join("; "), note }
}

/** Includes the files of running orders by hand, so that a missing one is noticed like any other. */
const knownOf = (given: ReadonlyArray<string>, running: ReadonlyArray<Strategy>): ReadonlyArray<string> => [
  ...given,
  ...running.flatMap(({ file, name }) => (ByHand.isByHand(name) && !given.includes(file) ? [file] : []))
]

/** Returns new and edited strategies, except those without new risk. */
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

/** Returns the problems of an edit, and their names. They are not final while the venue gives no usable answers. */
const judge = Effect.fnUntraced(function* (
  admission: Admission.Admission,
  next: ReadonlyArray<Strategy>,
  { fresh, running, allowed }: Edit
) {
  const planned = Admission.findingsOn(admission, next, fresh)
  const findings = yield* Effect.result(Effect.catchDefect(planned, ofOwnCode))
  const pending = (why: string, isFinal = false) => ({ isFinal, problems: [why], names: [why] })
  if (Result.isFailure(findings)) {
    const isFinal = isOfOwnCode(findings.failure)
    const { message } = findings.failure
    return pending(isFinal ? message : `The edit cannot be checked yet: ${message}`, isFinal)
  }
  if (findings.success === undefined) return pending("The edit cannot be checked yet: the venue has no usable price")
  const isMore = fresh.some((strategy) => Admission.isMore(strategy, running))
  const refused = Admission.refusedOf(findings.success, isMore ? allowed : [...allowed, "over-commit"])
  const names = refused.flatMap(({ name, strategies }) => [name, ...strategies])
  return { isFinal: true, problems: refused.map(Admission.editSentenceOf), names }
})

const ofOwnCode = (mistake: unknown) => (isOfOwnCode(mistake) ? Effect.fail(mistake) : Effect.die(mistake))

const fateOf: Readonly<Record<WatchOptions["onRemoved"], string>> = {
  drained: "unless it is back soon, its strategy's orders are cancelled",
  left: "unless it is back soon, its strategy ends, and its orders stay open"
}

const goneText = (file: string, onRemoved: WatchOptions["onRemoved"]) => `${file} is gone: ${fateOf[onRemoved]}`
