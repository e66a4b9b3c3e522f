/**
 * Lies in the answer to a create: the echo of an order that is not funded yet. Whatever is wrong with it, no money may
 * follow, and somebody is told.
 */
import { dayMillis, hourMillis } from "../../../src/domain/Durations.ts"
import { echo } from "../../simulation/Lies.ts"
import {
  type About,
  type Attack,
  all,
  amount,
  nowhere,
  otherAmounts,
  quiet,
  refused,
  set,
  type Tell,
  thief,
  unfunded,
  type Verdict
} from "../Attack.ts"

const create = (field: string, lie: string, tell: Tell, must: Verdict = refused): Attack => ({
  call: "create",
  field,
  lie,
  tell,
  must
})

const solana = "nep141:sol.omft.native"
const ownOf = ({ order, state }: About) =>
  [...state.orders.values()].find(({ id, owner }) => id !== order?.id && owner === order?.owner)
const at = (shift: number) => (_: About, said: { readonly [name: string]: unknown }) =>
  new Date(Date.parse(String(said["deadline"])) + shift).toISOString()
const inputs = ["swapView.amountIn", "swapView.maxAmountIn"]
const outputs = ["swapView.minAmountOut", "swapView.amountOut"]
const price = (change: (price: number) => string): Tell =>
  set("price", (_: About, said: { readonly [name: string]: unknown }) => change(Number(said["price"])))

const amounts = (
  field: string,
  paths: ReadonlyArray<string>,
  verdicts: Readonly<Record<string, Verdict>> = {}
): ReadonlyArray<Attack> =>
  Object.entries(otherAmounts).map(([lie, change]) => create(field, lie, amount(paths, change), verdicts[lie]))

