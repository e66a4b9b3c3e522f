/**
 * Swaps by hand of older journals. There a swap was a list of steps beside the placements; now it is a placement. One
 * that is not over becomes one as soon as somebody opens the journal to write: with the same signed bytes, the same
 * answer of its wallet and the same doubt, so nothing is paid twice.
 */
import { Redacted } from "effect"
import type { BotEvent, Of } from "../../../domain/BotEvent.ts"
import { present } from "../../../domain/Present.ts"
import * as SwapAccount from "../../../domain/SwapAccount.ts"
import * as SwapByHand from "./SwapByHand.ts"

export type OldSwaps = Map<string, SwapAccount.SwapAccount>

/** Where they are kept. */
interface Swaps {
  swapCount: number
  readonly oldSwaps: OldSwaps
}

/** Folds a step in (in place); what is over is forgotten. */
export const apply = (state: Swaps, step: Of<"SwapStep">): void => {
  const account = SwapAccount.apply(state.oldSwaps.get(step.swap), step)
  noteNew(state, step.swap)
  if (!SwapAccount.isOver(account)) state.oldSwaps.set(step.swap, account)
}

/** A swap is a placement from now on; its number is taken. */
export const noteNew = (state: Swaps, swap: string): void => {
  state.swapCount = Math.max(state.swapCount, Number(swap.slice(1)))
  state.oldSwaps.delete(swap)
}

/** Their lives as placements, up to where they are. */
export const adopted = (swaps: OldSwaps): ReadonlyArray<BotEvent> =>
  [...swaps.values()].flatMap((account) => [
    ...SwapByHand.begun(account.id, account.agreed),
    ...payload(account),
    ...payment(account),
    ...contradiction(account)
  ])

const payload = (account: SwapAccount.SwapAccount): ReadonlyArray<BotEvent> => {
  const { agreed, doubt, intent } = account
  if (intent === undefined) return []
  const { acknowledged, amount, attempts, intentHash, lastAnswer, signed, validUntil } = intent
  const about = SwapByHand.about(account.id)
  const { depositAddress, origin } = agreed
  const asset = origin.symbol
  const [code = "", ...text] = lastAnswer?.split(": ") ?? []
  return [
    {
      _tag: "FundingSigned",
      ...about,
      orderId: depositAddress,
      depositAddress,
      asset,
      amount,
      signed: Redacted.make(signed),
      intentHash,
      validUntil
    },
    ...(attempts === 0 ? [] : [{ _tag: "FundingSent", ...about, attempt: attempts } as const]),
    ...(acknowledged ? [{ _tag: "FundingAcknowledged", ...about, intentHash } as const] : []),
    ...(lastAnswer === undefined ? [] : [{ _tag: "FundingAnswered", ...about, code, text: text.join(": ") } as const]),
    ...(doubt === undefined ? [] : [{ _tag: "FundingInDoubt", ...about, asset, amount, reason: doubt } as const])
  ]
}

const payment = ({ agreed, id, wallet: asked }: SwapAccount.SwapAccount): ReadonlyArray<BotEvent> => {
  if (asked === undefined) return []
  const about = SwapByHand.about(id)
  const { amount, sender, state, text = "its answer was never recorded", txHash, wallet } = asked
  const { deadline: validUntil, depositAddress, depositMemo, origin } = agreed
  const asset = origin.symbol
  const where = { orderId: depositAddress, depositAddress, ...present({ depositMemo }) }
  const isUnclear = state !== "paid" && !(state === "asked" && wallet === "manual")
  return [
    { _tag: "PaymentAsked", ...about, ...where, asset, amount, wallet, validUntil },
    ...(txHash === undefined ? [] : [{ _tag: "PaymentMade", ...about, txHash, ...present({ sender }) } as const]),
    ...(txHash !== undefined && asked.isReported ? [{ _tag: "PaymentReported", ...about, txHash } as const] : []),
    ...(isUnclear
      ? [
          { _tag: "PaymentUnclear", ...about, text } as const,
          {
            _tag: "FundingInDoubt",
            ...about,
            asset,
            amount,
            reason: `nobody knows whether the wallet paid: ${text}`
          } as const
        ]
      : [])
  ]
}

const contradiction = ({ contradiction: what, id }: SwapAccount.SwapAccount): ReadonlyArray<BotEvent> =>
  what === undefined
    ? []
    : [{ _tag: "Contradiction", ...SwapByHand.about(id), what, evidence: "noted by an older version" }]
