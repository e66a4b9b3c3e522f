/** What the service was seen to take of orders, in words. */
import type { LearnedFee } from "../../domain/EchoedFee.ts"
import { counted } from "./Words.ts"

/** Such as "20 basis points of every input (echoed by 3 orders)". */
export const learnedText = ({ askedBasisPoints, basisPoints, orders }: LearnedFee): string => {
  const asked = askedBasisPoints === 0 ? "" : ` that asked for ${askedBasisPoints} of app fees`
  return `${basisPoints} basis points of every input (echoed by ${counted(orders, "order")}${asked})`
}
