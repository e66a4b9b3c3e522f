/**
 * Lies at both ends of an order's life: in the read right before it is paid, where everything may still be called off, and in
 * the answer to its cancel, which proves nothing by itself.
 */
import type { SandboxOrder } from "../../../src/sandbox/core/State.ts"
import {
  type About,
  type Attack,
  all,
  amount,
  at,
  isUnpaid,
  type Json,
  type Line,
  line,
  noPayouts,
  nowhere,
  paidOut,
  perhaps,
  quiet,
  refused,
  set,
  thief,
  unfunded,
  when
} from "../Attack.ts"

const wholeOf = (order: SandboxOrder | undefined): string => String(order?.inputAmount)

/** The read right before money leaves: here everything may still be called off. */
const before: ReadonlyArray<Line> = [
  line("depositAddress", "nobody's", set("depositAddress", nowhere), refused),
  line(
    "depositAddress",
    "of somebody else's order",
    set("depositAddress", ({ stranger }: About) => stranger.depositAddress),
    refused
  ),
  line("depositMemo", "one that no transfer carries", set("depositMemo", "42"), refused),
  line("depositType", "on another chain", set("depositType", "ORIGIN_CHAIN"), refused),
  line("recipient", "a thief", set("recipient", thief), refused),
  line("recipientType", "on another chain", set("recipientType", "DESTINATION_CHAIN"), refused),
  line("refundTo", "a thief", set("refundTo", thief), refused),
  line("refundType", "on another chain", set("refundType", "ORIGIN_CHAIN"), refused),
  line(
    "amount to deposit",
    "ten times",
    amount(["swapView.amountIn", "swapView.maxAmountIn"], (known) => known * 10n),
    refused
  ),
  line(
    "least to receive",
    "a tenth",
    amount(["swapView.minAmountOut", "swapView.amountOut"], (known) => known / 10n),
    refused
  ),
  line(
    "quantity",
    "ten times",
    amount("quantity", (known) => known * 10n),
    refused
  ),
  line("price", "another", set("price", "1"), refused),
  line(
    "side",
    "the other",
    set("side", (_: About, said: Json) => (said["side"] === "BUY" ? "SELL" : "BUY")),
    refused
  ),
  line("destinationAsset", "another", set("swapView.destinationAsset", "nep141:sol.omft.native"), refused),
  line("appFees", "all of it", set("appFees", [{ recipient: thief, fee: 10_000 }]), refused),
  line(
    "deadline",
    "in two minutes",
    set("deadline", ({ now }: About) => new Date(now + 120_000).toISOString()),
    refused
  ),
  line("fillStatus", "cancelled already", set("fillStatus", "CANCELED"), unfunded),
  line("fillStatus", "expired already", set("fillStatus", "EXPIRED"), unfunded),
  line("fillStatus", "open already", set("fillStatus", "OPEN"), unfunded),
  line("fillStatus", "a word nobody knows", set("fillStatus", "HELD_FOR_REVIEW"), unfunded),
  line(
    "depositedAmount",
    "all of it, which we never paid",
    set("depositedAmount", ({ order }: About) => wholeOf(order)),
    refused
  ),
  line("depositedAmount", "one unit that we never paid", set("depositedAmount", "1"), refused)
].map((each) => ({ ...each, lie: `${each.lie}, before it is paid`, tell: when(isUnpaid, each.tell) }))

/** In the answer to a cancel, which was delivered. */
const cancels = at("cancel", [
  line("fillStatus", "filled instead", set("fillStatus", "FILLED"), perhaps),
  line("fillStatus", "open as ever", set("fillStatus", "OPEN"), quiet),
  line("fillStatus", "back to the beginning", set("fillStatus", "AWAITING_DEPOSIT"), quiet),
  line(
    "id",
    "of somebody else's order",
    (_, { element, stranger }) => {
      element["id"] = stranger.id
    },
    quiet
  ),
  line("depositedAmount", "nothing any more", set("depositedAmount", "0"), quiet),
  line(
    "payouts",
    "refunded before it is",
    all(
      set("fillStatus", "CANCELED"),
      set("payouts", { ...noPayouts, refund: paidOut }),
      set("isPayoutStatusFinal", true)
    ),
    quiet
  )
])

/** In the answer to a cancel that the venue never got. */
const swallowed: ReadonlyArray<Attack> = [
  line("fillStatus", "cancelled, although it never heard of it", set("fillStatus", "CANCELED"), { alerts: [0, 1] }),
  line("fillStatus", "being cancelled, although it never heard of it", set("fillStatus", "PENDING_CANCEL"), {
    alerts: [0, 1]
  }),
  line("fillStatus", "expired, although it never heard of it", set("fillStatus", "EXPIRED"), { alerts: [0, 1] }),
  line(
    "payouts",
    "refunded, although it never heard of it",
    all(
      set("fillStatus", "CANCELED"),
      set("payouts", { ...noPayouts, refund: paidOut }),
      set("isPayoutStatusFinal", true)
    ),
    { alerts: [0, 1] }
  )
].map((each) => ({ call: "cancel", swallows: true, ...each }))

export const boundaries: ReadonlyArray<Attack> = [...at("order", before), ...cancels, ...swallowed]
