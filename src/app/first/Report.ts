/**
 * The report on a first order: its steps in the journal, its cost, and each expectation beside the result. It names the order and its
 * correlation ids, so that it can be attached to a support request; it contains no signed bytes.
 */
import { type Amount, type Asset, format, formatWithSymbol } from "../../domain/Amount.ts"
import type { Of, PlacementEvent } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { inputAsset, type Market, outputAsset } from "../../domain/Market.ts"
import type { Order } from "../../domain/Order.ts"
import { iso } from "../../domain/Text.ts"
import { age } from "../../domain/Words.ts"
import * as MoneyPath from "../../engine/tracking/MoneyPath.ts"
import * as Evidence from "../../ledger/Evidence.ts"
import { version } from "../../version.ts"
import { encoded } from "../../views/Events.ts"

export interface OrderFacts {
  readonly moments: ReadonlyArray<Evidence.EvidenceMoment>
  readonly market: Market
  /** Basis points that its echo may give to others, if the schedule says so. */
  readonly echoedBasisPoints: number
  /** Basis points of the protocol's part, which an echo may leave out. */
  readonly settlementBasisPoints: number
  /** The order as the venue showed it while it was open, or else after its end. */
  readonly shown: Order | undefined
  /** The change of the private balance of the input asset, if it was read before and after. */
  readonly moved: Amount | undefined
  readonly venue: { readonly url: string; readonly profile: string }
  readonly account: string
}

interface Comparison {
  readonly what: string
  readonly expected: string
  readonly found: string
  readonly isAsExpected: boolean
}

const compared = (what: string, expected: string, found: string): Comparison => ({
  what,
  expected,
  found,
  isAsExpected: expected === found
})

const echoCompared = (found: number, expected: number, settlement: number): Comparison => ({
  ...compared("app fees in its echo", `${expected} basis points`, `${found} basis points`),
  isAsExpected: [expected, Decimal.sumOf([expected, -settlement])].includes(found)
})

export type FirstOrderReport = ReturnType<typeof make>

export const make = (facts: OrderFacts) => {
  const { account, market, moments, venue } = facts
  const events = moments.map(({ event }) => event)
  const planned = first(events, "Planned")
  const side = planned?.side ?? "BUY"
  const [input, output] = [inputAsset(market, side), outputAsset(market, side)]
  const bound = last(events, "Bound")
  const booked = Evidence.standing(events)
  const bookedMoments = moments.slice(moments.length - booked.length)
  const ends = booked.flatMap((event) => (endings.includes(event._tag) ? [event] : []))
  const comparisons = bound === undefined ? [] : comparisonsOf(facts, events, input)
  const findingTexts = Evidence.findings(moments).map(({ text }) => text)
  const differences = [
    ...comparisons.flatMap(({ expected, found, isAsExpected, what }) =>
      isAsExpected ? [] : [`${what}: expected ${expected}, found ${found}`]
    ),
    ...findingTexts
  ]
  const filled = all(booked, "FillSeen")
  const cost = { asset: input.symbol, amount: format(feesOf(booked, input.symbol), input.decimals) }
  const payout = feesOf(booked, output.symbol)
  return {
    program: `limitbot ${version}`,
    venue,
    account,
    placement: planned?.placement ?? "",
    outcome: outcomeOf(ends.at(-1)),
    why: reasonOf(ends.at(-1)) ?? null,
    order: {
      id: bound?.orderId ?? null,
      depositAddress: bound?.depositAddress ?? null,
      market: market.name,
      side,
      price: planned === undefined ? null : Decimal.format(planned.price),
      quantity: planned === undefined ? null : format(planned.quantity, market.base.decimals),
      paysIn: planned === undefined ? null : format(planned.inputAmount, input.decimals),
      deadline: planned === undefined ? null : iso(planned.deadline)
    },
    cost: payout === 0n ? [cost] : [cost, { asset: output.symbol, amount: format(payout, output.decimals) }],
    filled: filled.map(({ amountIn, amountOut }) => ({
      paid: formatWithSymbol(amountIn, input),
      got: formatWithSymbol(amountOut, output)
    })),
    millis: {
      toRest: between(moments, "Planned", "DepositSeen"),
      toCancel: between(bookedMoments, "CancelSent", "Closed"),
      toRefund: between(bookedMoments, "Closed", "Refunded")
    },
    compared: comparisons,
    differences,
    correlationIds: Evidence.correlationIds(moments),
    hashes: Evidence.hashes(moments)
  }
}

const endings: ReadonlyArray<string> = ["Settled", "Abandoned", "FundingDead"]

const outcomeOf = (end: PlacementEvent | undefined) =>
  end === undefined ? "open" : end._tag === "Settled" ? "settled" : "not paid"

const reasonOf = (end: PlacementEvent | undefined): string | undefined =>
  end !== undefined && "reason" in end ? end.reason : undefined

