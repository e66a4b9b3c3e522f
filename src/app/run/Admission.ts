/**
 * Decides if new and edited strategy files may run. A finding that stops `plan` also stops a start and an edit, unless the operator allows
 * it by name. A file that ran unchanged before continues after a restart in any market, because the operator may be away.
 */
import { Clock, Deferred, Effect, FileSystem, Option, Schema } from "effect"
import { staleness } from "../../engine/holds/MarketLimits.ts"
import { type FindingName, findingNames, type PlanFinding } from "../../engine/planning/ahead/PlanFindings.ts"
import { slotEnds } from "../../engine/planning/DecisionRecord.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import * as ByHand from "../../files/ByHand.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import * as WholeFile from "../../journal/WholeFile.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import { wantedBy } from "../../orderbook/Wanted.ts"
import { budgets, marketsOf, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import * as PlanDraft from "../plan/PlanDraft.ts"
import { PlanRefused } from "../plan/PlanRefused.ts"

/** A price up to this age is good enough to judge an edit. */
const priceMillis = 5_000

/** True for a strategy that has ended, and for an edit that only cancels: such a file is applied in any market. */
export const takesNoRisk = (strategy: Strategy, before: string | undefined, now: number): boolean =>
  (strategy.endsAt !== undefined && now >= strategy.endsAt) || ByHand.onlyCancels(strategy, before)

/** True if the journal does not show that this text has run, and the strategy may take a new risk. */
const isFresh = ({ strategies }: BotState, strategy: Strategy, now: number): boolean => {
  const { isTried, loaded, removed } = strategies.get(strategy.name) ?? {}
  if (takesNoRisk(strategy, loaded?.text, now)) return false
  return loaded?.hash !== strategy.hash || removed !== undefined || isTried !== true
}

export interface Admission {
  readonly config: BotConfig
  readonly account: VenueAccount
  readonly allow: ReadonlyArray<FindingName>
}

/** Returns the findings about the `fresh` strategies, except those that wait for a usable price of a market. */
export const findingsOn = Effect.fn("Admission.findingsOn")(function* (
  { config, account }: Admission,
  strategies: ReadonlyArray<Strategy>,
  fresh: ReadonlyArray<Strategy>
) {
  const { state } = yield* Bookkeeper
  const orderBook = yield* OrderBook
  const bookRequests = wantedBy(strategies, (name) => slotEnds(state, name))
  yield* orderBook.look(bookRequests, priceMillis)
  const books = PlanDraft.booksIn(orderBook, bookRequests)
  const now = yield* Clock.currentTimeMillis
  // A price that a bot would not use does not judge a file either.
  const isUnpriced = (strategy: Strategy) =>
    marketsSeen(strategy).some(({ name }) => books.get(name)?.problem !== undefined) ||
    marketsOf(strategy).some(({ name }) => {
      const price = books.get(name)?.price
      return price === undefined || staleness({ now, price, limits: strategy.limits }) !== undefined
    })
  const waiting = fresh.filter(isUnpriced)
  if (waiting.length === fresh.length) return { findings: [], waiting }
  const warmed = yield* PlanDraft.feedsOf(yield* PriceStore, strategies, config.markets.sources ?? new Map())
  const remembered = { state: structuredClone(state), hasJournal: true, ...warmed }
  const { findings } = yield* PlanDraft.draftFrom(config, account, strategies, { remembered, books })
  const names = new Set(fresh.flatMap((each) => (waiting.includes(each) ? [] : each.name)))
  return { findings: findings.filter((finding) => finding.strategies.some((name) => names.has(name))), waiting }
})

/** True if the file may use more money than before. A smaller budget must be accepted, even while more is still in orders. */
export const isMore = (next: Strategy, running: ReadonlyArray<Strategy>): boolean => {
  const before = running.filter(({ name }) => name === next.name).flatMap(budgets)
  const had = new Map(before.map(({ asset, amount }) => [asset.symbol, amount]))
  return budgets(next).some(({ asset, amount }) => amount > (had.get(asset.symbol) ?? 0n))
}

export const refusedOf = (
  findings: ReadonlyArray<PlanFinding>,
  allowed: ReadonlyArray<FindingName>
): ReadonlyArray<PlanFinding> => findings.filter(({ name }) => !allowed.includes(name))

const sentenceOf = ({ name, text }: PlanFinding): string => `${name}: ${text}`

/** Names the edited `files` that wait because of this finding. */
export const editSentenceOf = (finding: PlanFinding, files: ReadonlyArray<string>): string =>
  `${finding.strategies.join(", ")}: ${sentenceOf(finding)}. Change ${files.join(", ")}, or: limitbot reload --allow ${finding.name}`

const Names = Schema.fromJsonString(Schema.Array(Schema.Literals(findingNames)))
const fileOf = (journal: string): string => `${journal}.allow`

/** Writes the names of `limitbot reload --allow NAME` to a file for the next edit, because a bot may have no control server. */
export const allowNext = (journal: string, names: ReadonlyArray<FindingName>) =>
  WholeFile.writeAtomically(fileOf(journal), JSON.stringify(names))

export const allowedNext = Effect.fn("Admission.allowedNext")(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* Effect.option(fileSystem.readFileString(fileOf(journal)))
  return Option.getOrElse(Option.flatMap(text, Schema.decodeUnknownOption(Names)), () => [])
})

