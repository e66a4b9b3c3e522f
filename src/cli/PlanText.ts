/** A plan for people, in the manner of infrastructure plans, and for programs. */
import { type Asset, format } from "../domain/Amount.ts"
import type { Reason } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { actions, type Money, type PlannedChange } from "../engine/PlanReport.ts"
import * as MoneyText from "../report/Money.ts"
import * as Table from "../report/Table.ts"
import { age, clock, counted } from "../report/Words.ts"
import { marketNames, marketsOf, type Strategy } from "../strategy/Strategy.ts"
import type { Plan } from "./plan.ts"

type Assets = ReadonlyMap<string, Asset>

const signs = { keep: "=", cancel: "-", create: "+", defer: "~" } as const
const verbs = { keep: "kept", cancel: "cancelled", create: "created", defer: "deferred" } as const

const money = (assets: Assets, { asset, amount }: Money): string => MoneyText.withSymbol(assets, asset, amount)

const short = (price: Decimal.Decimal): string => Decimal.format(Decimal.fromNumber(Decimal.toNumber(price), 8))

const because = ({ text, source }: Reason): string => (source === undefined ? text : `${text} (${source})`)

export const lines = (plan: Plan, assets: Assets, refused: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...header(plan),
  ...plan.strategies.flatMap((strategy) => [
    "",
    `${strategy.name}  ${strategy.kind} on ${marketNames(strategy)}  ${strategy.file}`,
    ...changeLines(
      plan.changes.filter((change) => change.strategy === strategy.name),
      assets
    ),
    ...emptyLine(plan, strategy)
  ]),
  ...strangers(plan, assets),
  "",
  ...lockedLines(plan, assets),
  "",
  ...feeLines(plan, assets),
  ...findingLines(plan, refused),
  `Plan: ${actions.map((action) => `${count(plan, action)} ${verbs[action]}`).join(", ")}. Nothing was sent.`
]

const count = ({ changes }: Plan, wanted: PlannedChange["action"]): number =>
  changes.filter(({ action }) => action === wanted).length

const header = ({ at, journal, hasJournal, killed, prices }: Plan): ReadonlyArray<string> => [
  hasJournal ? `Against the journal ${journal}` : `Without a journal: ${journal} does not exist yet`,
  ...(killed === undefined ? [] : [`THE KILL SWITCH IS ON: ${killed}. Everything is withdrawn.`]),
  ...[...prices].map(
    ([market, price]) =>
      `${market}  bid ${short(price.bid)}  ask ${short(price.ask)}  at ${clock(price.at)} UTC, ${age(at - price.at)} old`
  )
]

const changeLines = (changes: ReadonlyArray<PlannedChange>, assets: Assets): ReadonlyArray<string> => {
  if (changes.length === 0) return []
  const rows = changes.map((change) => [
    `  ${signs[change.action]} ${change.slot}`,
    change.side,
    MoneyText.withSymbol(assets, change.side === "SELL" ? change.input.asset : change.output.asset, change.quantity),
    `at ${Decimal.format(change.price)}`,
    change.action === "cancel" ? `frees ${money(assets, change.input)}` : `locks ${money(assets, change.input)}`,
    change.costs.map((cost) => `${cost.what} ${money(assets, cost)}`).join(", "),
    because(change.reason)
  ])
  return Table.render(rows[0]?.map(() => ({ title: "" })) ?? [], rows).slice(1)
}

const emptyLine = ({ absent, prices }: Plan, owner: Strategy): ReadonlyArray<string> => {
  const own = absent.filter(({ strategy }) => strategy === owner.name)
  const [first] = own
  if (!marketsOf(owner).every(({ name }) => prices.has(name))) return ["    not planned: there is no price"]
  if (first === undefined) return []
  return [`    ${counted(own.length, "slot")} empty, ${first.slot}: ${because(first.reason)}`]
}

/** Orders of strategies that are not among the files. */
const strangers = ({ strategies, changes }: Plan, assets: Assets): ReadonlyArray<string> => {
  const others = changes.filter((change) => !strategies.some(({ name }) => name === change.strategy))
  if (others.length === 0) return []
  return [
    "",
    "Orders of strategies that are not among these files",
    ...changeLines(
      others.map((change) => ({ ...change, slot: `${change.strategy}/${change.slot}` })),
      assets
    )
  ]
}