const comparisonsOf = (
  { echoedBasisPoints, moved, settlementBasisPoints, shown }: OrderFacts,
  events: ReadonlyArray<PlacementEvent>,
  input: Asset
): ReadonlyArray<Comparison> => {
  const amount = (value: Amount): string => formatWithSymbol(value, input)
  const planned = first(events, "Planned")
  const deposit = last(events, "DepositSeen")
  if (planned === undefined || deposit === undefined) return []
  const estimate = last(events, "FeesEstimated") ?? last(events, "Bound")
  const refundFee = estimate?.estimatedRefundFee ?? 0n
  const booked = Evidence.standing(events)
  const refunds = all(booked, "Refunded")
  const fee = refunds.reduce((sum, each) => sum + each.fee, 0n)
  const refunded = refunds.reduce((sum, each) => sum + each.amount, 0n)
  const path = first(events, "CreateSent")?.path
  const elsewhere =
    shown === undefined || path === undefined ? undefined : MoneyPath.difference({ side: planned.side, ...path }, shown)
  return [
    compared("terms of the order", "as asked", shown === undefined ? "not read" : (elsewhere ?? "as asked")),
    ...(shown === undefined
      ? []
      : [
          compared("price", Decimal.format(planned.price), Decimal.format(shown.price)),
          compared("quantity", String(planned.quantity), String(shown.quantity)),
          compared("amount to deposit", amount(planned.inputAmount), amount(shown.inputAmount)),
          echoCompared(shown.appFeeBasisPoints, echoedBasisPoints, settlementBasisPoints)
        ]),
    compared("deposited", amount(planned.inputAmount), amount(deposit.total)),
    compared("status at the end", "CANCELED", last(booked, "Closed")?.status ?? "not over"),
    compared("fills", "0", String(all(booked, "FillSeen").length)),
    compared("refund fee", amount(refundFee), amount(fee)),
    compared("refunded", amount(planned.inputAmount - refundFee), amount(refunded)),
    ...(moved === undefined ? [] : [compared("private balance moved by", amount(-refundFee), amount(moved))])
  ]
}

const feesOf = (events: ReadonlyArray<PlacementEvent>, asset: string): Amount =>
  [...all(events, "Refunded"), ...all(events, "PaidOut")].reduce(
    (sum, each) => (each.asset === asset ? sum + each.fee : sum),
    0n
  )

type Told<T extends PlacementEvent["_tag"]> = Of<T> & PlacementEvent

const is =
  <T extends PlacementEvent["_tag"]>(tag: T) =>
  (event: PlacementEvent): event is Told<T> =>
    event._tag === tag

const all = <T extends PlacementEvent["_tag"]>(events: ReadonlyArray<PlacementEvent>, tag: T): ReadonlyArray<Told<T>> =>
  events.filter(is(tag))
const first = <T extends PlacementEvent["_tag"]>(events: ReadonlyArray<PlacementEvent>, tag: T) =>
  all(events, tag).at(0)
const last = <T extends PlacementEvent["_tag"]>(events: ReadonlyArray<PlacementEvent>, tag: T) =>
  all(events, tag).at(-1)

const between = (
  moments: ReadonlyArray<Evidence.EvidenceMoment>,
  from: PlacementEvent["_tag"],
  to: PlacementEvent["_tag"]
): number | null => {
  const began = moments.find(({ event }) => event._tag === from)
  const ended = moments.findLast(({ event }) => event._tag === to)
  return began === undefined || ended === undefined ? null : ended.at - began.at
}

export const lines = ({
  cost,
  differences,
  filled,
  millis,
  order,
  outcome,
  placement,
  why
}: FirstOrderReport): ReadonlyArray<string> => {
  const took = (what: string, time: number | null) => (time === null ? [] : [`${what} after ${age(time)}`])
  return [
    `First order ${placement}: ${outcome}${why === null ? "" : `: ${why}`}`,
    ...(order.id === null ? [] : [`  order        ${order.id}`]),
    `  cost         ${cost.map(({ amount, asset }) => `${amount} ${asset}`).join(", ")}`,
    ...filled.map(({ got, paid }) => `  filled       ${paid} for ${got}`),
    `  took         ${[...took("rested", millis.toRest), ...took("cancelled", millis.toCancel), ...took("refunded", millis.toRefund)].join(", ") || "-"}`,
    // There is nothing to compare where nothing was paid.
    ...(differences.length === 0 && outcome === "settled"
      ? ["  differences  none: everything was as expected"]
      : differences.map((each) => `  DIFFERENCE   ${each}`))
  ]
}

/** The file with the whole timeline; the signed bytes of events stay hidden. */
export const fileText = (report: FirstOrderReport, { moments }: OrderFacts): string => {
  const timeline = moments.map(({ at, event }) => ({ at: iso(at), ...encoded(event) }))
  return `${JSON.stringify({ ...report, timeline }, undefined, 2)}\n`
}
