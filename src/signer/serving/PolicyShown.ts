/**
 * A policy as `limitbot signer policy` prints it: all its restrictions, and the used part of each cap. A policy that is shown in part looks
 * looser than it is.
 */
import { format } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { iso } from "../../domain/Text.ts"
import { hoursText } from "../files/PolicyFile.ts"
import type { Arrival } from "../remote/PoliciesInForce.ts"
import { spans, totalsOf, usedOf } from "../remote/Policy.ts"
import type { RecordEntry } from "../remote/Record.ts"

interface Shown extends Pick<Arrival, "policy"> {
  readonly until?: number | undefined
  /** Null for the policy in the signer's own file. */
  readonly version: number | null
}

export const dataOf = ({ policy, until, version }: Shown, entries: ReadonlyArray<RecordEntry>, now: number) => ({
  version,
  until: until === undefined ? null : iso(until),
  payments: [...policy.caps.values()].map(({ approveAbove, decimals, maxTransfer, symbol }) => ({
    asset: symbol,
    maxTransfer: format(maxTransfer, decimals),
    approveAbove: approveAbove === undefined ? null : format(approveAbove, decimals)
  })),
  caps: usedOf(policy, entries, now).map(({ decimals, most, name, symbol, used }) => ({
    asset: symbol,
    cap: name,
    used: format(used, decimals),
    most: format(most, decimals)
  })),
  total: totalsOf(policy, entries, now).map(({ most, name, used }) => ({
    cap: name,
    used: Decimal.format(used),
    most: Decimal.format(most)
  })),
  hours: policy.hours?.map(hoursText) ?? null,
  destinations: policy.destinations ?? null,
  approvers: policy.approvers ?? null
})

type Said = ReturnType<typeof dataOf>

export const linesOf = ({ approvers, caps, destinations, hours, payments, total, until, version }: Said) => [
  `${version === null ? "The policy of the signer's file" : `Policy ${version}`}${until === null ? "" : `, until ${until}`}`,
  ...payments.flatMap(({ approveAbove, asset, maxTransfer }) => [
    `  ${asset}: at most ${maxTransfer} at once${approveAbove === null ? "" : `, more than ${approveAbove} only with an approval`}`,
    ...caps
      .filter((cap) => cap.asset === asset)
      .map(({ cap, most, used }) => `  ${asset}: ${used} of ${most} in ${spans[cap].said}`)
  ]),
  ...total.map(({ cap, most, used }) => `  everything together: ${used} of ${most} in ${spans[cap].said}`),
  ...listed("signs only (UTC)", hours),
  ...listed("pays only", destinations),
  ...listed("approvers", approvers)
]

const listed = (title: string, all: ReadonlyArray<string> | null): ReadonlyArray<string> =>
  all === null ? [] : [`  ${title}: ${all.join(", ")}`]
