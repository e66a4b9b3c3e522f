/** Writes a swap by hand in words: one sentence per step, and at the end the places of its money and the evidence. */
import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import { printable } from "../../domain/Text.ts"
import { clock } from "../../domain/Words.ts"
import { unclearPayment } from "../../engine/funding/Paying.ts"
import * as SwapHistory from "../../engine/state/swaps/SwapHistory.ts"
import * as EventLine from "../../report/text/EventLine.ts"
import { swapView } from "../../views/Swaps.ts"

export const unclearLines = ({ agreed, id, placement }: SwapHistory.SwapHistory): ReadonlyArray<string> =>
  unclearPayment(placement) === undefined
    ? []
    : [
        `Unclear if the wallet paid ${formatWithSymbol(agreed.amountIn, agreed.origin)} to ${agreed.depositAddress}.`,
        "It is not asked again. If its deposit shows, the swap continues by itself. If you are sure that it did not pay:",
        `limitbot swap --resume ${id} --pay-again`
      ].map(printable)

export const stepLine = (step: SwapHistory.SwapStep, swap: SwapHistory.SwapHistory): string | undefined => {
  const text = sentence(step, swap)
  return text === undefined ? undefined : printable(`${clock(step.at)}  ${swap.id}  ${text}`)
}

const sentence = ({ event }: SwapHistory.SwapStep, swap: SwapHistory.SwapHistory): string | undefined => {
  const { amountIn, amountOut, destination, origin } = swap.agreed
  const amountText = (amount: Amount) => formatWithSymbol(amount, origin)
  switch (event._tag) {
    case "Planned":
      return `agreed: ${amountText(amountIn)} for ${formatWithSymbol(amountOut, destination)}`
    case "FundingSigned":
      return `signed ${amountText(event.amount)} (intent ${event.intentHash})`
    case "FundingSent":
      return event.attempt === 1 ? undefined : `sends the same signed bytes again (attempt ${event.attempt})`
    case "FundingAcknowledged":
      return "the venue has the payment"
    case "PaymentReported":
      return "reported the transaction to the venue"
    // The venue's report covers these.
    case "DepositSeen":
    case "FillSeen":
    case "Closed":
    case "PaidOut":
    case "Refunded":
      return undefined
    case "SwapReported": {
      const { deposited = 0n, status } = event
      if (deposited > 0n) return `venue reports ${status}, ${amountText(deposited)} deposited`
      // A deposit that has not arrived yet is no news.
      return status === "PENDING_DEPOSIT" ? undefined : `venue reports ${status}`
    }
    case "Settled": {
      const end = SwapHistory.endOf(swap)
      return end?.outcome === "paid" ? `completed, ${end.text}` : `ended ${end?.outcome}: ${end?.text}`
    }
    default:
      return EventLine.describe(event, new Map([origin, destination].map((asset) => [asset.symbol, asset])))?.text
  }
}

export const evidenceLines = (swap: SwapHistory.SwapHistory): ReadonlyArray<string> => {
  const { agreed } = swap
  const money = SwapHistory.moneyOf(swap)
  const view = swapView(swap)
  const places = SwapHistory.swapPlaces.flatMap((place) =>
    money.input[place] === 0n ? [] : [`${place} ${formatWithSymbol(money.input[place], agreed.origin)}`]
  )
  const hashes = [
    ["intents", view.intentHashes],
    ["on the home ledger", view.ledgerTxHashes],
    ["on the origin chain", view.originTxHashes],
    ["on the destination chain", view.destinationTxHashes]
  ] as const
  return [
    `Swap ${swap.id}: ${view.outcome ?? view.phase}${view.text === null ? "" : `: ${view.text}`}`,
    `  paid in    ${places.join(", ") || "nothing"}`,
    `  received   ${formatWithSymbol(money.received, agreed.destination)}`,
    ...hashes.flatMap(([where, list]) => (list.length === 0 ? [] : [`  ${where}: ${list.join(", ")}`])),
    `  address    ${agreed.depositAddress}${agreed.depositMemo === undefined ? "" : ` memo ${agreed.depositMemo}`}`,
    `  correlation ids: ${view.correlationIds.join(", ") || "none"}`,
    ...(view.contradiction === null ? [] : [`  CONTRADICTION: ${view.contradiction}`])
  ].map(printable)
}
