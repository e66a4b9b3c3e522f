/**
 * Lies in reports of an order that holds money, in the list alone or wherever it is shown. What is known never gets less; what
 * cannot be true is told once; what might be true is believed as far as the order's own money goes.
 */
import { dayMillis } from "../../../src/domain/Durations.ts"
import type { SandboxOrder } from "../../../src/sandbox/core/State.ts"
import { later } from "../../simulation/Lies.ts"
import {
  type About,
  type Attack,
  all,
  amount,
  at,
  hasFills,
  isCancelled,
  isFilled,
  isObject,
  isPaid,
  type Json,
  type Line,
  line,
  noPayouts,
  nowhere,
  otherAmounts,
  paidOut,
  perhaps,
  quiet,
  set,
  type Tell,
  thief,
  told,
  when
} from "../Attack.ts"

const wholeOf = (order: SandboxOrder | undefined) => String(order?.inputAmount)
const fillOf = (order: SandboxOrder | undefined, id: string, changed: Json = {}): Json => ({
  id,
  amountIn: String(order?.inputAmount),
  amountOut: String(order?.outputAmount),
  createdAt: "2026-01-01T00:00:10.000Z",
  ...changed
})
const fillsIn = (said: Json): ReadonlyArray<Json> => {
  const { partialFills } = said
  return Array.isArray(partialFills) ? partialFills.filter(isObject) : []
}
/** Changes every fill that is reported. */
const eachFill =
  (change: (fill: Json, about: About) => Json): Tell =>
  (said, about) => {
    said["partialFills"] = fillsIn(said).map((fill) => change(fill, about))
  }
const scaled = (field: "amountIn" | "amountOut", change: (amount: bigint) => bigint): Tell =>
  when(
    hasFills,
    eachFill((fill) => ({ ...fill, [field]: String(change(BigInt(String(fill[field])))) }))
  )

/** While money is in the order. */
const during: ReadonlyArray<Line> = [
  line("depositAddress", "nobody's", when(isPaid, set("depositAddress", nowhere)), told),
  line(
    "depositedAmount",
    "one unit more",
    when(
      isPaid,
      amount("depositedAmount", (known) => known + 1n)
    ),
    told
  ),
  line(
    "depositedAmount",
    "twice",
    when(
      isPaid,
      amount("depositedAmount", (known) => known * 2n)
    ),
    told
  ),
  line(
    "depositedAmount",
    "with other decimals",
    when(isPaid, amount("depositedAmount", otherAmounts["with other decimals"] ?? BigInt)),
    told
  ),
  line(
    "depositedAmount",
    "one unit less",
    when(
      isPaid,
      amount("depositedAmount", (known) => known - 1n)
    ),
    quiet
  ),
  line(
    "depositedAmount",
    "half",
    when(
      isPaid,
      amount("depositedAmount", (known) => known / 2n)
    ),
    quiet
  ),
  line("depositedAmount", "nothing any more", when(isPaid, set("depositedAmount", "0")), quiet),
  line("fillStatus", "back to the beginning", when(isPaid, set("fillStatus", "AWAITING_DEPOSIT")), quiet),
  line("fillStatus", "waits for a trigger", when(isPaid, set("fillStatus", "UNTRIGGERED")), quiet),
  line("fillStatus", "a word nobody knows", when(isPaid, set("fillStatus", "HELD_FOR_REVIEW")), quiet),
  line("fillStatus", "being cancelled", when(isPaid, set("fillStatus", "PENDING_CANCEL")), quiet),
  line(
    "fillStatus",
    "filled without a fill, and final",
    when(isPaid, all(set("fillStatus", "FILLED"), set("isPayoutStatusFinal", true), set("payoutStatus", "COMPLETED"))),
    told
  ),
  line(
    "fillStatus",
    "filled without a fill, and refunded",
    when(
      isPaid,
      all(
        set("fillStatus", "FILLED"),
        set("isPayoutStatusFinal", true),
        set("payouts", { ...noPayouts, refund: paidOut })
      )
    ),
    told
  ),
  line(
    "partialFills",
    "beyond the deposit",
    when(
      isPaid,
      set("partialFills", ({ order }: About) => [fillOf(order, "f1", { amountIn: `${wholeOf(order)}0` })])
    ),
    told
  ),
  line(
    "partialFills",
    "for next to nothing",
    when(
      isPaid,
      set("partialFills", ({ order }: About) => [fillOf(order, "f1", { amountOut: "1" })])
    ),
    told
  ),
  line(
    "partialFills",
    "for nothing",
    when(
      isPaid,
      set("partialFills", ({ order }: About) => [fillOf(order, "f1", { amountOut: "0" })])
    ),
    told
  ),
  line(
    "partialFills",
    "all of it twice under two ids",
    when(
      isPaid,
      set("partialFills", ({ order }: About) => [fillOf(order, "f1"), fillOf(order, "f2")])
    ),
    told
  ),
  line(
    "partialFills",
    "one id with two amounts",
    when(
      isPaid,
      set("partialFills", ({ order }: About) => [
        fillOf(order, "f1", { amountIn: "10" }),
        fillOf(order, "f1", { amountIn: "11" })
      ])
    ),
    told
  ),
  line("recipient", "a thief, once it is paid", when(isPaid, set("recipient", thief)), told),
  line("refundTo", "a thief, once it is paid", when(isPaid, set("refundTo", thief)), told),
  line(
    "recipientType",
    "on another chain, once it is paid",
    when(isPaid, set("recipientType", "DESTINATION_CHAIN")),
    told
  ),
  line(
    "swapView",
    "another amount to receive, once it is paid",
    when(
      isPaid,
      amount(["swapView.minAmountOut", "swapView.amountOut"], (known) => known / 10n)
    ),
    quiet
  ),
  line(
    "deadline",
    "a day later, once it is paid",
    when(
      isPaid,
      set("deadline", (_: About, said: Json) =>
        new Date(Date.parse(String(said["deadline"])) + dayMillis).toISOString()
      )
    ),
    quiet
  ),
  line(
    "estimatedRefundFee",
    "all that comes back, once it is paid",
    when(
      isPaid,
      set("estimatedRefundFee", ({ order }: About) => wholeOf(order))
    ),
    { alerts: [0, 1] }
  )
]

