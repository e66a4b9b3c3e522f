/**
 * Evidence of the partner's history about payments in doubt and about swaps that the venue ended without amounts. Its line proves a payment
 * by our payload's hash or by money at the order's own address. It never proves that none was made, because lines lag and masked ones are
 * left out. Balances prove neither: a payout, a refund or the owner may move an equal amount at the same time.
 */
import type { OperatorAnswer } from "../funding/Problems.ts"
import type { Placement, PlacementIn } from "../state/Placement.ts"
import { isBareSuccess } from "../tracking/amounts/BareSuccess.ts"
import { addressKey, type HistoryLine } from "./Reconciliation.ts"

const accepted: ReadonlySet<string> = new Set(["PROCESSING", "SUCCESS", "REFUNDED"])

export const provenPaid = (
  placements: Iterable<Placement>,
  history: ReadonlyMap<string, HistoryLine>
): ReadonlyArray<OperatorAnswer> =>
  [...placements].flatMap((placement) => {
    const line = placement.order && history.get(addressKey(placement.order))
    if (isBareSuccess(placement) && line?.status === "SUCCESS" && line.amountOut > 0n) {
      const { amountOut: received } = line
      return [{ placement: placement.id, word: "paid", received, text: `the history shows ${received} received` }]
    }
    if (placement.state !== "in doubt") return []
    const proof = line === undefined ? undefined : proofIn(line, placement)
    return proof === undefined ? [] : [{ placement: placement.id, word: "paid", text: `the history shows ${proof}` }]
  })

const proofIn = (
  { amountIn, hashes, status }: HistoryLine,
  { funding: { intentHash }, order }: PlacementIn<"in doubt">
): string | undefined => {
  if (intentHash !== "" && hashes.some((hash) => hash.split(",").includes(intentHash)))
    return `its payload ${intentHash} as executed`
  if (amountIn > 0n || accepted.has(status)) return `money at ${order.depositAddress}, status ${status}`
  return undefined
}
