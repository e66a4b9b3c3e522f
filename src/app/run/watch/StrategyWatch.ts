/**
 * Watches the strategy files of a running bot, and checks a saved file together with all others. Good files replace what runs; bad ones
 * change nothing. It compares contents each second, because no file system notifies reliably.
 */
import { resolve } from "node:path"
import { Clock, Effect, FileSystem, Result, Semaphore } from "effect"
import { monotonicMillis } from "../../../domain/Durations.ts"
import type { Engine } from "../../../engine/Engine.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../../engine/state/BotState.ts"
import { slotKey } from "../../../engine/state/SlotFold.ts"
import * as ByHand from "../../../files/ByHand.ts"
import * as StrategyFiles from "../../../files/StrategyFiles.ts"
import type { Markets } from "../../../strategy/Markets.ts"
import { isOfOwnCode } from "../../../strategy/own/OwnCodeFailed.ts"
import { marketsSaid, type Strategy } from "../../../strategy/Strategy.ts"
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

/** Why the versions before these edited files continue. It is final for a time, unless the venue gave no usable answers. */
interface Objection {
  readonly files: ReadonlyArray<string>
  readonly name: string
  readonly text: string
  readonly isFinal: boolean
}
type Objections = ReadonlyArray<Objection>
/** For reads that repeat every second: a trace would be full of them. */
const untraced = Effect.withTracerEnabled(false)
const unjudged = { edit: "", until: 0, final: [] as Objections }

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
  const { forget, objectionsTo } = judging(admission)

  const hasNotGone = Effect.fnUntraced(function* (file: string) {
    const missCount = (yield* isThere(file)) ? 0 : (misses.get(file) ?? 0) + 1
    misses.set(file, missCount)
    return missCount < missesUntilGone
  })

  const withdrawCancelled = Effect.suspend(() => {
    const orders = cancelledOrders(books.state, strategies)
    const why = { code: "operator", text: "The order was cancelled by hand" }
    return orders.length === 0 ? Effect.void : engine.withdrawPlacements(orders, why)
  })
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
    const there = yield* Effect.filter(files, hasNotGone)
    const missesOf = (file: string) => misses.get(file) ?? 0
    const absent = there.flatMap((file) => (missesOf(file) < missesUntilTold ? [] : [goneText(file, onRemoved)]))
    const strategyFiles = yield* untraced(readAll(there.filter((file) => missesOf(file) === 0)))
    const next = nextOf(there, strategyFiles, strategies)
    const objections = yield* objectionsTo(next, strategies)
    const mistakes = [...absent, ...strategyFiles.rendered]
    const problems = [...mistakes, ...objections.map(({ text }) => text)]
    const names = [...mistakes, ...objections.map(({ name }) => name)].join()
    if (names !== "" || there.every((file) => missesOf(file) === 0)) {
      const event = names === "" ? { _tag: "EditMended" as const } : { _tag: "StrategiesRefused" as const, problems }
      if (names !== standing) yield* books.record(event)
      standing = names
      if (names === "") forget()
    }
    const admitted = versionsUnder(objections, next, strategies)
    const isUnchanged = admitted.length === strategies.length && admitted.every((each) => strategies.includes(each))
    if (!isUnchanged) yield* use(admitted)
    const applied = strategyFiles.strategies.filter(({ file, hash }) => ofFile(file, admitted)?.hash === hash)
    const waiting = there.filter((file) => ofFile(file, applied) === undefined)
    const why = (file: string) =>
      missesOf(file) > 0 ? goneText(file, onRemoved) : whyIn(file, strategyFiles, objections)
    return new Map(waiting.map((file) => [file, why(file).replaceAll("\n", "; ")]))
  }).pipe(looking.withPermit, Effect.provideContext(context))

  return {
    look,
    /** Judges the files now, even if they were judged recently. `own` is the file that the caller has written. */
    reload: Effect.fnUntraced(function* (own?: string) {
      forget()
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

const isHeld = (file: string, objections: Objections) => objections.some(({ files }) => files.includes(file))

/** A readable file without an objection waits for the file whose strategy name it takes. */
const whyIn = (own: string, { problems, rendered }: StrategyFiles.ReadFiles, objections: Objections): string => {
  const mistakes = rendered.filter((_, at) => problems[at]?.file === own)
  const texts = objections.flatMap(({ files, text }) => (files.includes(own) ? text : []))
  return [mistakes, texts, rendered].find(({ length }) => length > 0)?.join("; ") ?? ""
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

const versionsUnder = (objections: Objections, next: ReadonlyArray<Strategy>, running: ReadonlyArray<Strategy>) =>
  next.flatMap((each) => (isHeld(each.file, objections) ? running.filter(({ file }) => file === each.file) : each))

/** Judges all edits together. While there are objections, judges the others again, beside the versions that continue. */
const judging = (admission: WatchOptions["admission"]) => {
  let last = unjudged
  const objectionsTo = Effect.fnUntraced(function* (next: ReadonlyArray<Strategy>, running: ReadonlyArray<Strategy>) {
    const fresh = freshIn(next, running, yield* Clock.currentTimeMillis)
    if (admission === undefined || fresh.length === 0) return []
    const allow = [...admission.allow, ...(yield* untraced(Admission.allowedNext(admission.config.journal)))]
    const keyOf = (edits: ReadonlyArray<Strategy>) => [...edits.map(({ file, hash }) => file + hash), ...allow].join()
    const now = yield* monotonicMillis
    const isJudged = keyOf(fresh) === last.edit && now < last.until
    const { final, until } = isJudged ? last : { ...unjudged, until: now + judgeAgainMillis }
    let all = final
    let further: Objections
    do {
      const versions = versionsUnder(all, next, running)
      const edits = fresh.filter((each) => versions.includes(each))
      further = namesakes(versions, running)
      if (further.length === 0 && edits.length > 0)
        further = yield* judge({ ...admission, allow }, { edits, running, versions })
      all = [...all, ...further]
    } while (further.length > 0)
    const edit = keyOf(fresh.filter(({ file }) => isHeld(file, all)))
    last = { edit, until, final: all.filter(({ isFinal }) => isFinal) }
    return all
  })
  const forget = () => {
    last = unjudged
  }
  return { forget, objectionsTo } as const
}

/** A version that continues keeps its name. */
const namesakes = (versions: ReadonlyArray<Strategy>, running: ReadonlyArray<Strategy>): Objections =>
  versions.flatMap((each) => {
    const owner = running.find((old) => old.name === each.name && old !== each && versions.includes(old))
    if (owner === undefined) return []
    const text = `${each.file} waits for ${owner.file}, which still has its name ${each.name}`
    return [{ files: [each.file], name: text, text, isFinal: true }]
  })

const unchecked = (edits: ReadonlyArray<Strategy>, why: string, isFinal = false): Objection => {
  const files = edits.map(({ file }) => file)
  const text = `The edit of ${files.join(", ")} cannot be checked yet: ${why}`
  return { files, name: `unchecked ${files.join()}`, text, isFinal }
}

type Edit = Readonly<Record<"edits" | "running" | "versions", ReadonlyArray<Strategy>>>

/** A finding holds the edits of its strategies. A finding about the account is about all strategies that take part in it. */
const judge = Effect.fnUntraced(function* (admission: Admission.Admission, { edits, running, versions }: Edit) {
  const planned = Admission.findingsOn(admission, versions, edits)
  const answer = yield* Effect.result(Effect.catchDefect(planned, ofOwnCode))
  if (Result.isFailure(answer)) return [unchecked(edits, answer.failure.message, isOfOwnCode(answer.failure))]
  const { findings, waiting } = answer.success
  if (waiting.length > 0)
    return waiting.map((each) => unchecked([each], `the venue has no usable price for ${marketsSaid(each)}`))
  return Admission.refusedOf(findings, admission.allow).flatMap((finding): Objections => {
    const { name, strategies } = finding
    const own = edits.filter((edit) => strategies.includes(edit.name))
    const held = name === "over-commit" ? own.filter((edit) => Admission.isMore(edit, running)) : own
    const [files, hashes] = [held.map(({ file }) => file), held.map(({ hash }) => hash)]
    const text = Admission.editSentenceOf(finding, files)
    return held.length === 0 ? [] : [{ files, name: [name, ...hashes].join(), text, isFinal: true }]
  })
})

const ofOwnCode = (mistake: unknown) => (isOfOwnCode(mistake) ? Effect.fail(mistake) : Effect.die(mistake))

const fateOf: Readonly<Record<WatchOptions["onRemoved"], string>> = {
  drained: "unless it is back soon, its strategy's orders are cancelled",
  left: "unless it is back soon, its strategy ends, and its orders stay open"
}

const goneText = (file: string, onRemoved: WatchOptions["onRemoved"]) => `${file} is gone: ${fateOf[onRemoved]}`
