/**
 * What a signer process may sign, whoever asks: only named assets, no more at once and per day than its own caps, and
 * one payload per deposit address until that payload can no longer be executed.
 */
import type { Amount } from "../../domain/Amount.ts"
import { dayMillis, hourMillis } from "../../domain/Durations.ts"
import type { RecordEntry } from "./Record.ts"

export interface Cap {
  readonly symbol: string
  /** Smallest units. */
  readonly maxTransfer: Amount
  readonly maxPerDay: Amount
}

export interface PaymentToSign {
  readonly depositAddress: string
  /** The venue's id. */
  readonly asset: string
  readonly amount: Amount
}

/** The check that fails, what it expects and what it found. */
export type Objection = readonly [check: string, expected: string, found: string]

/** Verifiers' clocks may be behind: a payload counts as alive for this long after its deadline. */
const marginMillis = 60_000
/** The most session-opening messages in an hour. */
const mostLogins = 60

/** A payload that was signed for an address and may still be executed. */
const aliveFor = (depositAddress: string, entries: ReadonlyArray<RecordEntry>, now: number): RecordEntry | undefined =>
  entries.findLast(
    (each) =>
      each.what === "signed" && each.depositAddress === depositAddress && (each.validUntil ?? 0) + marginMillis > now
  )

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

/** Checks of its own file: nothing speaks against the payload, and another day or another file may allow it. */
export const ownChecks: ReadonlySet<string> = new Set(["asset", "maxTransfer", "maxPerDay"])

export const objectionTo = (
  { amount, asset, depositAddress }: PaymentToSign,
  caps: ReadonlyMap<string, Cap>,
  entries: ReadonlyArray<RecordEntry>,
  now: number
): Objection | undefined => {
  const cap = caps.get(asset)
  if (cap === undefined) return ["asset", "an asset of the signer's own file", asset]
  if (amount <= 0n) return ["amount", "a positive amount", String(amount)]
  if (amount > cap.maxTransfer) return ["maxTransfer", `at most ${cap.maxTransfer}`, String(amount)]
  const signed = entries.filter(({ what }) => what === "signed")
  if (aliveFor(depositAddress, entries, now) !== undefined)
    return ["deposit address", "one that was not paid yet", depositAddress]
  const today = signed
    .filter((each) => each.asset === asset && each.at > now - dayMillis)
    .reduce((sum, each) => sum + BigInt(each.amount ?? "0"), 0n)
  return today + amount > cap.maxPerDay
    ? ["maxPerDay", `at most ${cap.maxPerDay} in 24 hours`, String(today + amount)]
    : undefined
}

export const objectionToLogin = (entries: ReadonlyArray<RecordEntry>, now: number): Objection | undefined => {
  const lately = entries.filter(({ at, what }) => what === "login" && at > now - hourMillis).length
  return lately >= mostLogins ? ["login", `at most ${mostLogins} in an hour`, String(lately + 1)] : undefined
}