export const creates: ReadonlyArray<Attack> = [
  ...Object.entries(echo).map(([lie, tell]) => create("echo", lie, tell)),
  create("depositAddress", "nobody's", set("depositAddress", nowhere)),
  create(
    "depositAddress",
    "of somebody else's order",
    set("depositAddress", ({ stranger }: About) => stranger.depositAddress)
  ),
  create(
    "depositAddress",
    "our own account",
    set("depositAddress", ({ account }: About) => account)
  ),
  create(
    "depositAddress",
    "of another order of ours",
    set("depositAddress", (about: About) => ownOf(about)?.depositAddress),
    {
      alerts: [1, 2],
      unfit: true
    }
  ),
  create(
    "depositAddress",
    "in capital letters",
    set("depositAddress", ({ order }: About) => order?.depositAddress.toUpperCase())
  ),
  create(
    "id",
    "of somebody else's order",
    (_, { element, stranger }) => {
      element["id"] = stranger.id
    },
    { alerts: [0, 1], unfit: true }
  ),
  create(
    "id",
    "of no order",
    (_, { element }) => {
      element["id"] = "00000000-0000-4000-8000-000000000000"
    },
    { alerts: [0, 1], unfit: true }
  ),
  // The answer to another create: the order is found in the list.
  create(
    "id",
    "of another order of ours",
    (_, about) => {
      about.element["id"] = ownOf(about)?.id ?? about.element["id"]
    },
    quiet
  ),
  create("depositMemo", "one that no transfer carries", set("depositMemo", "42")),
  create("depositType", "on another chain", set("depositType", "ORIGIN_CHAIN")),
  create("depositType", "confidential", set("depositType", "CONFIDENTIAL_INTENTS")),
  create("recipient", "a thief", set("recipient", thief)),
  create(
    "recipient",
    "the deposit address",
    set("recipient", ({ order }: About) => order?.depositAddress)
  ),
  create("recipientType", "on another chain", set("recipientType", "DESTINATION_CHAIN")),
  create("recipientType", "confidential", set("recipientType", "CONFIDENTIAL_INTENTS")),
  create("refundTo", "a thief", set("refundTo", thief)),
  create("refundType", "on another chain", set("refundType", "ORIGIN_CHAIN")),
  create("refundType", "confidential", set("refundType", "CONFIDENTIAL_INTENTS")),
  ...amounts("quantity", ["quantity"]),
  ...amounts("amount to deposit", inputs),
  ...amounts("least to receive", outputs, { "one unit more": quiet, "ten times": quiet, "with other decimals": quiet }),
  create(
    "price",
    "a little higher",
    price((known) => (known + 0.01).toFixed(2))
  ),
  create(
    "price",
    "a little lower",
    price((known) => (known - 0.01).toFixed(2))
  ),
  create(
    "price",
    "ten times",
    price((known) => String(known * 10))
  ),
  create(
    "price",
    "a tenth",
    price((known) => String(known / 10))
  ),
  create(
    "price",
    "the other way round",
    price((known) => (1 / known).toFixed(12))
  ),
  create(
    "side",
    "the other",
    set("side", (_: About, said: { readonly [name: string]: unknown }) => (said["side"] === "BUY" ? "SELL" : "BUY"))
  ),
  create("baseAsset", "another", set("baseAsset", solana)),
  create("quoteAsset", "another", set("quoteAsset", solana)),
  create("baseAsset and quoteAsset", "the other way round", (said) => {
    const { baseAsset, quoteAsset } = said
    Object.assign(said, { baseAsset: quoteAsset, quoteAsset: baseAsset })
  }),
  create("originAsset", "another", set("swapView.originAsset", solana)),
  create("destinationAsset", "another", set("swapView.destinationAsset", solana)),
  create(
    "swapView",
    "of somebody else's order",
    set("swapView", ({ stranger }: About) => ({
      swapType: "EXACT_OUTPUT",
      originAsset: stranger.origin.id,
      destinationAsset: stranger.destination.id,
      maxAmountIn: String(stranger.inputAmount),
      amountOut: String(stranger.outputAmount)
    }))
  ),
  create("deadline", "a millisecond earlier", set("deadline", at(-1))),
  create("deadline", "a millisecond later", set("deadline", at(1))),
  create("deadline", "an hour earlier", set("deadline", at(-hourMillis))),
  create("deadline", "a year later", set("deadline", at(365 * dayMillis))),
  create("deadline", "past", set("deadline", "2025-01-01T00:00:00.000Z")),
  create("createdAt", "in the future", set("createdAt", "2036-01-01T00:00:00.000Z"), quiet),
  create("createdAt", "long ago", set("createdAt", "1999-01-01T00:00:00.000Z"), quiet),
  create("appFees", "two per cent for a thief", set("appFees", [{ recipient: thief, fee: 200 }])),
  create(
    "appFees",
    "many small ones",
    set(
      "appFees",
      Array.from({ length: 20 }, (_, n) => ({ recipient: `thief-${n}.near`, fee: 10 }))
    )
  ),
  create("appFees", "all of it", set("appFees", [{ recipient: thief, fee: 10_000 }])),
  create(
    "estimatedWithdrawFee",
    "all that it brings",
    set("estimatedWithdrawFee", ({ order }: About) => String(order?.outputAmount)),
    unfunded
  ),
  create(
    "estimatedWithdrawFee",
    "with other decimals",
    amount("estimatedWithdrawFee", (fee) => fee * 10n ** 10n),
    unfunded
  ),
  create(
    "estimatedRefundFee",
    "all that goes in",
    set("estimatedRefundFee", ({ order }: About) => String(order?.inputAmount)),
    unfunded
  ),
  create("fillStatus", "open already", set("fillStatus", "OPEN")),
  create("fillStatus", "filled already", set("fillStatus", "FILLED")),
  create("fillStatus", "cancelled already", set("fillStatus", "CANCELED")),
  create("fillStatus", "expired already", set("fillStatus", "EXPIRED")),
  create("fillStatus", "being cancelled", set("fillStatus", "PENDING_CANCEL")),
  create("fillStatus", "waits for a trigger", set("fillStatus", "UNTRIGGERED")),
  create("fillStatus", "a word nobody knows", set("fillStatus", "HELD_FOR_REVIEW")),
  create("depositedAmount", "a unit of somebody's", set("depositedAmount", "1")),
  create(
    "depositedAmount",
    "all of it",
    set("depositedAmount", ({ order }: About) => String(order?.inputAmount))
  ),
  create("everything", "somebody else's order", (_, { element, stranger }) => {
    element["id"] = stranger.id
    all(
      set("depositAddress", stranger.depositAddress),
      set("deadline", new Date(stranger.deadline).toISOString()),
      set("quantity", String(stranger.quantity)),
      set("price", stranger.priceText),
      set("recipient", stranger.recipient),
      set("refundTo", stranger.refundTo)
    )(Object(element["attributes"]), Object({}))
  })
]
