/** Plans a turn with the engine's own planning on a private state. It sends and stores nothing. A plan cannot differ from a run. */
import { Effect, PubSub, Result } from "effect"
import type { BotEvent, Reason, Recorded } from "../../../domain/BotEvent.ts"
import type { Decision } from "../../../strategy/Decision.ts"
import type { Markets } from "../../../strategy/Markets.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import * as StrategyFile from "../../../strategy/StrategyFile.ts"
import * as StartUp from "../../StartUp.ts"
import { Bookkeeper } from "../../state/Bookkeeper.ts"
import * as BotState from "../../state/BotState.ts"
import * as Tries from "../../state/process/Tries.ts"
import type { StrategyState } from "../../state/strategies/StrategyState.ts"
import type { MarketMoment } from "../DecisionRecord.ts"
import * as Planning from "../Planning.ts"

export interface PlanAheadInputs {
  readonly run: StartUp.BotRun
  readonly strategies: ReadonlyArray<Strategy>
  /** Changed in place: the caller must not use it afterwards. */
  readonly state: BotState.BotState
  readonly moments: ReadonlyMap<string, MarketMoment>
  readonly now: number
  /** For the files with which the strategies ran until now. */
  readonly markets: Markets
  readonly withdraw: Reason | undefined
}

export type PlannedAhead = Effect.Success<ReturnType<typeof planAhead>>

/** The file that an edit replaces. `undefined` if there is no edit, or if this version cannot read that file. */
const earlierOf = ({ hash }: Strategy, { decidedBy }: StrategyState, markets: Markets): Strategy | undefined =>
  decidedBy?.text === undefined || decidedBy.hash === hash
    ? undefined
    : Result.getOrUndefined(StrategyFile.parse(decidedBy.text, decidedBy.file, markets))

export const planAhead = Effect.fn("PlanAhead.planAhead")(function* (situation: PlanAheadInputs) {
  const { run, strategies, state, moments, now, markets, withdraw } = situation
  const events: Array<BotEvent> = []
  const record = (...batch: ReadonlyArray<BotEvent>) =>
    Effect.sync(() => {
      for (const event of batch) {
        BotState.apply(state, { sequence: state.sequence + 1, at: now, event })
        events.push(event)
      }
    })
  const recordFrom = (events: (state: BotState.BotState) => ReadonlyArray<BotEvent>) =>
    Effect.suspend(() => record(...events(state)))
  const changes = yield* PubSub.sliding<Recorded>(1)
  const decisions = new Map<string, Decision>()
  const before = BotState.unfinished(state)
  const ran = new Map(
    strategies.flatMap((strategy) => {
      const last = state.strategies.get(strategy.name)
      return last?.decision === undefined
        ? []
        : [[strategy.name, { ...last, earlier: earlierOf(strategy, last, markets) }]]
    })
  )
  yield* Effect.gen(function* () {
    yield* StartUp.record(run, strategies)
    const killed = withdraw?.code === "kill-switch" ? withdraw.text : undefined
    if (killed !== state.killed)
      yield* record({ _tag: "KillSwitch", on: killed !== undefined, reason: killed ?? "released" })
    const planning = yield* Planning.make(() => true)
    for (const strategy of strategies) {
      const moment = moments.get(strategy.name)
      if (moment !== undefined) decisions.set(strategy.name, yield* planning.plan(strategy, moment, withdraw))
    }
  }).pipe(
    Effect.provideService(
      Bookkeeper,
      Bookkeeper.of({
        ...{ state, record, recordFrom, recordIfFits: record, changes },
        ...{ tries: Tries.make(state), lookAtDisk: Effect.void, database: undefined, isOfAnother: () => false }
      })
    )
  )
  return { before, ran, events, decisions, state }
})
