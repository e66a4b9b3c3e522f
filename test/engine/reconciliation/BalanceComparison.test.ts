/**
 * Balances against the journal while orders rest and payouts are on their way: whatever the interleaving, a foreign debit or
 * credit is told to the unit once the bot's own money is settled, and an honest venue is never accused.
 */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { Amount } from "../../../src/domain/Amount.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Order } from "../../../src/domain/Order.ts"
import { firstOrder } from "../../../src/domain/Placement.ts"
import * as BalanceComparison from "../../../src/engine/reconciliation/BalanceComparison.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"

type Choose = (below: number) => number

const chooser = (seed: number): Choose => {
  let state = seed * 2_654_435_761
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const strategy = "grid"
const symbols = ["BTC", "USDC"]
const isPrivate = new Set(symbols)
const price = Decimal.make(60n)

/** What the venue did to one order: the account's balance moves now, the bot learns of it later. */
interface Step {
  readonly moves?: readonly [symbol: string, amount: Amount]
  readonly order?: Partial<Order>
  readonly seen: ReadonlyArray<BotEvent>
}

const lifeOf = (number: number, choose: Choose): { readonly begun: ReadonlyArray<BotEvent>; steps: Array<Step> } => {
  // A first order of version 0.1 has no budget.
  const of = { strategy: number === 5 ? firstOrder : strategy, slot: `cell-${number}`, placement: `p${number}` }
  const [inputAsset, outputAsset] = choose(2) === 0 ? (["BTC", "USDC"] as const) : (["USDC", "BTC"] as const)
  const amount = 600n + BigInt(choose(6000))
  const outputAmount = inputAsset === "BTC" ? amount * 60n : amount / 60n
  const address = { orderId: `order-${number}`, depositAddress: `address-${number}` }
  const begun: ReadonlyArray<BotEvent> = [
    {
      _tag: "Planned",
      ...of,
      market: "BTC/USDC",
      side: inputAsset === "BTC" ? "SELL" : "BUY",
      price,
      quantity: inputAsset === "BTC" ? amount : outputAmount,
      inputAsset,
      inputAmount: amount,
      outputAsset,
      outputAmount,
      deadline: 1_000,
      why: { code: "cell", text: "as the grid says" }
    },
    { _tag: "CreateSent", ...of, attempt: 1 },
    { _tag: "Bound", ...of, ...address, via: "reply", estimatedWithdrawFee: 3n, estimatedRefundFee: 2n },
    {
      _tag: "FundingSigned",
      ...of,
      ...address,
      asset: inputAsset,
      amount,
      signed: Redacted.make("bytes"),
      intentHash: `intent-${number}`,
      validUntil: 900
    },
    { _tag: "FundingSent", ...of, attempt: 1 }
  ]
  const steps: Array<Step> = [
    {
      moves: [inputAsset, -amount],
      order: { fillStatus: "OPEN", depositedAmount: amount },
      seen: [{ _tag: "DepositSeen", ...of, asset: inputAsset, total: amount, fresh: amount }]
    }
  ]
  const fills: Array<Order["fills"][number]> = []
  let rest = amount
  for (let index = choose(3); index > 0; index -= 1) {
    const amountIn = rest / BigInt(1 + choose(3))
    // Up to a third better than the limit.
    const amountOut = (amountIn * outputAmount * BigInt(3 + choose(2))) / (amount * 3n)
    if (amountIn === 0n || amountOut === 0n) continue
    rest -= amountIn
    const fill = { id: `f${index}`, amountIn, amountOut, at: 10 }
    fills.push(fill)
    const fee = BigInt(choose(2))
    const side = inputAsset === "BTC" ? ("SELL" as const) : ("BUY" as const)
    const money = { inputAsset, amountIn, outputAsset, amountOut }
    steps.push({
      order: { fills: [...fills], fillStatus: "PARTIALLY_FILLED" },
      moves: [outputAsset, amountOut - fee],
      seen: [
        { _tag: "FillSeen", ...of, fillId: fill.id, side, price, filledAt: 10, ...money },
        { _tag: "PayoutStarted", ...of, asset: outputAsset, amount: amountOut },
        { _tag: "PaidOut", ...of, asset: outputAsset, amount: amountOut - fee, fee, txHashes: [] }
      ]
    })
  }
  const fee = rest > 5n ? BigInt(choose(3)) : 0n
  steps.push({
    order: { fillStatus: rest === 0n ? "FILLED" : "CANCELED" },
    seen: [{ _tag: "Closed", ...of, status: rest === 0n ? "FILLED" : "CANCELED", inputAsset, unspent: rest }]
  })
  if (rest > 0n)
    steps.push({
      moves: [inputAsset, rest - fee],
      seen: [{ _tag: "Refunded", ...of, asset: inputAsset, amount: rest - fee, fee, txHashes: [] }]
    })
  steps.push({ seen: [{ _tag: "Settled", ...of }] })
  return { begun, steps }
}

const resting = (number: number): Order => ({
  id: `order-${number}`,
  side: "SELL",
  baseAsset: "btc",
  quoteAsset: "usdc",
  originAsset: "btc",
  destinationAsset: "usdc",
  quantity: 1n,
  price,
  inputAmount: 1n,
  outputAmount: 1n,
  depositAddress: `address-${number}`,
  depositType: "CONFIDENTIAL_INTENTS",
  recipient: "alice",
  recipientType: "CONFIDENTIAL_INTENTS",
  refundTo: "alice",
  refundType: "CONFIDENTIAL_INTENTS",
  appFeeBasisPoints: 0,
  fillStatus: "AWAITING_DEPOSIT",
  depositedAmount: 0n,
  fills: [],
  withdrawals: [],
  payoutIsFinal: false,
  deadline: 1_000
})

/** An account at the venue, the bot's journal of it, and somebody who compares both now and then. */
const account = (choose: Choose, isWatchedFromTheStart: boolean) => {
  const state = BotState.make()
  const balances = new Map(symbols.map((symbol) => [symbol, 1_000_000n + BigInt(choose(1_000_000))]))
  const move = (symbol: string, amount: Amount) => balances.set(symbol, (balances.get(symbol) ?? 0n) + amount)
  const record = (event: BotEvent) => BotState.apply(state, { sequence: state.sequence + 1, at: 1, event })
  const loaded = {
    _tag: "StrategyLoaded",
    strategy,
    file: "grid.yaml",
    kind: "grid",
    market: "BTC/USDC",
    hash: "a"
  } as const
  record(loaded)
  for (const asset of symbols) record({ _tag: "BudgetAllotted", strategy, asset, amount: 900_000n })
  const orders = new Map<string, Order>()
  const told: Array<string> = []
  let baseline: BalanceComparison.Positions | undefined
  /** The orders are read after the balances; meanwhile the venue goes on. */
  const look = (meanwhile: () => void = () => undefined) => {
    const snapshot = BalanceComparison.snapshot(symbols, new Map(balances), { state, swaps: [] }, isPrivate)
    meanwhile()
    const now = BalanceComparison.positions(snapshot, orders)
    const compared = BalanceComparison.compare(baseline, now)
    baseline = BalanceComparison.baseline(baseline, now)
    const contradictions = compared.filter(({ verdict }) => verdict === "contradiction")
    told.push(...contradictions.map(({ subject }) => subject))
    return compared.flatMap(({ subject, text, verdict }) => (verdict === "agrees" ? [] : [`${subject} ${text}`]))
  }
  if (isWatchedFromTheStart) look()
  const lives: Array<{ readonly number: number; done: Array<Step>; todo: Array<Step> }> = []
  const isGone = () => state.strategies.get(strategy)?.isLoaded === false
  const actions = {
    /** Its file is taken away, and comes back: the account has the same money. */
    edit: () => record(isGone() ? loaded : { _tag: "StrategyRemoved", strategy, orders: "left" }),
    begin: () => {
      if (lives.length === 5 || isGone()) return
      const number = lives.length + 1
      const { begun, steps } = lifeOf(number, choose)
      orders.set(`order-${number}`, resting(number))
      begun.forEach(record)
      lives.push({ number, todo: steps, done: [] })
    },
    venue: () => {
      const life = lives[choose(lives.length)]
      const step = life?.todo.shift()
      if (life === undefined || step === undefined) return
      if (step.moves !== undefined) move(...step.moves)
      orders.set(`order-${life.number}`, { ...(orders.get(`order-${life.number}`) ?? resting(0)), ...step.order })
      life.done.push(step)
    },
    see: () => lives[choose(lives.length)]?.done.shift()?.seen.forEach(record),
    look: () => void look(choose(2) === 0 ? undefined : actions.venue)
  }
  const settle = () => {
    while (lives.some(({ done, todo }) => done.length + todo.length > 0)) {
      actions.venue()
      actions.see()
    }
  }
  return { actions: Object.values(actions), look, move, settle, told, orders }
}

describe("the comparison of balances while money is on its way", () => {
  it("accuses no honest venue, at whatever time it begins", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const choose = chooser(seed)
      const { actions, look, settle, told } = account(choose, choose(2) === 0)
      for (let turn = 0; turn < 60; turn += 1) actions[choose(actions.length)]?.()
      settle()
      look()
      assert.deepStrictEqual(look(), [], `seed ${seed}`)
      assert.deepStrictEqual(told, [], `seed ${seed}`)
    }
  })

  it("reports foreign money to the unit once the bot's own is settled", () => {
    let early = 0
    for (let seed = 1; seed <= 60; seed += 1) {
      const choose = chooser(seed)
      const { actions, look, move, settle, told } = account(choose, true)
      const foreign = BigInt(1 + choose(1_000)) * (choose(2) === 0 ? -1n : 1n)
      const at = choose(60)
      for (let turn = 0; turn < 60; turn += 1) {
        if (turn === at) move("BTC", foreign)
        actions[choose(actions.length)]?.()
      }
      if (told.length > 0) early += 1
      settle()
      const [text, ...more] = look()
      const [, moved, explained] = /^BTC moved by (-?\d+), the journal explains (-?\d+)$/.exec(text ?? "") ?? []
      assert.strictEqual(BigInt(moved ?? 0) - BigInt(explained ?? 0), foreign, `seed ${seed}: ${text}`)
      assert.isEmpty(more)
      assert.isTrue(told.every((symbol) => symbol === "BTC"))
      assert.deepStrictEqual(look(), [text], "until somebody accepts it")
    }
    assert.isAbove(early, 20, "mostly while orders still rest")
  })
})
