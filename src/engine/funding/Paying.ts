/** Meaning of a wallet's answer. After a lost or unclear answer, the bot asks again only if the operator approves this attempt. Pure. */
import type { BotEvent } from "../../domain/BotEvent.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import { utc } from "../../domain/Text.ts"
import { about, type Placement, type PlacementIn } from "../state/Placement.ts"
import { walletPatienceMillis } from "./Wallet.ts"

type Events = ReadonlyArray<BotEvent>

export type AskedPayment = PlacementIn<"funding" | "in doubt">

/** Name of an attempt to pay whose outcome is unknown. The operator passes it to have the wallet asked again. */
export const unclearPayment = ({ cancel, funding, id, state }: Placement): string | undefined => {
  const { payment } = funding ?? {}
  const isUnclear = payment?.wallet === "command" && (payment.state === "asked" || payment.state === "unclear")
  const isOpen = (state === "funding" || state === "in doubt") && payment?.isConfirmed !== true
  return isUnclear && isOpen && cancel === undefined ? `${id}-${funding?.attempts}` : undefined
}

/** Clocks differ, and a program may end late. */
const patienceMarginMillis = minuteMillis

/** Latest time at which a wallet program may still pay, by its own limit, if no bot waited for its answer. */
export const mayRunUntil = ({ funding }: Placement): number | undefined => {
  const { lastSentAt = 0, payment } = funding ?? {}
  const isLeft = payment?.state === "asked" || (payment?.state === "unclear" && payment.isInterrupted === true)
  return payment?.wallet === "command" && isLeft ? lastSentAt + walletPatienceMillis + patienceMarginMillis : undefined
}

export const mayStillBeMade = (placement: Placement, now: number): string | undefined => {
  const until = mayRunUntil(placement)
  return until === undefined || now >= until
    ? undefined
    : `its wallet program may run until ${utc(until)}: check then whether the payment was made, and try again`
}

const money = ({ funding, inputAmount, inputAsset: asset }: Placement) => ({
  asset,
  amount: funding?.amount ?? inputAmount
})

/** The process that asked has ended, and the wallet's answer is lost with it. */
export const interrupted = (placement: Placement): Events =>
  unclear(placement, "limitbot was interrupted while the wallet was running").map((event) =>
    event._tag === "PaymentUnclear" ? { ...event, interrupted: true } : event
  )

export const unclear = (placement: Placement, text: string, isUntouched = placement.state === "funding"): Events => {
  const reason = `unclear whether the wallet paid: ${text}`
  return [
    { _tag: "PaymentUnclear", ...about(placement), text },
    ...(isUntouched ? [{ _tag: "FundingInDoubt", ...about(placement), ...money(placement), reason } as const] : [])
  ]
}

/**
 * This attempt paid nothing, because a hold kept the wallet from being asked, or as the `wallet` itself reports. The outcome of an earlier
 * request stays unknown.
 */
export const notPaid = (placement: AskedPayment, reason: string, by?: "wallet"): Events =>
  placement.funding.attempts === 1
    ? [{ _tag: "FundingDead", ...about(placement), ...money(placement), reason, ...present({ by }) }]
    : unclear(placement, reason)
