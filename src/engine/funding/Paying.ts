/**
 * What the word of a wallet on another chain is worth. It is asked once. If its answer is lost or says nothing, nobody knows
 * whether it paid, and it is asked again only when the operator says so for this one attempt. Pure.
 */
import type { BotEvent } from "../../domain/BotEvent.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import { about, type Placement, type PlacementIn } from "../state/Placement.ts"
import { walletPatienceMillis } from "./Wallet.ts"

type Events = ReadonlyArray<BotEvent>

/** A payment by a wallet, of which nobody knows whether it was made. */
export type AskedPayment = PlacementIn<"funding" | "in doubt">

/**
 * The name of a payment of which nobody knows whether the wallet program made it. No other attempt has this name, and
 * the operator needs it to have the wallet asked again.
 */
export const unclearPayment = ({ cancel, funding, id, state }: Placement): string | undefined => {
  const { payment } = funding ?? {}
  const isUnclear = payment?.wallet === "command" && (payment.state === "asked" || payment.state === "unclear")
  const isOpen = (state === "funding" || state === "in doubt") && payment?.isConfirmed !== true
  return isUnclear && isOpen && cancel === undefined ? `${id}-${funding?.attempts}` : undefined
}

/** Clocks differ, and a program may end late. */
const patienceMarginMillis = minuteMillis

/** Until when a wallet program whose answer no bot has waited for may still pay, by its own limit. */
export const mayRunUntil = ({ funding }: Placement): number | undefined => {
  const { lastSentAt = 0, payment } = funding ?? {}
  const isLeft = payment?.state === "asked" || (payment?.state === "unclear" && payment.isInterrupted === true)
  return payment?.wallet === "command" && isLeft ? lastSentAt + walletPatienceMillis + patienceMarginMillis : undefined
}

/** Why nobody can know yet that it was not made, if so. */
export const mayStillBeMade = (placement: Placement, now: number): string | undefined => {
  const until = mayRunUntil(placement)
  return until === undefined || now >= until
    ? undefined
    : `the wallet program that was asked for it may still be at work until ${iso(until)}: see then whether the payment has left, and say it again`
}

const money = ({ funding, inputAmount, inputAsset: asset }: Placement) => ({
  asset,
  amount: funding?.amount ?? inputAmount
})

/** The process that asked is gone, and the wallet's answer with it. */
export const interrupted = (placement: Placement): Events =>
  unclear(placement, "limitbot was interrupted while the wallet was at work").map((event) =>
    event._tag === "PaymentUnclear" ? { ...event, interrupted: true } : event
  )

/** Nobody knows whether the wallet paid: the money is in doubt, unless more is known by now. */
export const unclear = (placement: Placement, text: string, isUntouched = placement.state === "funding"): Events => {
  const reason = `nobody knows whether the wallet paid: ${text}`
  return [
    { _tag: "PaymentUnclear", ...about(placement), text },
    ...(isUntouched ? [{ _tag: "FundingInDoubt", ...about(placement), ...money(placement), reason } as const] : [])
  ]
}

/** Nothing was paid this time. What came of an earlier request, nobody knows any better. */
const notPaid = (placement: AskedPayment, reason: string, by?: "wallet"): Events =>
  placement.funding.attempts === 1
    ? [{ _tag: "FundingDead", ...about(placement), ...money(placement), reason, ...present({ by }) }]
    : unclear(placement, reason)

export const withheld = (placement: AskedPayment, hold: string): Events =>
  notPaid(placement, `the wallet was not asked: ${hold}`)

/** The wallet says so. What the venue has seen outweighs that. */
export const walletRefused = (placement: AskedPayment, reason: string): Events => notPaid(placement, reason, "wallet")
