/** Gathers everything that a plan shows: the journal, the venue's present answers, and the resulting actions of a turn. */
import { Clock, Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { mid } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { defaults } from "../../engine/EngineSettings.ts"
import * as PlanAhead from "../../engine/planning/ahead/PlanAhead.ts"
import * as PlanFindings from "../../engine/planning/ahead/PlanFindings.ts"
import * as PlanReport from "../../engine/planning/ahead/PlanReport.ts"
import * as PlanWarnings from "../../engine/planning/ahead/PlanWarnings.ts"
import { type MarketMoment, momentOf } from "../../engine/planning/DecisionRecord.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import * as KillFile from "../../process/KillFile.ts"
import { Process } from "../../process/Process.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import { version } from "../../version.ts"
import type { PlanFacts } from "../../views/Plan.ts"
import * as Readiness from "../candles/Readiness.ts"
import * as StartChecks from "../start/StartChecks.ts"
import * as PlanInputs from "./PlanInputs.ts"

export const draft = Effect.fnUntraced(function* (
  config: ConfigFile.BotConfig,
  account: VenueAccount,
  strategies: ReadonlyArray<Strategy>
) {
  const remembered = yield* PlanInputs.readJournal(config.journal, strategies, config.markets.sources ?? new Map())
  const isKilled = (yield* Effect.flatten(KillFile.watch(config.journal))) !== undefined
  const { hasJournal, state } = remembered
  yield* StartChecks.pass({ config, account, isKilled, ...(hasJournal && { state }) })
  return yield* draftFrom(config, account, strategies, { remembered, books: yield* PlanInputs.books(strategies) })
})

export const draftFrom = Effect.fnUntraced(function* (
  config: ConfigFile.BotConfig,
  account: VenueAccount,
  strategies: ReadonlyArray<Strategy>,
  {
    remembered: { state, hasJournal, feeds, own },
    books
  }: { readonly remembered: PlanInputs.PlanInputs; readonly books: Books }
) {
  const { assets } = config.markets
  const killed = yield* Effect.flatten(KillFile.watch(config.journal))
  const prices = pricesIn(books)
  const [fees, balances, { chains, usd }] = yield* Effect.all(
    [PlanInputs.fees(assets), PlanInputs.balances(assets, account), PlanInputs.listed(assets)],
    { concurrency: 3 }
  )
  const readiness = yield* Readiness.lookAll(
    strategies,
    config.markets.sources ?? new Map(),
    ({ market: { name } }) => {
      const price = prices.get(name)
      const marketFacts = {
        own: own.get(name) ?? [],
        price: price === undefined ? undefined : Decimal.toNumber(mid(price))
      }
      return Effect.succeed(marketFacts)
    }
  )
  const { pid } = yield* Process
  const at = yield* Clock.currentTimeMillis
  // Any mode will do, because a plan writes nothing to the journal.
  const { fillBasisPoints } = config.markets.costs ?? {}
  const mode = state.run?.mode ?? "live"
  const run = {
    pid,
    version,
    mode,
    account: account.signerId,
    venue: config.venue.url,
    assets: Layers.idsBySymbol(config.markets),
    ...present({ fillBasisPoints })
  }
  const planned = yield* PlanAhead.planAhead({
    run,
    strategies,
    state,
    moments: momentsOf(strategies, books, feeds, at),
    now: at,
    withdraw: killed === undefined ? undefined : { code: "kill-switch", text: killed }
  })
  const changes = PlanReport.changesOf(strategies, planned, fees)
  const renewals = PlanWarnings.renewalsOf(strategies, changes, fees, defaults.orderLifetimeMillis)
  const locked = PlanReport.lockedOf(strategies, planned, changes)
  const minimumIn = PlanInputs.minimumIn(config, chains)
  const exposure = config.limits?.exposure ?? new Map<string, bigint>()
  const ground = { strategies, planned, changes, fees, balances, usd, minimumIn, locked, exposure, books }
  return {
    at,
    journal: config.journal,
    hasJournal,
    killed,
    strategies,
    prices,
    fees,
    charged: [...state.echoedFees.values()].filter(({ market }) =>
      strategies.some((strategy) => marketsOf(strategy).some(({ name }) => name === market))
    ),
    isBalanceKnown: balances !== undefined,
    spares: PlanFindings.sparesOf(ground),
    changes,
    absent: PlanReport.absentOf(planned),
    locked,
    findings: [...PlanFindings.findingsOf(ground), ...readiness.flatMap(distrusted)],
    readiness,
    renewals,
    warnings: [
      ...strategies.flatMap(ofFile),
      ...PlanWarnings.depthWarnings(changes, books),
      ...PlanWarnings.renewalWarnings(renewals)
    ]
  } satisfies PlanFacts
})

const ofFile = ({ name, warnings = [] }: Strategy): PlanFacts["warnings"] =>
  warnings.map(({ file, line, message }) => ({
    name: "file",
    strategy: name,
    slots: [],
    text: `${file}:${line}: ${message}`
  }))

const distrusted = ({ strategy, problem }: PlanFacts["readiness"][number]): ReadonlyArray<PlanFindings.PlanFinding> =>
  problem === null ? [] : [{ name: "candles", strategies: [strategy], slots: [], text: problem }]

type Books = Effect.Success<ReturnType<typeof PlanInputs.books>>

const pricesIn = (books: Books): PlanFacts["prices"] =>
  new Map([...books].flatMap(([name, { price }]) => (price === undefined ? [] : [[name, price] as const])))

const momentsOf = (
  strategies: ReadonlyArray<Strategy>,
  books: Books,
  feeds: PlanInputs.PlanInputs["feeds"],
  now: number
): ReadonlyMap<string, MarketMoment> => {
  const prices = pricesIn(books)
  return new Map(
    strategies.flatMap((strategy) => {
      const depth = books.get(strategy.market.name)?.depth
      const candles = PlanInputs.candlesAt(strategy, feeds, prices, now)
      const moment = momentOf(strategy, prices, candles, now, depth)
      return moment === undefined ? [] : [[strategy.name, moment] as const]
    })
  )
}