export const forgetAllowed = Effect.fn("Admission.forgetAllowed")(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  yield* Effect.ignore(fileSystem.remove(fileOf(journal), { force: true }))
})

interface Judged {
  readonly admission: Admission | undefined
  readonly killSwitch: Effect.Effect<string | undefined>
  readonly strategies: ReadonlyArray<Strategy>
}

/**
 * Judges new and edited strategies before they are planned. A refused file fails here and leaves nothing in the journal. If the venue gives
 * no usable answer, the bot starts anyway, and the first turn that could place an order judges. Only a refused file ends a bot that has
 * orders or already runs. Each file waits only for the prices of its own markets; all other strategies keep their stops.
 */
export const judging = Effect.fnUntraced(function* ({ admission, killSwitch, strategies }: Judged) {
  const { state } = yield* Bookkeeper
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof findingsOn>>>()
  const now = yield* Clock.currentTimeMillis
  const fresh = strategies.filter((strategy) => isFresh(state, strategy, now))
  const refusal = yield* Deferred.make<never, Effect.Error<typeof judged>>()
  const waiting = new Set(admission === undefined ? [] : fresh)
  const judged = Effect.gen(function* () {
    if (admission === undefined) return
    const { findings, waiting: unpriced } = yield* findingsOn(admission, strategies, [...waiting])
    const refused = refusedOf(findings, admission.allow)
    if (refused.length > 0) {
      const names = [...new Set(refused.map(({ name }) => name))]
      return yield* new PlanRefused({ names, findings: refused.map(sentenceOf), isPrinted: false })
    }
    for (const strategy of waiting) if (!unpriced.includes(strategy)) waiting.delete(strategy)
  }).pipe(
    Effect.catchReasons("VenueError", { RetryLater: () => Effect.void, OutcomeUnknown: () => Effect.void }),
    Effect.provideContext(context)
  )
  // Under the kill switch no file is refused, because cancelling needs a running bot.
  const isKilled = Effect.map(killSwitch, (reason) => reason !== undefined)
  const judgedIfPossible = Effect.catchIf(judged, isNoVerdict, ({ message }) => Effect.logWarning(message))
  if (waiting.size > 0 && !(yield* isKilled))
    yield* unfinished(state).length > 0 ? judgedIfPossible : Effect.retry(judged, { times: 1, while: isNoVerdict })
  const isAdmitted = (name: string): boolean => ![...waiting].some((strategy) => strategy.name === name)
  const admit = Effect.flatMap(isKilled, (killed) =>
    waiting.size === 0 || killed
      ? Effect.succeed(isAdmitted)
      : judgedIfPossible.pipe(
          Effect.tapCause((cause) => Deferred.failCause(refusal, cause)),
          Effect.ignore,
          Effect.map(() => isAdmitted)
        )
  )
  return { admit, refused: Deferred.await(refusal) } as const
})

const isNoVerdict = (error: { readonly _tag: string }) => error._tag !== "PlanRefused"
