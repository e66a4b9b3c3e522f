/** Derives the rules of fills from the measured behaviour of the venue (see `Calibration`). */
import { type Calibration, enough, type Measured } from "../../../ledger/measured/Calibration.ts"
import type { FillMode } from "../kernel/FillPresets.ts"
import type { FillRules } from "../kernel/FillRules.ts"

/** For times, the optimistic side gets p25 of the orders, the pessimistic side p90. */
export const rulesFor = (calibration: Calibration, mode: FillMode): Partial<FillRules> => {
  const { place, payout, cancel, edge } = calibration
  const value = ({ p25, p90 }: Measured): number => (mode === "optimistic" ? p25 : p90)
  return {
    ...(place.count < enough ? {} : { placeMillis: value(place) }),
    ...(payout.count < enough ? {} : { payoutMillis: value(payout) }),
    ...(cancel.count < enough ? {} : { cancelMillis: value(cancel) }),
    ...(edge.count < enough ? {} : { edgeBasisPoints: hundredths(marginOf(calibration, mode)) })
  }
}

const marginOf = ({ edge, early, late }: Calibration, mode: FillMode): number => {
  if (mode === "pessimistic") return Math.max(edge.p50, late.p90)
  return early.p90 > 0 ? 0 : Math.min(edge.p25, late.p50)
}

const hundredths = (value: number): number => Math.round(value * 100) / 100