/** Once something has been filled. */
const filled: ReadonlyArray<Line> = [
  line(
    "partialFills",
    "twice in one report",
    when(hasFills, (said) => {
      said["partialFills"] = [...fillsIn(said), ...fillsIn(said)]
    }),
    quiet
  ),
  line(
    "partialFills",
    "the other way round",
    when(
      ({ fills }) => fills.length > 1,
      (said) => {
        said["partialFills"] = fillsIn(said).toReversed()
      }
    ),
    quiet
  ),
  line("partialFills", "taken back", when(hasFills, set("partialFills", [])), perhaps),
  line(
    "partialFills",
    "the last one taken back",
    when(
      ({ fills }) => fills.length > 1,
      (said) => {
        said["partialFills"] = fillsIn(said).slice(0, -1)
      }
    ),
    perhaps
  ),
  line(
    "partialFills",
    "under other ids each time",
    when(
      hasFills,
      eachFill((fill, { now }) => ({ ...fill, id: `${fill["id"]}-${now}` }))
    ),
    { alerts: [0, 1] }
  ),
  line(
    "partialFills",
    "in the future",
    when(
      hasFills,
      eachFill((fill) => ({ ...fill, createdAt: "2036-01-01T00:00:00.000Z" }))
    ),
    quiet
  ),
  line(
    "partialFills",
    "long ago",
    when(
      hasFills,
      eachFill((fill) => ({ ...fill, createdAt: "1999-01-01T00:00:00.000Z" }))
    ),
    quiet
  ),
  line(
    "partialFills amountIn",
    "changed from look to look",
    when(
      hasFills,
      eachFill((fill, { told: times }) => ({
        ...fill,
        amountIn: String(BigInt(String(fill["amountIn"])) - BigInt(times + 1))
      }))
    ),
    perhaps
  ),
  ...Object.entries(otherAmounts).flatMap(([lie, change]) => [
    line("partialFills amountIn", lie, scaled("amountIn", change), perhaps),
    line("partialFills amountOut", lie, scaled("amountOut", change), perhaps)
  ])
]

