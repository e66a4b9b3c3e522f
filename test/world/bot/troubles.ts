/** Journals that together have every kind of trouble that a person should look at. */

import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { incidentFeed } from "../../../src/domain/Drift.ts"
import { operatorLimit } from "../../../src/domain/Text.ts"
import * as Doubtful from "./doubtful.ts"

const money = { asset: "USDC", amount: 100_000_000n }
const about = (index: number) => ({ strategy: "grid", slot: `cell-${index}`, placement: `p${index}` })

/** A payment that was sent and of which nobody has heard. */
const sent = (index: number): ReadonlyArray<BotEvent> =>
  Doubtful.sent(index, `cell-${index}`, 1_000_000_000_000 + index)

const wallet = (index: number): ReadonlyArray<BotEvent> => [
  ...sent(index).slice(0, 3),
  {
    _tag: "PaymentAsked",
    ...about(index),
    ...money,
    orderId: `order-${index}`,
    depositAddress: `address-${index}`,
    wallet: "command",
    validUntil: 1_000_000_000
  },
  { _tag: "PaymentUnclear", ...about(index), text: "no answer" }
]

/** A strategy whose file was renamed after it had bought. */
export const leftWithPosition: ReadonlyArray<BotEvent> = [
  ...sent(8).map((event) => ({ ...event, strategy: "renamed" })),
  {
    _tag: "FillSeen",
    ...about(8),
    strategy: "renamed",
    fillId: "f8",
    side: "BUY",
    price: Decimal.make(50_000n),
    inputAsset: "USDC",
    outputAsset: "BTC",
    amountIn: 100_000_000n,
    amountOut: 200_000n,
    filledAt: 1
  },
  { _tag: "StrategyRemoved", strategy: "renamed", orders: "left" }
]

const common: ReadonlyArray<BotEvent> = [
  { _tag: "BotStarted", pid: 1, version: "0", mode: "live", account: "a", venue: "v" },
  { _tag: "BudgetAllotted", strategy: "grid", asset: "USDC", amount: 10_000_000_000n },
  ...sent(1),
  { _tag: "FundingInDoubt", ...about(1), ...money, reason: "nobody acknowledged it" },
  ...sent(2),
  { _tag: "Contradiction", ...about(2), what: "fills shrank", evidence: "none" },
  ...sent(3),
  { _tag: "DepositSeen", ...about(3), asset: "USDC", total: 100_000_000n, fresh: 100_000_000n },
  { _tag: "Closed", ...about(3), status: "EXPIRED", inputAsset: "USDC", unspent: 100_000_000n },
  { _tag: "LegFailed", ...about(3), leg: "refund", ...money, reason: "given up" },
  ...sent(4),
  ...wallet(5),
  ...sent(7).map((event) => (event._tag === "Planned" ? { ...event, by: "swap" as const } : event)),
  { _tag: "DepositSeen", ...about(7), by: "swap", asset: "USDC", total: 100_000_000n, fresh: 100_000_000n },
  { _tag: "StatusSeen", ...about(7), status: "SUCCESS" },
  // It waits for its create's answer.
  ...sent(6).slice(0, 2),
  { _tag: "PlanFailed", strategy: "rules", reason: "mistake 1" },
  { _tag: "Paused", strategy: "dca", limit: "daily-loss", action: "pause", reason: "lost 7 USDC today" },
  { _tag: "Paused", strategy: "ladder", limit: operatorLimit, action: "drain", reason: "holiday" },
  {
    _tag: "Denied",
    strategy: "bracket",
    slot: "position",
    limit: "budget",
    reason: "It needs 105 USDC, the strategy has 100 USDC free",
    exit: { side: "BUY", price: Decimal.make(52_500n), quantity: 200_000n, asset: "BTC" }
  },
  ...leftWithPosition,
  { _tag: "StrategiesRefused", problems: ["grid.yaml:3:1: no such key"] },
  { _tag: "PriceDoubted", market: "BTC/USDC", reason: "no second source" },
  {
    _tag: "Reconciled",
    witnesses: ["orders"],
    contradictions: ["order p2: deposited 90 there, 100 here"],
    foreign: [{ kind: "order", subject: "order-77", address: "address-77", text: "no placement knows it" }]
  },
  {
    _tag: "ServiceCompared",
    drift: [
      { what: "field `price` of orders", was: "text", is: "absent", closesFunding: true },
      { what: "field `x` of orders", was: "absent", is: "text", closesFunding: false },
      { what: incidentFeed, was: "readable", is: "the token is refused", closesFunding: false }
    ]
  },
  { _tag: "JournalCut", text: "it has 3 events, but the bot wrote 7" }
]

const order = { market: "BTC/USDC", asset: "USDC", amount: 5_000_000n, deposited: 0n, status: "OPEN" }

export const everyTrouble: ReadonlyArray<BotEvent> = [
  ...common,
  { _tag: "KillSwitch", on: true, reason: "fire drill" },
  { _tag: "VenueDown", reason: "nothing comes back" },
  { _tag: "LeaseLost", reason: "journal.sqlite was removed" },
  { _tag: "JournalMoved", to: "copy.sqlite" },
  { _tag: "JournalBroken", number: 7, text: "event 7 is another" },
  { _tag: "WitnessDisagreed", size: 9, head: "ab".repeat(32), text: "it has 3 events, but the bot wrote 9" },
  { _tag: "JournalBehind", orderId: "order-9", depositAddress: "address-9", ...order },
  { _tag: "DiskFull" },
  { _tag: "ClockCompared", skewMillis: -90_000, ok: false }
]

/** What excludes each other stands in journals of its own. */
export const troubles: Readonly<Record<string, ReadonlyArray<BotEvent>>> = {
  "all that can be at once": everyTrouble,
  "a clock that is off, and no turn that ends": [...common, { _tag: "ClockCompared", skewMillis: 9_000, ok: false }]
}
