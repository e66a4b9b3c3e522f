/** Comparisons with other witnesses: each single lie is noticed, each innocent difference explained. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Order } from "../../../src/domain/Order.ts"
import * as BalanceComparison from "../../../src/engine/reconciliation/BalanceComparison.ts"
import type { JournalOrder } from "../../../src/engine/reconciliation/JournalOrders.ts"
import * as Reconciliation from "../../../src/engine/reconciliation/Reconciliation.ts"
import { about, startEvents } from "../../../src/engine/SwapsByHand.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import * as SwapHistory from "../../../src/engine/state/swaps/SwapHistory.ts"

const journalOrder: JournalOrder = {
  placement: "p1",
  slot: "grid/level-01",
  inputAsset: "BTC",
  outputAsset: "USDC",
  by: undefined,
  orderId: "order-1",
  depositAddress: "deposit-1",
  depositMemo: "memo-1",
  signed: 1000n,
  deposited: 1000n,
  filledIn: 600n,
  filledOut: 36_000n,
  paidOut: 35_980n,
  payoutFee: 20n,
  refunded: 390n,
  refundFee: 10n,
  status: "CANCELED",
  isOver: true,
  contradiction: undefined,
  hashes: ["intent-1"],
  correlationIds: ["corr-1"],
  timeline: [{ at: 1, what: "Planned" }]
}

const venueOrder: Order = {
  id: "order-1",
  side: "SELL",
  baseAsset: "btc",
  quoteAsset: "usdc",
  originAsset: "btc",
  destinationAsset: "usdc",
  quantity: 1000n,
  price: Decimal.make(60n),
  inputAmount: 1000n,
  outputAmount: 60_000n,
  depositAddress: "deposit-1",
  depositMemo: "memo-1",
  depositType: "INTENTS",
  recipient: "alice",
  recipientType: "INTENTS",
  refundTo: "alice",
  refundType: "INTENTS",
  appFeeBasisPoints: 0,
  fillStatus: "CANCELED",
  depositedAmount: 1000n,
  fills: [{ id: "f1", amountIn: 600n, amountOut: 36_000n, at: 5 }],
  withdrawals: [{ status: "COMPLETED", txHash: "tx-1" }],
  refund: { status: "COMPLETED", txHash: "tx-2" },
  payoutIsFinal: true,
  estimatedWithdrawFee: 20n,
  estimatedRefundFee: 10n,
  deadline: 100,
  createdAt: 1
}

const line: Reconciliation.HistoryLine = {
  depositAddress: "deposit-1",
  depositMemo: "memo-1",
  status: "SUCCESS",
  createdAt: 1,
  amountIn: 600n,
  amountOut: 35_980n,
  refundTo: "alice",
  hashes: ["tx-1"]
}

/** Agreed to, and then this. */
const swapAfter = (...events: ReadonlyArray<BotEvent>): SwapHistory.SwapHistory => {
  const swaps = new Map<string, SwapHistory.SwapHistory>()
  const agreed = startEvents("s1", {
    venue: "v",
    account: "alice",
    swapType: "EXACT_INPUT",
    origin: { symbol: "BTC", id: "btc", decimals: 8 },
    destination: { symbol: "USDC", id: "usdc", decimals: 6 },
    depositType: "CONFIDENTIAL_INTENTS",
    depositAddress: "deposit-2",
    amountIn: 100n,
    amountOut: 6_000n,
    recipient: "alice",
    recipientType: "CONFIDENTIAL_INTENTS",
    refundTo: "alice",
    refundType: "CONFIDENTIAL_INTENTS",
    deadline: 1_000,
    quote: "{}",
    isSignatureVerified: true
  })
  for (const [index, event] of [...agreed, ...events].entries())
    SwapHistory.apply(swaps, { sequence: index + 1, at: index + 1, event })
  return swaps.get("s1") ?? assert.fail("no swap")
}

/** Holds money. */
const openOrder: Order = { ...venueOrder, fillStatus: "OPEN", payoutIsFinal: false, withdrawals: [] }

const nothingOdd = { own: new Set(["alice", "bc1qours"]), unreadOrders: new Map<string, string>(), oddLines: [] }

interface Changes {
  readonly journal?: Partial<JournalOrder>
  readonly venue?: Partial<Order> | "absent"
  readonly history?: Partial<Reconciliation.HistoryLine> | "absent" | "unread"
}