const lockedLines = ({ locked }: Plan, assets: Assets): ReadonlyArray<string> => {
  const amount = (asset: string, value: bigint) => MoneyText.amountText(assets, asset, value)
  const symbols = [...new Set(locked.map(({ asset }) => asset))]
  const rows = locked.map(({ strategy, asset, now, worst, budget }) => [
    strategy,
    asset,
    ...[now, worst, budget].map((value) => amount(asset, value))
  ])
  const sums = symbols.map((symbol) => {
    const own = locked.filter(({ asset }) => asset === symbol)
    const sum = (of: "now" | "worst" | "budget") => own.reduce((total, each) => total + each[of], 0n)
    return ["together", symbol, amount(symbol, sum("now")), amount(symbol, sum("worst")), amount(symbol, sum("budget"))]
  })
  return Table.render(
    [
      { title: "LOCKED" },
      { title: "ASSET" },
      { title: "AFTER THIS PLAN", align: "decimal" },
      { title: "AT MOST", align: "decimal" },
      { title: "BUDGET", align: "decimal" }
    ],
    new Set(locked.map(({ strategy }) => strategy)).size > 1 ? [...rows, ...sums] : rows
  )
}

const feeLines = ({ fees, changes, isBalanceKnown }: Plan, assets: Assets): ReadonlyArray<string> => {
  const costs = new Map<string, bigint>()
  for (const { action, costs: own } of changes) {
    if (action !== "cancel") continue
    for (const { asset, amount } of own) costs.set(asset, (costs.get(asset) ?? 0n) + amount)
  }
  const cancelling = [...costs].map(([asset, amount]) => money(assets, { asset, amount }))
  const known = [...fees].flatMap(([asset, { withdraw }]) =>
    withdraw === undefined ? [] : [money(assets, { asset, amount: withdraw })]
  )
  return [
    ...(cancelling.length === 0 ? [] : [`The cancels cost about ${cancelling.join(" and ")} in refund fees.`]),
    known.length === 0
      ? "What a payout costs is not known: the account has no orders yet from which to read it."
      : `One payout costs about ${known.join(", ")}.`,
    ...(isBalanceKnown ? [] : ["The balances of the account cannot be read: budgets are not compared with them."]),
    ""
  ]
}

const findingLines = ({ findings }: Plan, refused: ReadonlyArray<string>): ReadonlyArray<string> =>
  findings.length === 0
    ? []
    : [...findings.map(({ name, text }) => `${refused.includes(name) ? "UNSAFE" : "allowed"}  ${name}: ${text}`), ""]

/** Stable: fields are added, never changed or removed. Amounts and prices are exact decimals in text. */
export const json = (plan: Plan, assets: Assets, refused: ReadonlyArray<string>) => {
  const amount = ({ asset, amount }: Money) => {
    const known = assets.get(asset)
    return { asset, amount: known === undefined ? null : format(amount, known.decimals), smallest: String(amount) }
  }
  const reason = ({ code, text, source }: Reason) => ({ code, text, source: source ?? null })
  return {
    at: plan.at,
    journal: plan.hasJournal ? plan.journal : null,
    killSwitch: plan.killed ?? null,
    refused,
    summary: Object.fromEntries(actions.map((action) => [action, count(plan, action)])),
    prices: [...plan.prices].map(([market, { bid, ask, at }]) => ({
      market,
      bid: Decimal.format(bid),
      ask: Decimal.format(ask),
      at
    })),
    changes: plan.changes.map((change) => ({
      action: change.action,
      strategy: change.strategy,
      slot: change.slot,
      market: change.market,
      side: change.side,
      price: Decimal.format(change.price),
      input: amount(change.input),
      output: amount(change.output),
      reason: reason(change.reason),
      limit: change.limit ?? null,
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
    findings: plan.findings.map(({ name, strategies, slots, text }) => ({
      name,
      allowed: !refused.includes(name),
      strategies,
      slots,
      text
    }))
  }
}
