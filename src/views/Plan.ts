/** A plan: the orders that a run started now would keep, cancel, create or defer, their costs, and the dangers that refuse it. */
import { Schema, Struct } from "effect"
import { format } from "../domain/Amount.ts"
import type { Reason } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { chargedRow, type LearnedFee } from "../domain/EchoedFee.ts"
import type { Market, TwoSidedPrice } from "../domain/Market.ts"
import type * as PlanFindings from "../engine/planning/ahead/PlanFindings.ts"
import {
  type absentOf,
  actions,
  type Fees,
  type Locked,
  type Money,
  type PlannedChange,
  type PlanWarning
} from "../engine/planning/ahead/PlanReport.ts"
import type { Renewal } from "../engine/planning/ahead/PlanWarnings.ts"
import type * as MoneyText from "../report/text/Money.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import { Side, Time } from "./AsOf.ts"

const Text = Schema.String
/** In units of the asset, null if it is not configured, and in its smallest units. */
const Sum = Schema.Struct({ asset: Text, amount: Schema.NullOr(Text), smallest: Text })
const Why = Schema.Struct({ code: Text, text: Text, source: Schema.NullOr(Text) })

const Readiness = Schema.Struct({
  strategy: Text,
  market: Schema.optionalKey(Text),
  source: Schema.NullOr(Text),
  timeframes: Schema.Array(Schema.Struct({ timeframe: Text, needed: Schema.Int, have: Schema.Int, readyAt: Time })),
  problem: Schema.NullOr(Text),
  note: Schema.NullOr(Text)
})
export type Readiness = typeof Readiness.Type

/** Stable: fields are added, never changed or removed. Amounts and prices are exact decimals in text. */
export const Plan = Schema.Struct({
  at: Time,
  journal: Schema.NullOr(Text),
  killSwitch: Schema.NullOr(Text),
  refused: Schema.Array(Text),
  charged: Schema.Array(
    Schema.Struct({
      market: Text,
      credential: Text,
      askedBasisPoints: Schema.Finite,
      basisPoints: Schema.Finite,
      orders: Schema.Int,
      at: Text
    })
  ),
  summary: Schema.Struct({ keep: Schema.Int, cancel: Schema.Int, create: Schema.Int, defer: Schema.Int }),
  prices: Schema.Array(Schema.Struct({ market: Text, bid: Text, ask: Text, at: Time })),
  changes: Schema.Array(
    Schema.Struct({
      action: Schema.Literals(actions),
      strategy: Text,
      slot: Text,
      market: Text,
      side: Side,
      price: Text,
      input: Sum,
      output: Sum,
      reason: Why,
      limit: Schema.NullOr(Text),
      next: Schema.NullOr(Schema.Struct({ side: Side, price: Text, input: Sum })),
      costs: Schema.Array(Schema.Struct({ what: Text, ...Sum.fields }))
    })
  ),
  empty: Schema.Array(Schema.Struct({ strategy: Text, slot: Text, reason: Why })),
  locked: Schema.Array(
    Schema.Struct({
      strategy: Text,
      asset: Text,
      now: Schema.NullOr(Text),
      worst: Schema.NullOr(Text),
      budget: Schema.NullOr(Text)
    })
  ),
  balancesKnown: Schema.Boolean,
  readiness: Schema.Array(Readiness),
  findings: Schema.Array(
    Schema.Struct({
      name: Text,
      allowed: Schema.Boolean,
      strategies: Schema.Array(Text),
      slots: Schema.Array(Text),
      text: Text
    })
  ),
  renewals: Schema.Array(
    Schema.Struct({
      strategy: Text,
      lifetimeMillis: Schema.Int,
      perDay: Schema.Array(Schema.Struct({ ...Sum.fields, share: Schema.Finite }))
    })
  ),
  warnings: Schema.Array(Schema.Struct({ name: Text, strategy: Text, slots: Schema.Array(Text), text: Text }))
})

