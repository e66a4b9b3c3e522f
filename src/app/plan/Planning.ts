/** Shows what strategy files would do now, its cost and its risks, in the style of infrastructure plans. It changes nothing. */
import { Effect } from "effect"
import { type Asset, bySymbol } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { chargedLine } from "../../domain/EchoedFee.ts"
import { age, countText, utc } from "../../domain/Text.ts"
import type { FindingName } from "../../engine/planning/ahead/PlanFindings.ts"
import type { Money, PlannedChange, PlannedOrder } from "../../engine/planning/ahead/PlanReport.ts"
import { sentenceOf } from "../../engine/planning/ahead/PlanWarnings.ts"
import * as ByHand from "../../files/ByHand.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import { Terminal } from "../../process/Terminal.ts"
import { type Colour, type ColouredLine, painted, type Style } from "../../report/text/Colours.ts"
import * as MoneyText from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import { marketsOf, marketsSaid, type Strategy } from "../../strategy/Strategy.ts"
import { type PlanFacts as Plan, planView, refusedIn } from "../../views/Plan.ts"
import * as Readiness from "../candles/Readiness.ts"
import * as PlanDraft from "./PlanDraft.ts"
import { PlanRefused } from "./PlanRefused.ts"

type Assets = ReadonlyMap<string, Asset>

const signs = {
  create: { sign: "+", verb: "create", done: "created", colour: "green" },
  replace: { sign: "~", verb: "cancel and replace", done: "replaced", colour: "yellow" },
  cancel: { sign: "-", verb: "cancel", done: "cancelled", colour: "red" },
  keep: { sign: "=", verb: "keep", done: "kept", colour: "dim" },
  held: { sign: "!", verb: "held back by a limit", done: "held back", colour: "yellow" },
  waits: { sign: "…", verb: "waits", done: "waiting", colour: "dim" }
} as const satisfies Readonly<Record<string, { sign: string; verb: string; done: string; colour: Colour }>>
type Sign = keyof typeof signs

const signOf = ({ action, limit, next }: PlannedChange): Sign => {
  if (action === "defer") return limit === undefined ? "waits" : "held"
  return action === "cancel" && next !== undefined ? "replace" : action
}

const money = (assets: Assets, { asset, amount }: Money): string => cut(MoneyText.withSymbol(assets, asset, amount))

const cut = (text: string): string => text.replace(/(\d\.\d{8})\d+/g, "$1…")

const because = ({ text, source }: Reason, file: string): string => {
  if (source === undefined) return cut(text)
  return `${cut(text)} (${source.startsWith(`${file}:`) ? `line ${source.slice(file.length + 1)}` : source})`
}

export const onlyOf = (plan: Plan, name: string): Plan => {
  const isOwn = (each: { readonly strategy: string }) => each.strategy === name
  return {
    ...plan,
    strategies: plan.strategies.filter((each) => each.name === name),
    changes: plan.changes.filter(isOwn),
    locked: plan.locked.filter(isOwn),
    findings: plan.findings.filter(({ strategies }) => strategies.includes(name)),
    warnings: plan.warnings.filter(isOwn)
  }
}

export const lines = (
  plan: Plan,
  assets: Assets,
  refused: ReadonlyArray<string>,
  style: Style
): ReadonlyArray<string> => {
  const all: ReadonlyArray<ColouredLine> = [
    ...header(plan),
    ...legend(plan),
    ...plan.strategies.flatMap((strategy): ReadonlyArray<ColouredLine> => {
      const own = plan.changes.filter((change) => change.strategy === strategy.name)
      return [
        [""],
        [`${strategy.name}  ${strategy.kind} on ${marketsSaid(strategy)}  ${strategy.file}`, "bold"],
        ...changeLines(own, assets, strategy.file),
        ...(strategy.earns === undefined ? [] : [[`    ${strategy.earns}`, "dim"] as const]),
        ...plan.readiness
          .filter((readiness) => readiness.strategy === strategy.name)
          .map((readiness): ColouredLine => [`    ${Readiness.lineOf(readiness, plan.at)}`, "dim"]),
        ...plan.renewals
          .filter((renewal) => renewal.strategy === strategy.name && own.length > 0)
          .map((renewal): ColouredLine => [`    ${sentenceOf(renewal, assets)}`, "dim"]),
        ...emptyLine(plan, strategy)
      ]
    }),
    ...foreignOrders(plan, assets),
    [""],
    ...lockedLines(plan, assets),
    [""],
    ...feeLines(plan, assets),
    ...findingLines(plan, refused),
    ...warningLines(plan),
    [summary(plan, refused), "bold"]
  ]
  return all.map((line) => painted(line, isWarning(line) ? { ...style, columns: Number.POSITIVE_INFINITY } : style))
}

