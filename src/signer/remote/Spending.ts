/**
 * What the record says was signed, and for how long it counts: from the moment before its signature until nobody can execute it any
 * more, and then for as long as a sum rolls. So payloads that are saved up and sent at once stay within the caps, and so do
 * those over which a signer died.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { RecordEntry } from "./Record.ts"

export interface PaymentToSign {
  readonly depositAddress: string
  /** The venue's id. */
  readonly asset: string
  readonly amount: Amount
}

/** Verifiers' clocks may be behind: a payload counts as alive for this long after its deadline. */
export const marginMillis = 60_000

/** By the signer's own time. Older records tell the deadline alone, by the clock of that time. */
const untilOf = ({ at, until, validUntil }: RecordEntry): number =>
  until ?? (validUntil === undefined ? at : validUntil + marginMillis)

/** What came of it is in the line that follows, because requests are answered one at a time; a signer that died wrote none. */
const hasEnded = (next: RecordEntry | undefined): boolean => next?.what === "signed" || next?.releases === true

/** Whatever may have been signed: what was, and what a signer died over. */
export const spentIn = (entries: ReadonlyArray<RecordEntry>): ReadonlyArray<RecordEntry> =>
  entries.filter(({ what }, index) => what === "signed" || (what === "signing" && !hasEnded(entries[index + 1])))

/** What of it counts in a sum over that time. */
export const countingIn = (
  spent: ReadonlyArray<RecordEntry>,
  millis: number,
  now: number
): ReadonlyArray<RecordEntry> => spent.filter((each) => untilOf(each) > now - millis)

/** Payloads that may still be executed. */
export const aliveIn = (entries: ReadonlyArray<RecordEntry>, now: number): ReadonlyArray<RecordEntry> =>
  entries.filter((each) => each.what === "signed" && untilOf(each) > now)

/** Words of approvers for which no payment was signed yet. */
export const unspentWords = (entries: ReadonlyArray<RecordEntry>, now: number): ReadonlyArray<RecordEntry> => {
  const used = new Set(spentIn(entries).flatMap(({ approvals = [] }) => approvals))
  return entries.filter(
    ({ approvals = [], validUntil = 0, what }) =>
      what === "approved" && validUntil > now && !approvals.some((nonce) => used.has(nonce))
  )
}

/** A payload that was signed for an address and may still be executed. */
export const aliveFor = (
  depositAddress: string,
  entries: ReadonlyArray<RecordEntry>,
  now: number
): RecordEntry | undefined => aliveIn(entries, now).findLast((each) => each.depositAddress === depositAddress)

/**
 * The same payment requested again, by a bot that died before it got the answer. It gets the very same bytes: they
 * pay nothing twice, because their nonce executes once. Signing different bytes could pay twice.
 */
export const givenBefore = (
  { amount, asset, depositAddress }: PaymentToSign,
  entries: ReadonlyArray<RecordEntry>,
  now: number
) => {
  const alive = aliveFor(depositAddress, entries, now)
  if (alive === undefined || alive.asset !== asset || alive.amount !== String(amount)) return undefined
  const { body, intentHash, validUntil } = alive
  if (body === undefined || intentHash === undefined || validUntil === undefined) return undefined
  return { _tag: "SignedBefore", body, intentHash, validUntil } as const
}
