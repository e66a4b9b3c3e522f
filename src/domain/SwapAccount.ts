/**
 * One swap as its steps tell it, for people and programs: how far it is, and where its money is. A fold and nothing else.
 *
 *   agreed → funding → deposited → ended        (or `dropped` before anything was signed)
 *
 * Money is booked by what amounts prove. The venue's word that a swap succeeded moves nothing.
 */

import type { Amount } from "./Amount.ts"
import { max, min } from "./Amount.ts"
import * as Payload from "./Payload.ts"
import { present } from "./Present.ts"
import type { RecordedStep, SwapEvent, SwapEventOf } from "./SwapEvent.ts"

type Agreed = SwapEventOf<"SwapAgreed">
export type Seen = SwapEventOf<"SwapSeen">

export type Phase = "agreed" | "funding" | "deposited" | "ended" | "dropped"

export interface WalletPayment {
  readonly wallet: "manual" | "command"
  readonly amount: Amount
  readonly attempts: number
  readonly askedAt: number
  /** `asked`: the answer was never recorded, so it is as unclear as `unclear`. */
  readonly state: "asked" | "paid" | "refused" | "unclear" | "released"
  readonly txHash?: string
  readonly sender?: string
  readonly text?: string
  readonly isReported: boolean
}

export interface SwapAccount {
  readonly id: string
  readonly steps: number
  readonly phase: Phase
  readonly agreed: Agreed
  readonly agreedAt: number
  readonly intent?: Payload.Payload
  /** Nobody has said whether it was paid, and no deposit shows. */
  readonly doubt?: string | undefined
  readonly wallet?: WalletPayment
  readonly seen?: Seen
  readonly seenAt?: number
  readonly contradiction?: string | undefined
  /** Output that a person, or the history, says arrived; the venue shows none. */
  readonly arrived?: Amount
  readonly ended?: SwapEventOf<"SwapEnded"> | undefined
  readonly timeline: ReadonlyArray<RecordedStep>
}

/** The swap of its steps, oldest first; `undefined` when there are none. */
export const fold = (steps: ReadonlyArray<RecordedStep>): SwapAccount | undefined =>
  steps.reduce<SwapAccount | undefined>(apply, undefined)

export const apply = (account: SwapAccount | undefined, recorded: RecordedStep): SwapAccount => {
  const { at, event, step, swap: id } = recorded
  if (account === undefined) {
    if (event._tag !== "SwapAgreed" || step !== 1) throw impossible(recorded, "starts a swap")
    return { id, steps: 1, phase: "agreed", agreed: event, agreedAt: at, timeline: [recorded] }
  }
  if (step !== account.steps + 1) throw impossible(recorded, `follows step ${account.steps}`)
  const change = changeOf(account, event, at)
  return { ...account, ...change, steps: step, timeline: [...account.timeline, recorded] }
}

const impossible = ({ event, step, swap }: RecordedStep, why: string): Error =>
  new Error(`Broken invariant of the journal of swaps: step ${step} of ${swap} (${event._tag}) ${why}`)

const changeOf = (account: SwapAccount, event: SwapEvent, at: number): Partial<SwapAccount> => {
  switch (event._tag) {
    case "SwapAgreed":
      throw new Error(`Broken invariant of the journal of swaps: ${account.id} is agreed twice`)
    case "SwapDropped":
      if (account.phase !== "agreed") throw new Error(`Swap ${account.id} was dropped after it was funded`)
      return { phase: "dropped" }
    case "SwapSeen": {
      const isNews = (event.deposited ?? 0n) > 0n && (!isOver(account) || wasUnpaid(account))
      return { seen: event, seenAt: at, ...(isNews ? { phase: "deposited", ended: undefined } : {}) }
    }
    case "SwapContradicted":
      return { contradiction: event.what }
    case "SwapEnded":
      return { phase: "ended", ended: event }
    case "IntentSigned":
      if (account.intent !== undefined) throw new Error(`Swap ${account.id} was signed twice`)
      return {
        phase: "funding",
        intent: Payload.signed(event)
      }
    case "IntentSent":
      return intentChange(account, { attempts: event.attempt, lastSentAt: at })
    case "IntentAcknowledged":
      return intentChange(account, { acknowledged: true })
    case "IntentAnswered":
      return account.intent === undefined ? {} : intentChange(account, Payload.answered(account.intent, event))
    case "IntentDead":
      return {}
    case "SwapInDoubt":
      return { doubt: event.reason }
    case "SwapResolved":
      return resolved(account, event)
    default:
      return walletChange(account, event, at)
  }
}

/** It ended without a payment. A deposit that shows after all begins it anew. */
const wasUnpaid = ({ ended, phase }: SwapAccount): boolean => phase === "dropped" || ended?.outcome === "unfunded"

/** Who looked knows more than the venue said: what was paid is waited for, what was not is over. */
const resolved = (
  { contradiction, intent, wallet }: SwapAccount,
  { received: arrived, text, word }: SwapEventOf<"SwapResolved">
): Partial<SwapAccount> => {
  const over = (outcome: SwapEventOf<"SwapEnded">["outcome"]): Partial<SwapAccount> => ({
    phase: "ended",
    ended: { _tag: "SwapEnded", outcome, text }
  })
  switch (word) {
    case "paid":
      return {
        doubt: undefined,
        ...present({ arrived }),
        ...(intent === undefined ? {} : { intent: { ...intent, acknowledged: true } }),
        ...(wallet === undefined ? {} : { wallet: { ...wallet, state: "paid" } })
      }
    case "not-paid":
      return over("unfunded")
    case "forget":
      return over("unproven")
    case "adopt":
      return contradiction === undefined ? {} : { contradiction: undefined }
  }
}

