/**
 * Computes the amounts that count against the caps. A payload counts from before its signature until it can no longer be executed, and then
 * for the span of the sum. So payloads that are saved up and sent at once stay within the caps, and a payload counts even if the signer
 * died while signing it.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { RecordEntry } from "./Record.ts"

export interface PaymentToSign {
  readonly depositAddress: string
  readonly asset: string
  readonly amount: Amount
}

/** Verifiers' clocks may be behind: a payload counts as alive for this long after its deadline. */
export const marginMillis = 60_000

/** By the signer's own time. Older records have only the deadline, by the machine's clock. */
const untilOf = ({ at, until, validUntil }: RecordEntry): number =>
  until ?? (validUntil === undefined ? at : validUntil + marginMillis)

/** The next line holds the result, because requests are answered one at a time. A signer that died wrote none. */
const hasEnded = (next: RecordEntry | undefined): boolean => next?.what === "signed" || next?.releases === true

export const spentIn = (entries: ReadonlyArray<RecordEntry>): ReadonlyArray<RecordEntry> =>
  entries.filter(({ what }, index) => what === "signed" || (what === "signing" && !hasEnded(entries[index + 1])))

export const countingIn = (
  spent: ReadonlyArray<RecordEntry>,
  millis: number,
  now: number
): ReadonlyArray<RecordEntry> => spent.filter((each) => untilOf(each) > now - millis)

export const aliveIn = (entries: ReadonlyArray<RecordEntry>, now: number): ReadonlyArray<RecordEntry> =>
  entries.filter((each) => each.what === "signed" && untilOf(each) > now)

export const unusedApprovals = (entries: ReadonlyArray<RecordEntry>, now: number): ReadonlyArray<RecordEntry> => {
  const used = new Set(spentIn(entries).flatMap(({ approvals = [] }) => approvals))
  return entries.filter(
    ({ approvals = [], validUntil = 0, what }) =>
      what === "approved" && validUntil > now && !approvals.some((nonce) => used.has(nonce))
  )
}

export const aliveFor = (
  depositAddress: string,
  entries: ReadonlyArray<RecordEntry>,
  now: number
): RecordEntry | undefined => aliveIn(entries, now).findLast((each) => each.depositAddress === depositAddress)

/** A repeated request gets the same bytes, whose nonce executes once. Signing different bytes could pay twice. */
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