/** For messages: without colours and at full length. */
export const plainLines = (plan: Plan, assets: Assets, refused: ReadonlyArray<string> = []) =>
  lines(plan, assets, refused, { colours: false, columns: Number.POSITIVE_INFINITY })

const isWarning = ([text]: ColouredLine): boolean => text.trimStart().startsWith("! ")

const summary = ({ changes, findings }: Plan, refused: ReadonlyArray<string>): string => {
  const counts = Object.entries(signs).flatMap(([name, { done }]) => {
    const changeCount = changes.filter((change) => signOf(change) === name).length
    return changeCount === 0 ? [] : [`${changeCount} ${done}`]
  })
  const unsafe = findings.filter(({ name }) => refused.includes(name)).length
  const dangers = unsafe === 0 ? "" : ` ${countText(unsafe, "problem")} to resolve.`
  return `Plan: ${counts.length === 0 ? "nothing to do" : counts.join(", ")}.${dangers} Nothing was sent.`
}

const header = ({ at, journal, hasJournal, killed, prices }: Plan): ReadonlyArray<ColouredLine> => [
  [hasJournal ? `Against the journal ${journal}` : `Without a journal: ${journal} does not exist yet`],
  ...(killed === undefined ? [] : [[`THE KILL SWITCH IS ON: ${killed}. All orders are cancelled.`, "red"] as const]),
  ...priceLines({ at, prices })
]

const priceLines = ({ at, prices }: Pick<Plan, "at" | "prices">): ReadonlyArray<ColouredLine> => {
  if (prices.size === 0) return []
  const columns = ["PRICES", Table.decimal("BID"), Table.decimal("ASK")] as const
  const rows = Array.from(prices, ([market, price]) => [
    market,
    Decimal.short(price.bid),
    Decimal.short(price.ask),
    `${utc(price.at).slice(11)}, ${age(at - price.at)} old`
  ])
  return Table.render([...columns, ""], rows).map((text): ColouredLine => [text])
}

const legend = ({ changes }: Plan): ReadonlyArray<ColouredLine> => {
  const used = new Set(changes.map(signOf))
  const signRows = Object.entries(signs).filter(([name]) => [...used].some((sign) => sign === name))
  return signRows.length === 0
    ? []
    : [[""], [signRows.map(([, { sign, verb }]) => `${sign} ${verb}`).join("   "), "dim"]]
}

const changeLines = (
  changes: ReadonlyArray<PlannedChange>,
  assets: Assets,
  file: string
): ReadonlyArray<ColouredLine> => {
  if (changes.length === 0) return []
  const rows = changes.map((change) => [
    `  ${signs[signOf(change)].sign} ${change.slot}`,
    change.side,
    money(assets, baseOf(change)),
    "at",
    Decimal.format(change.price),
    change.action === "cancel" ? "frees" : change.action === "defer" ? "would lock" : "locks",
    money(assets, change.input),
    change.costs.map((cost) => `${cost.what} ${money(assets, cost)}`).join(", "),
    whyOf(change, assets, file)
  ])
  const aligns = ["left", "left", "decimal", "left", "decimal", "left", "decimal", "left", "left"] as const
  const [, ...rendered] = Table.render(
    aligns.map((align) => ({ title: "", align })),
    rows
  )
  return rendered.map((text, index): ColouredLine => {
    const change = changes[index]
    return change === undefined ? [text] : [text, signs[signOf(change)].colour]
  })
}

const baseOf = ({ side, quantity, input, output }: PlannedOrder): Money => ({
  asset: side === "SELL" ? input.asset : output.asset,
  amount: quantity
})

const whyOf = ({ next, reason }: PlannedChange, assets: Assets, file: string): string => {
  if (next === undefined) return because(reason, file)
  const then = `then ${next.side} ${money(assets, baseOf(next))} at ${Decimal.format(next.price)}`
  return because({ ...reason, text: reason.code === "requote" ? then : `${then}: ${reason.text}` }, file)
}

const emptyLine = ({ absent, prices }: Plan, owner: Strategy): ReadonlyArray<ColouredLine> => {
  const own = absent.filter(({ strategy }) => strategy === owner.name)
  if (!marketsOf(owner).every(({ name }) => prices.has(name))) return [["    not planned: no price", "yellow"]]
  const byReason = Map.groupBy(own, ({ reason }) => because(reason, owner.file))
  const reasonLines = [...byReason].slice(0, emptyReasons).map(([why, slots]): ColouredLine => {
    const [first, last] = [slots[0]?.slot ?? "", slots.at(-1)?.slot ?? ""]
    const names = slots.length === 1 ? first : slots.length === 2 ? `${first}, ${last}` : `${first} … ${last}`
    return [`    empty: ${names}${slots.length > 2 ? ` (${slots.length})` : ""}: ${why}`, "dim"]
  })
  const rest = own.length - [...byReason].slice(0, emptyReasons).reduce((sum, [, slots]) => sum + slots.length, 0)
  return rest === 0
    ? reasonLines
    : [...reasonLines, [`    and ${countText(rest, "more empty slot")}, for various reasons`, "dim"]]
}