const intentChange = (account: SwapAccount, change: Partial<Payload.Payload>): Partial<SwapAccount> =>
  account.intent === undefined ? {} : { intent: { ...account.intent, ...change } }

type WalletEvent = SwapEventOf<
  "WalletAsked" | "WalletPaid" | "WalletRefused" | "WalletUnclear" | "WalletReleased" | "DepositReported"
>

const walletChange = (account: SwapAccount, event: WalletEvent, at: number): Partial<SwapAccount> => {
  if (event._tag === "WalletAsked") {
    const { amount, attempt: attempts, wallet } = event
    if (account.wallet !== undefined && mayHavePaid(account.wallet)) {
      throw new Error(`The wallet was asked twice to pay swap ${account.id}`)
    }
    return {
      phase: account.phase === "agreed" ? "funding" : account.phase,
      wallet: { wallet, amount, attempts, askedAt: at, state: "asked", isReported: false }
    }
  }
  const { wallet } = account
  if (wallet === undefined) throw new Error(`${event._tag} of swap ${account.id}, whose wallet was never asked`)
  switch (event._tag) {
    case "WalletPaid": {
      const { sender, txHash } = event
      return { wallet: { ...wallet, state: "paid", txHash, ...present({ sender }) } }
    }
    case "WalletRefused":
      return { wallet: { ...wallet, state: "refused", text: event.text } }
    case "WalletUnclear":
      return { wallet: { ...wallet, state: "unclear", text: event.text } }
    case "WalletReleased":
      return { wallet: { ...wallet, state: "released", text: event.reason } }
    case "DepositReported":
      return { wallet: { ...wallet, isReported: true } }
  }
}

/** Asking again could pay twice. */
const mayHavePaid = ({ state }: WalletPayment): boolean => state !== "refused" && state !== "released"

/** What was signed for or asked of the wallet, and may therefore be on its way. */
const committed = ({ intent, wallet }: SwapAccount): Amount =>
  intent?.amount ?? (wallet !== undefined && mayHavePaid(wallet) ? wallet.amount : 0n)

export const swapPlaces = ["deposit in flight", "in doubt", "in swap", "spent", "refunded", "fees", "residual"] as const
export type SwapPlace = (typeof swapPlaces)[number]

export interface SwapMoney {
  /** Where all of the input that left us is; its parts add up to what left. */
  readonly input: Readonly<Record<SwapPlace, Amount>>
  /** Output that the amounts prove. */
  readonly received: Amount
}

const nowhere = {
  "deposit in flight": 0n,
  "in doubt": 0n,
  "in swap": 0n,
  spent: 0n,
  refunded: 0n,
  fees: 0n,
  residual: 0n
}

/** Where the money of a swap is. What no amount explains is in `residual`, not forgotten. */
export const moneyOf = (account: SwapAccount): SwapMoney => {
  const { agreed, arrived, ended, seen } = account
  const deposited = seen?.deposited ?? 0n
  if (ended === undefined) {
    const unseen = max(0n, committed(account) - deposited)
    const isUnclear = account.wallet?.state === "unclear"
    const place = account.doubt === undefined && !isUnclear ? "deposit in flight" : "in doubt"
    return { input: { ...nowhere, [place]: unseen, "in swap": deposited }, received: 0n }
  }
  if (ended.outcome === "unfunded") return { input: nowhere, received: 0n }
  const left = max(deposited, committed(account))
  if (arrived !== undefined) return { input: { ...nowhere, spent: left }, received: arrived }
  const spent = min(left, seen?.amountIn ?? 0n)
  const refunded = min(left - spent, seen?.refunded ?? 0n)
  const unexplained = left - spent - refunded
  const fees = refunded > 0n ? min(unexplained, agreed.refundFee ?? 0n) : 0n
  return { input: { ...nowhere, spent, refunded, fees, residual: unexplained - fees }, received: seen?.amountOut ?? 0n }
}

export const isOver = ({ phase }: SwapAccount): boolean => phase === "ended" || phase === "dropped"

/** How a swap whose money is all accounted for ended: by the amounts of the venue's last report. */
export const conclusion = ({
  agreed,
  arrived,
  seen
}: Pick<SwapAccount, "agreed" | "arrived" | "seen">): Omit<SwapEventOf<"SwapEnded">, "_tag"> => {
  if (arrived !== undefined)
    return { outcome: "paid", text: `${arrived} arrived, as was said; the venue shows no amounts` }
  const { amountIn = 0n, amountOut = 0n, refunded = 0n, refundReason, status = "nothing" } = seen ?? {}
  const why = refundReason === undefined ? "" : ` (${refundReason})`
  if (status === "FAILED") return { outcome: "failed", text: `the venue gave it up${why}` }
  if (amountOut > 0n) {
    if (status === "REFUNDED") return { outcome: "unproven", text: "it is said to be refunded, but names an output" }
    if (amountIn === 0n) return { outcome: "unproven", text: "it is said to be paid, but for no input" }
    const least = agreed.minAmountOut ?? 0n
    if (agreed.swapType !== "FLEX_INPUT" && amountOut < least)
      return { outcome: "unproven", text: `it paid ${amountOut}, less than the least of ${least}` }
    return { outcome: "paid", text: "amount received verified" }
  }
  if (refunded > 0n) return { outcome: "refunded", text: `the input came back${why}` }
  return { outcome: "unproven", text: `the venue says ${status} without an amount that proves it${why}` }
}
