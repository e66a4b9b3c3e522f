/**
 * Determines the policies that a signer obeys: the one of its own file, or the signed policy and the earlier ones in its record. A new
 * signed policy is recorded when the signer first sees it. The signer does not start with an older number, with another text of the same
 * number, or without a signed policy if the record has one.
 *
 * A policy holds from the time at which the signer first sees it. Earlier policies hold beside it until their own lock has passed since
 * then, and a payment has to satisfy all of them. So a new policy forbids at once, and allows more only after the lock. Each arrival is in
 * the signer's record, so a restart changes nothing, and an older policy does not come back.
 */
import { Clock, Effect, Schema } from "effect"
import { countText, utc } from "../../domain/Text.ts"
import * as PolicyFile from "../files/PolicyFile.ts"
import type { Ruling } from "../files/SignerFile.ts"
import * as CountedTime from "../remote/CountedTime.ts"
import type { Policy } from "../remote/Policy.ts"
import type * as Record from "../remote/Record.ts"

export class PolicyRefused extends Schema.TaggedError<PolicyRefused>()("PolicyRefused", { message: Schema.String }) {}

export interface Arrival extends Omit<PolicyFile.SignedPolicy, "account"> {
  readonly at: number
}

interface PolicyInForce extends Arrival {
  /** `undefined` for the newest policy. */
  readonly until: number | undefined
}

/** In the order of arrival. If a policy arrives while an older one is in force, the older one's lock starts again. */
const inForceOf = (arrivals: ReadonlyArray<Arrival>): ReadonlyArray<PolicyInForce> =>
  arrivals.map((arrival, index) => {
    let until: number | undefined
    for (const { at } of arrivals.slice(index + 1))
      if (until === undefined || at < until) until = Math.max(until ?? 0, at + arrival.lockMillis)
    return { ...arrival, until }
  })

export const holdingAt = (arrivals: ReadonlyArray<Arrival>, now: number): ReadonlyArray<PolicyInForce> =>
  inForceOf(arrivals).filter(({ until }) => until === undefined || now < until)

export const arrivalsIn = Effect.fnUntraced(function* ({ entries }: Pick<Record.Record, "entries">) {
  const arrivals: Array<Arrival> = []
  for (const { at, text = "", what } of entries) {
    if (what !== "policy") continue
    arrivals.push({ at, ...(yield* Effect.fromResult(PolicyFile.parse(text, "a policy of the record"))) })
  }
  return arrivals
})

export const begin = Effect.fn("Ruled.begin")(function* (ruling: Ruling, record: Record.Record, account: string) {
  const last = record.entries.findLast(({ what }) => what === "policy")
  if ("policy" in ruling) {
    if (last === undefined) return
    return yield* new PolicyRefused({
      message: `The record has a signed policy, number ${last.version}: set it in the signer's file (policy, policyKey)`
    })
  }
  const { file, signed, text } = ruling
  if (signed.account !== account)
    return yield* new PolicyRefused({ message: `${file} is for ${signed.account}; this signs for ${account}` })
  if (text === last?.text) return
  if (last?.version !== undefined && signed.version <= last.version)
    return yield* new PolicyRefused({
      message: `${file} has the number ${signed.version}, but number ${last.version} was already used: a changed policy needs a larger number`
    })
  yield* record.append({ at: yield* CountedTime.start(record.entries), what: "policy", version: signed.version, text })
})

export const of = Effect.fn("Ruled.of")(function* (ruling: Ruling, record: Record.Record) {
  if ("policy" in ruling) return (): ReadonlyArray<Policy> => [ruling.policy]
  const arrivals = yield* arrivalsIn(record)
  return (now: number): ReadonlyArray<Policy> => holdingAt(arrivals, now).map(({ policy }) => policy)
})

export const summaryOf = Effect.fn("Ruled.summary")(function* (ruling: Ruling, record: Pick<Record.Record, "entries">) {
  if ("policy" in ruling) return countText(ruling.policy.caps.size, "asset")
  const now = yield* Clock.currentTimeMillis
  const holding = holdingAt(yield* arrivalsIn(record), now)
  const older = holding.flatMap(({ until, version }) => (until === undefined ? [] : [`${version} until ${utc(until)}`]))
  const beside = older.length === 0 ? "" : `, beside it ${older.join(", ")}`
  return `${countText(ruling.signed.policy.caps.size, "asset")} by policy ${ruling.signed.version}${beside}`
})