/** Once it is over. */
const over: ReadonlyArray<Line> = [
  line(
    "payouts",
    "hashes of others",
    when(isFilled, (said) => {
      if (isObject(said["payouts"]) && isObject(said["payouts"]["withdrawal"])) {
        said["payouts"] = { ...said["payouts"], withdrawal: paidOut, allWithdrawals: [paidOut] }
      }
    }),
    quiet
  ),
  line(
    "payouts",
    "complete before they are",
    when(
      isFilled,
      all(
        set("payouts", { ...noPayouts, withdrawal: paidOut, allWithdrawals: [paidOut] }),
        set("isPayoutStatusFinal", true)
      )
    ),
    quiet
  ),
  line(
    "payouts",
    "failed",
    when(
      isFilled,
      all(
        set("payouts", {
          ...noPayouts,
          withdrawal: { status: "FAILED", reason: "sanctions" },
          allWithdrawals: [{ status: "FAILED", reason: "sanctions" }]
        }),
        set("isPayoutStatusFinal", true)
      )
    ),
    told
  ),
  line(
    "payouts",
    "final without a payment",
    when(isFilled, all(set("payouts", noPayouts), set("isPayoutStatusFinal", true))),
    told
  ),
  line(
    "payouts",
    "the deposit back as well",
    when(
      isFilled,
      all(
        set("payouts", { withdrawal: paidOut, allWithdrawals: [paidOut], refund: paidOut }),
        set("isPayoutStatusFinal", true)
      )
    ),
    told
  ),
  line(
    "payouts",
    "ten of them",
    when(
      isFilled,
      all(
        set("payouts", {
          ...noPayouts,
          withdrawal: paidOut,
          allWithdrawals: Array.from({ length: 10 }, () => paidOut)
        }),
        set("isPayoutStatusFinal", true)
      )
    ),
    told
  ),
  line(
    "estimatedWithdrawFee",
    "all that it brought, once it is over",
    when(
      isFilled,
      set("estimatedWithdrawFee", ({ order }: About) => String(order?.outputAmount))
    ),
    told
  ),
  line(
    "estimatedRefundFee",
    "all that comes back, once it is over",
    when(
      isCancelled,
      set("estimatedRefundFee", ({ order }: About) => wholeOf(order))
    ),
    told
  ),
  line(
    "estimatedRefundFee",
    "one unit more, once it is over",
    when(
      isCancelled,
      amount("estimatedRefundFee", (known) => known + 1n)
    ),
    told
  ),
  line(
    "payouts",
    "never ending",
    when(
      isFilled,
      all(set("payouts", { ...noPayouts, withdrawal: { status: "IN_PROGRESS" } }), set("isPayoutStatusFinal", false))
    ),
    quiet
  ),
  line("fillStatus", "alive again", when(isFilled, set("fillStatus", "OPEN")), quiet),
  line("fillStatus", "cancelled instead of filled", when(isFilled, set("fillStatus", "CANCELED")), quiet),
  line(
    "payouts",
    "refunded before it is",
    when(isCancelled, all(set("payouts", { ...noPayouts, refund: paidOut }), set("isPayoutStatusFinal", true))),
    quiet
  ),
  line(
    "payouts",
    "refund failed",
    when(
      isCancelled,
      all(
        set("payouts", { ...noPayouts, refund: { status: "FAILED", reason: "no" } }),
        set("isPayoutStatusFinal", true)
      )
    ),
    { alerts: [1, 1] }
  ),
  line(
    "payouts",
    "cancelled and final without a refund",
    when(isCancelled, all(set("payouts", noPayouts), set("isPayoutStatusFinal", true))),
    told
  ),
  line("fillStatus", "alive again after the cancel", when(isCancelled, set("fillStatus", "OPEN")), quiet),
  line(
    "partialFills",
    "filled after all, under a new id",
    when(isCancelled, (said, { order }) => {
      said["partialFills"] = [...fillsIn(said), fillOf(order, "late")]
    }),
    perhaps
  )
]

/** Wherever the order is shown, so that no other answer gives the liar away. */
const everywhere = at("reads", [
  ...Object.entries(later).map(([lie, change]: readonly [string, (said: Json, reads: number) => void]) =>
    line("report", lie, (said, about) => change(said, about.told), perhaps)
  ),
  ...during,
  ...filled,
  ...over
])
/** In the list alone: every other answer is true. */
const listed = at("list", [...during, ...filled])

export const reports: ReadonlyArray<Attack> = [...everywhere, ...listed]