export interface PlanFacts {
  readonly at: number
  readonly journal: string
  readonly hasJournal: boolean
  readonly killed: string | undefined
  readonly strategies: ReadonlyArray<Strategy>
  readonly prices: ReadonlyMap<Market["name"], TwoSidedPrice>
  readonly fees: Fees
  readonly charged: ReadonlyArray<LearnedFee>
  readonly isBalanceKnown: boolean
  /** Money of the account on which no strategy counts, by symbol; negative if they count on more. */
  readonly uncommitted: ReturnType<typeof PlanFindings.uncommittedOf>
  readonly changes: ReadonlyArray<PlannedChange>
  readonly absent: ReturnType<typeof absentOf>
  readonly locked: ReadonlyArray<Locked>
  readonly findings: ReadonlyArray<PlanFindings.PlanFinding>
  readonly readiness: ReadonlyArray<Readiness>
  readonly warnings: ReadonlyArray<PlanWarning>
  readonly renewals: ReadonlyArray<Renewal>
}

export const refusedIn = (
  { findings }: Pick<PlanFacts, "findings">,
  allowed: ReadonlyArray<PlanFindings.FindingName> = []
): ReadonlyArray<PlanFindings.FindingName> =>
  [...new Set(findings.map(({ name }) => name))].filter((name) => !allowed.includes(name))

export const planView = (
  plan: PlanFacts,
  assets: MoneyText.Assets,
  refused: ReadonlyArray<string>
): typeof Plan.Type => {
  const amount = ({ asset, amount }: Money) => {
    const details = assets.get(asset)
    return { asset, amount: details === undefined ? null : format(amount, details.decimals), smallest: String(amount) }
  }
  const count = (action: PlannedChange["action"]) => plan.changes.filter((change) => change.action === action).length
  const reason = ({ code, text, source }: Reason) => ({ code, text, source: source ?? null })
  return {
    at: plan.at,
    journal: plan.hasJournal ? plan.journal : null,
    killSwitch: plan.killed ?? null,
    refused,
    charged: plan.charged.map(chargedRow),
    summary: { keep: count("keep"), cancel: count("cancel"), create: count("create"), defer: count("defer") },
    prices: [...plan.prices].map(([market, { bid, ask, at }]) => ({
      market,
      bid: Decimal.format(bid),
      ask: Decimal.format(ask),
      at
    })),
    changes: plan.changes.map((change) => ({
      ...Struct.pick(change, ["action", "strategy", "slot", "market", "side"]),
      price: Decimal.format(change.price),
      input: amount(change.input),
      output: amount(change.output),
      reason: reason(change.reason),
      limit: change.limit ?? null,
      next:
        change.next === undefined
          ? null
          : { side: change.next.side, price: Decimal.format(change.next.price), input: amount(change.next.input) },
      costs: change.costs.map((cost) => ({ what: cost.what, ...amount(cost) }))
    })),
    empty: plan.absent.map(({ strategy, slot, reason: why }) => ({ strategy, slot, reason: reason(why) })),
    locked: plan.locked.map(({ strategy, asset, now, worst, budget }) => ({
      strategy,
      asset,
      now: amount({ asset, amount: now }).amount,
      worst: amount({ asset, amount: worst }).amount,
      budget: amount({ asset, amount: budget }).amount
    })),
    balancesKnown: plan.isBalanceKnown,
    readiness: plan.readiness,
    findings: plan.findings.map((finding) => ({
      name: finding.name,
      allowed: !refused.includes(finding.name),
      ...Struct.pick(finding, ["strategies", "slots", "text"])
    })),
    renewals: plan.renewals.map(({ strategy, lifetimeMillis, perDay }) => ({
      strategy,
      lifetimeMillis,
      perDay: perDay.map(({ share, ...money }) => ({ ...amount(money), share }))
    })),
    warnings: plan.warnings
  }
}
