/** Words the service's observed fees, the same on every screen. */
import type { LearnedFee } from "../../domain/EchoedFee.ts"
import { countText, iso } from "../../domain/Text.ts"

/** Such as "20 basis points of every input (echoed by 3 orders)". */
export const learnedText = ({ askedBasisPoints, basisPoints, orders }: LearnedFee): string => {
  const appFeeText = askedBasisPoints === 0 ? "" : ` that asked for ${askedBasisPoints} of app fees`
  return `${basisPoints} basis points of every input (echoed by ${countText(orders, "order")}${appFeeText})`
}

export const chargedLine = (fee: LearnedFee): string => `The service takes ${learnedText(fee)} in ${fee.market}.`

export const chargedRow = ({ askedBasisPoints, at, basisPoints, credential, market, orders }: LearnedFee) => ({
  market,
  credential,
  askedBasisPoints,
  basisPoints,
  orders,
  at: iso(at)
})