const emptyReasons = 3

const foreignOrders = ({ strategies, changes }: Plan, assets: Assets): ReadonlyArray<ColouredLine> => {
  const others = changes.filter((change) => !strategies.some(({ name }) => name === change.strategy))
  if (others.length === 0) return []
  return [
    [""],
    ["Orders of strategies that are not among these files", "bold"],
    ...changeLines(
      others.map((change) => ({ ...change, slot: `${change.strategy}/${change.slot}` })),
      assets,
      ""
    )
  ]
}

const lockedLines = ({ locked }: Plan, assets: Assets): ReadonlyArray<ColouredLine> => {
  const amount = (asset: string, value: bigint) => cut(MoneyText.amountText(assets, asset, value))
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
  const table = Table.render(
    ["LOCKED", "ASSET", Table.decimal("AFTER THIS PLAN"), Table.decimal("AT MOST"), Table.decimal("BUDGET")],
    new Set(locked.map(({ strategy }) => strategy)).size > 1 ? [...rows, ...sums] : rows
  )
  const isEarned = locked.some(({ worst, budget }) => worst > budget)
  return [
    ...table.map((text): ColouredLine => [text]),
    ...(isEarned ? [["A strategy exceeds its budget only with proceeds of its own orders.", "dim"] as const] : [])
  ]
}

const feeLines = ({ charged, fees, changes, isBalanceKnown }: Plan, assets: Assets): ReadonlyArray<ColouredLine> => {
  const costs = new Map<string, bigint>()
  for (const { action, costs: own } of changes) {
    if (action !== "cancel") continue
    for (const { what, asset, amount } of own)
      if (what === "refund fee") costs.set(asset, (costs.get(asset) ?? 0n) + amount)
  }
  const cancelling = [...costs].map(([asset, amount]) => money(assets, { asset, amount }))
  const withdrawFees = [...fees].flatMap(([asset, { withdraw }]) =>
    withdraw === undefined ? [] : [money(assets, { asset, amount: withdraw })]
  )
  return [
    ...(cancelling.length === 0 ? [] : [`The cancels cost about ${cancelling.join(" and ")} in refund fees.`]),
    withdrawFees.length === 0
      ? "The cost of a payout is unknown: the account has no orders yet."
      : `One payout costs about ${withdrawFees.join(", ")}.`,
    ...charged.map(chargedLine),
    ...(isBalanceKnown ? [] : ["Budgets are not compared with the balances: those cannot be read."]),
    ""
  ].map((text): ColouredLine => [text])
}

const findingLines = ({ findings }: Plan, refused: ReadonlyArray<string>): ReadonlyArray<ColouredLine> =>
  findings.length === 0
    ? []
    : [
        ...findings.map(({ name, text }): ColouredLine => {
          const isRefused = refused.includes(name)
          return [`${isRefused ? "! UNSAFE" : "  allowed"}  ${name}: ${cut(text)}`, isRefused ? "red" : "dim"]
        }),
        [""]
      ]

const warningLines = ({ warnings }: Plan): ReadonlyArray<ColouredLine> =>
  warnings.length === 0
    ? []
    : [...warnings.map(({ name, text }): ColouredLine => [`  warning  ${name}: ${cut(text)}`, "yellow"]), [""]]

interface Asked {
  readonly files: ReadonlyArray<string>
  readonly config: string
  readonly journal: string | undefined
  readonly allow: ReadonlyArray<FindingName>
  readonly json: boolean
}

export const planned = Effect.fn("Planning.planned")(function* ({ allow, config: file, files, journal, json }: Asked) {
  const configured = yield* ConfigFile.load(file)
  const config = { ...configured, journal: journal ?? configured.journal }
  const strategies = yield* StrategyFiles.load(yield* ByHand.besides(files, config.journal), config.markets)
  const account = yield* Layers.accountOf(config)
  const plan = yield* Effect.provide(PlanDraft.draft(config, account, strategies), Layers.looking(config, account))
  const refused = refusedIn(plan, allow)
  const assets = bySymbol(config.markets.assets)
  const { colours, columns, isInteractive } = yield* Terminal
  const style = { colours, columns: isInteractive ? columns() : Number.POSITIVE_INFINITY }
  return {
    data: () => planView(plan, assets, refused),
    lines: () => lines(plan, assets, refused, style),
    exit: refused.length === 0 ? undefined : new PlanRefused({ names: refused, findings: [], isPrinted: json })
  } satisfies CommandAnswer
})
