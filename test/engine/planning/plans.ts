/** Plans of strategy files as the program makes them, without a venue. */
import { Effect, Redacted } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { defaults, EngineSettings } from "../../../src/engine/EngineSettings.ts"
import { planAhead } from "../../../src/engine/planning/ahead/PlanAhead.ts"
import { findingsOf } from "../../../src/engine/planning/ahead/PlanFindings.ts"
import { changesOf, type Fees, lockedOf } from "../../../src/engine/planning/ahead/PlanReport.ts"
import { momentOf } from "../../../src/engine/planning/DecisionRecord.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { marketsOf } from "../../../src/strategy/Strategy.ts"
import { markets, price, strategyOf } from "../../strategy/support.ts"

export const now = 1_800_000_000_000
const run = { pid: 1, version: "0", mode: "live", account: "me", venue: "https://venue.example" }
const settings = { ...defaults, account: { signerId: "me", depositType: "INTENTS", maxAppFeeBasisPoints: 100 } }

interface LimitInputs {
  readonly mid?: string
  readonly history?: ReadonlyArray<BotEvent>
  readonly fees?: Fees
  readonly balances?: ReadonlyMap<string, bigint>
  readonly needs?: ReadonlyMap<string, ReadonlyMap<string, bigint>>
  readonly minOrderUsd?: string
  readonly killed?: string
  readonly exposure?: ReadonlyMap<string, bigint>
  readonly unpriced?: ReadonlyArray<string>
  /** Markets of which there is no price. */
  readonly without?: ReadonlyArray<string>
}

const stateOf = (history: ReadonlyArray<BotEvent>): BotState.BotState => {
  const state = BotState.make()
  history.forEach((event, index) => {
    BotState.apply(state, { sequence: index + 1, at: now, event })
  })
  return state
}

export const planOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>, at: LimitInputs = {}) {
  const strategies = texts.map(strategyOf)
  const mid = price(at.mid ?? "60000")
  const prices = new Map(
    strategies
      .filter(({ name }) => !at.unpriced?.includes(name))
      .flatMap(marketsOf)
      .map(({ name }) => {
        const own = name === "USDC/BTC" ? Decimal.divide(Decimal.one, mid, 12, "down") : mid
        return [name, { bid: own, ask: own, at: now }] as const
      })
  )
  for (const name of at.without ?? []) prices.delete(name)
  const moments = new Map(
    strategies.flatMap((strategy) => {
      const moment = momentOf(strategy, prices, undefined, now)
      return moment === undefined ? [] : [[strategy.name, moment] as const]
    })
  )
  const planned = yield* planAhead({
    run,
    strategies,
    state: stateOf(at.history ?? []),
    moments,
    now,
    markets,
    withdraw: at.killed === undefined ? undefined : { code: "kill-switch", text: at.killed }
  }).pipe(Effect.provideService(EngineSettings, settings))
  const fees = at.fees ?? new Map()
  const changes = changesOf(strategies, planned, fees)
  const locked = lockedOf(strategies, planned, changes)
  const findings = findingsOf({
    strategies,
    locked,
    exposure: at.exposure ?? new Map(),
    books: new Map(),
    planned,
    changes,
    fees,
    balances: at.balances,
    needs: at.needs ?? new Map(),
    usd: new Map([["USDC", Decimal.one]]),
    minimumIn: () => (at.minOrderUsd === undefined ? undefined : { usd: price(at.minOrderUsd) })
  })
  return { planned, changes, findings, locked }
})

/** The journal of a run of these strategies whose orders all rest. */
export const resting = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const { planned } = yield* planOf(texts)
  const orders = planned.events.flatMap((event): ReadonlyArray<BotEvent> => {
    if (event._tag !== "Planned") return []
    const { strategy, slot, placement, inputAsset: asset, inputAmount: amount } = event
    const about = { strategy, slot, placement }
    const orderId = `order-${placement}`
    return [
      { _tag: "CreateSent", ...about, attempt: 1 },
      {
        _tag: "Bound",
        ...about,
        orderId,
        depositAddress: "deposit",
        via: "reply",
        estimatedWithdrawFee: 7n,
        estimatedRefundFee: 4_200n
      },
      {
        _tag: "FundingSigned",
        ...about,
        orderId,
        depositAddress: "deposit",
        asset,
        amount,
        signed: Redacted.make(""),
        intentHash: "",
        validUntil: now + 1
      },
      { _tag: "DepositSeen", ...about, asset, total: amount, fresh: amount }
    ]
  })
  return [...planned.events, ...orders]
})