const compared = ({ history = {}, journal = {}, venue = {} }: Changes) => {
  const changed = history === "absent" || history === "unread" ? undefined : { ...line, ...history }
  const lines = new Map(changed === undefined ? [] : [[Reconciliation.addressKey(changed), changed]])
  return Reconciliation.compare({
    ...nothingOdd,
    orders: [{ ...journalOrder, ...journal }],
    swaps: [],
    venueOrders: new Map(venue === "absent" ? [] : [["order-1", { ...venueOrder, ...venue }]]),
    history: history === "unread" ? undefined : lines
  })
}

const fill = { id: "f1", amountIn: 600n, amountOut: 36_000n, at: 5 }
const open = { isOver: false, paidOut: 0n, payoutFee: 0n, refunded: 0n, refundFee: 0n, status: "OPEN" } as const

describe("reconciliation", () => {
  it("agrees if all sources agree, with their evidence", () => {
    const [finding] = compared({})
    assert.strictEqual(finding?.verdict, "agrees", finding?.text)
    assert.deepStrictEqual(finding?.evidence.hashes, ["intent-1", "tx-1", "tx-2"])
    assert.deepStrictEqual(finding?.evidence.correlationIds, ["corr-1"])
  })

  it("names only the sources it has read: without the history it does not mention it", () => {
    const [order] = compared({ history: "unread" })
    assert.strictEqual(order?.verdict, "agrees")
    assert.strictEqual(order?.text, "journal and order agree; the history was not read")
    const ofSwap = (history: ReadonlyMap<string, Reconciliation.HistoryLine> | undefined) =>
      Reconciliation.compare({ ...nothingOdd, orders: [], swaps: [swapAfter()], venueOrders: new Map(), history })[0]
    const alone = ofSwap(undefined)
    assert.strictEqual(alone?.verdict, "explained")
    assert.match(alone?.text ?? "", /^not compared: the history was not read/)
    const asked = ofSwap(new Map())
    assert.strictEqual(asked?.verdict, "agrees")
    assert.strictEqual(asked?.text, "journal and history agree")
  })

  it("has certain balances after a dropped swap", () => {
    const underWay = (...events: ReadonlyArray<BotEvent>) => {
      const told = { state: BotState.make(), swaps: [swapAfter(...events)] }
      return BalanceComparison.snapshot(["USDC"], new Map(), told, new Set(["USDC"])).certain.get("USDC")?.underWay
    }
    assert.strictEqual(underWay(), 12_000n)
    assert.strictEqual(underWay({ _tag: "Abandoned", ...about("s1"), reason: "not wanted" }), 0n)
  })

  const lies: ReadonlyArray<readonly [string, Changes]> = [
    ["more deposited than signed", { journal: { deposited: 1001n }, venue: { depositedAmount: 1001n } }],
    ["less deposited at the venue", { venue: { depositedAmount: 999n } }],
    ["a fill that we lack", { venue: { fills: [fill, { ...fill, id: "f2" }] } }],
    ["a fill that is smaller", { venue: { fills: [{ ...fill, amountOut: 35_999n }] } }],
    ["a missing fill", { venue: { fills: [] } }],
    ["an order that is not over", { venue: { fillStatus: "OPEN" } }],
    ["a payout that is not final", { venue: { payoutIsFinal: false } }],
    ["a payout that the venue has given up", { venue: { withdrawals: [{ status: "FAILED" }] } }],
    ["a payout that the venue no longer shows", { venue: { withdrawals: [] } }],
    ["a refund that the venue has given up", { venue: { refund: { status: "FAILED" } } }],
    ["a missing funded order", { venue: "absent" }],
    ["another amount spent in the history", { history: { amountIn: 601n } }],
    ["another amount received in the history", { history: { amountOut: 35_979n } }],
    ["a contradiction of its own", { journal: { contradiction: "noted" } }]
  ]
  it.each(lies)("finds a contradiction: %s", (_, changes) => {
    assert.strictEqual(compared(changes)[0]?.verdict, "contradiction")
  })

  const differences: ReadonlyArray<readonly [string, Changes]> = [
    ["a fill that the bot has not seen", { journal: { ...open, filledIn: 0n, filledOut: 0n }, venue: {} }],
    ["a deposit that the bot has not seen", { journal: { ...open, deposited: 0n, filledIn: 0n, filledOut: 0n } }],
    ["masked in the history", { history: "absent" }],
    [
      "still in flight in the history, where amounts read zero",
      { history: { status: "PROCESSING", amountIn: 0n, amountOut: 0n } }
    ],
    [
      "missing and never funded",
      { journal: { deposited: 0n, signed: 0n, filledIn: 0n, filledOut: 0n }, venue: "absent", history: "absent" }
    ]
  ]
  it.each(differences)("explains: %s", (_, changes) => {
    const finding = compared(changes)[0]
    assert.strictEqual(finding?.verdict, "explained", finding?.text)
  })

  it("leaves out a payout that a person has confirmed, and legs that a swap may leave out", () => {
    const venue = { withdrawals: [{ status: "FAILED" }] }
    assert.strictEqual(compared({ journal: { isByWord: true }, venue })[0]?.verdict, "agrees")
    assert.strictEqual(compared({ journal: { by: "swap" }, venue: { withdrawals: [] } })[0]?.verdict, "agrees")
  })

  it("distinguishes records by memo as well as by address", () => {
    const findings = compared({ history: { depositMemo: "another", amountIn: 5n } })
    assert.strictEqual(findings[0]?.verdict, "explained", "ours is not shown")
    assert.strictEqual(findings[1]?.text, "of this account, but not of this journal")
  })

  it("finds our money in an order that the journal does not know", () => {
    const found = Reconciliation.compare({
      ...nothingOdd,
      orders: [],
      swaps: [],
      venueOrders: new Map([["order-1", openOrder]]),
      history: new Map([["k", line]])
    })
    assert.deepStrictEqual(
      found.map(({ verdict }) => verdict),
      ["contradiction"],
      "and does not tell it twice"
    )
    const others = new Map([["order-1", { ...openOrder, refundTo: "bob" }]])
    assert.lengthOf(
      Reconciliation.compare({ ...nothingOdd, orders: [], swaps: [], venueOrders: others, history: undefined }),
      0
    )
  })

  const strangers: ReadonlyArray<readonly [string, Order, string]> = [
    ["an older order that is filled and paid holds no money", { ...venueOrder, fillStatus: "FILLED" }, "explained"],
    ["one that is cancelled and refunded holds no money", venueOrder, "explained"],
    ["one whose payout is on its way holds money", { ...venueOrder, payoutIsFinal: false }, "contradiction"],
    [
      "one whose payout the venue has given up holds money",
      { ...venueOrder, withdrawals: [{ status: "FAILED" }] },
      "contradiction"
    ],
    ["one that is open holds money", { ...venueOrder, fillStatus: "OPEN", payoutIsFinal: false }, "contradiction"],
    ["one that is refunded to our address holds money", { ...openOrder, refundTo: "bc1qours" }, "contradiction"]
  ]
  it.each(strangers)("on orders that the journal does not know: %s", (_, order, verdict) => {
    const found = Reconciliation.compare({
      ...nothingOdd,
      orders: [],
      swaps: [],
      venueOrders: new Map([[order.id, order]]),
      history: undefined
    })
    assert.deepStrictEqual(
      found.map((finding) => finding.verdict),
      [verdict]
    )
  })

  it("names an odd record of the history and an unreadable order, and uses the rest", () => {
    const odd = { depositAddress: undefined, depositMemo: undefined, status: "SUCCESS", problem: "amountIn is missing" }
    const found = Reconciliation.compare({
      ...nothingOdd,
      orders: [journalOrder, { ...journalOrder, placement: "p2", orderId: "order-2", depositAddress: "deposit-2" }],
      swaps: [],
      venueOrders: new Map([["order-1", venueOrder]]),
      unreadOrders: new Map([["order-2", "no answer"]]),
      history: undefined,
      oddLines: [odd]
    })
    assert.deepStrictEqual(
      found.map(({ kind, verdict }) => [kind, verdict]),
      [
        ["order", "agrees"],
        ["order", "explained"],
        ["history", "explained"]
      ]
    )
  })
})

describe("balances", () => {
  const position = (balance: bigint, booked: bigint, underWay = 0n) => new Map([["BTC", { balance, booked, underWay }]])
  const verdict = (before: BalanceComparison.Positions | undefined, now: BalanceComparison.Positions) =>
    BalanceComparison.compare(before, now)[0]?.verdict

  it("move by what the journal explains, plus or minus what is on its way", () => {
    assert.strictEqual(verdict(undefined, position(10n, 0n)), "explained")
    assert.strictEqual(verdict(position(10n, 0n), position(7n, -3n)), "agrees")
    assert.strictEqual(verdict(position(10n, 0n), position(8n, -3n)), "contradiction")
    assert.strictEqual(verdict(position(10n, 0n), position(6n, -3n)), "contradiction")
    assert.strictEqual(verdict(position(10n, 0n), position(8n, -3n, 1n)), "explained")
    assert.strictEqual(verdict(position(10n, 0n, 1n), position(6n, -3n)), "explained")
  })
})
