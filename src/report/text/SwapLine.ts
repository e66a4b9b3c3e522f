/** A swap in words: one sentence per step, where its money is, and at the end the evidence. */
import { type Amount, type Asset, formatWithSymbol } from "../../domain/Amount.ts"
import { moneyOf, type SwapAccount, swapPlaces } from "../../domain/SwapAccount.ts"
import type { AgreedSwap, RecordedStep, SwapEvent, SwapEventOf } from "../../domain/SwapEvent.ts"
import { iso } from "../../domain/Text.ts"
import { clock } from "../../domain/Words.ts"
import { printable } from "./Table.ts"

/** The terms to agree to, line by line. */
export const terms = (agreed: AgreedSwap): ReadonlyArray<string> => {
  const { amountIn, amountOut, destination, minAmountOut, origin } = agreed
  const least = minAmountOut === undefined ? "" : `, at least ${formatWithSymbol(minAmountOut, destination)}`
  const signature = agreed.isSignatureVerified ? "verified with venue.quoteKey" : "not verified (no venue.quoteKey)"
  return [
    `pay        ${formatWithSymbol(amountIn, origin)}  (${agreed.swapType}, ${agreed.depositType})`,
    `receive    ${formatWithSymbol(amountOut, destination)}${least}`,
    ...feeOfMove(agreed),
    `recipient  ${agreed.recipient}  (${agreed.recipientType})`,
    `refunds    ${agreed.refundTo}  (${agreed.refundType})`,
    `address    ${agreed.depositAddress}${agreed.depositMemo === undefined ? "" : `  memo ${agreed.depositMemo}`}`,
    `until      ${iso(agreed.deadline)}`,
    `signature  ${signature}`
  ].map(printable)
}

/** An asset that becomes itself changes its place: what does not arrive is the fee. */
export const feeOfMove = ({
  amountIn,
  amountOut,
  destination,
  origin
}: Pick<AgreedSwap, "amountIn" | "amountOut" | "destination" | "origin">): ReadonlyArray<string> =>
  origin.id === destination.id ? [`fee        ${formatWithSymbol(amountIn - amountOut, origin)}`] : []

/** What a person who pays by hand must do. */
export const paymentOrder = ({
  amountIn,
  deadline,
  depositAddress,
  depositMemo,
  origin
}: AgreedSwap): ReadonlyArray<string> =>
  [
    `Pay exactly  ${formatWithSymbol(amountIn, origin)}  (${amountIn} smallest units of ${origin.id})`,
    `to           ${depositAddress}`,
    ...(depositMemo === undefined ? [] : [`with memo    ${depositMemo}   (without it the money goes back)`]),
    `before       ${iso(deadline)}   (what comes later is sent back, less fees)`
  ].map(printable)

/** What only the operator can find out, and how to continue. */
export const unclearPayment = ({ agreed, id, wallet }: SwapAccount): ReadonlyArray<string> =>
  wallet?.wallet === "command" && (wallet.state === "asked" || wallet.state === "unclear")
    ? [
        `Nobody knows whether the wallet paid ${formatWithSymbol(agreed.amountIn, agreed.origin)} to ${agreed.depositAddress}.`,
        "It is not asked again. If its deposit shows, the swap goes on by itself. If you are sure that it did not pay:",
        `limitbot swap --resume ${id} --pay-again`
      ].map(printable)
    : []

/** "12:34:56.789  s1  …". */
export const stepLine = ({ at, event, swap }: RecordedStep, agreed: AgreedSwap): string | undefined => {
  const text = sentence(event, agreed)
  return text === undefined ? undefined : printable(`${clock(at)}  ${swap}  ${text}`)
}

/** Without the agreed terms, which the journal has in full. */
export const stepSaid = ({ event, swap }: Pick<RecordedStep, "event" | "swap">): readonly [string] | undefined => {
  switch (event._tag) {
    case "SwapAgreed":
    case "IntentSigned":
    case "WalletAsked":
      return [`swap ${swap}: ${event._tag === "SwapAgreed" ? "agreed" : "pays"}`]
    case "SwapDropped":
    case "SwapInDoubt":
      return [
        `swap ${swap}: ${event._tag === "SwapDropped" ? "given up, nothing was paid" : "IN DOUBT"}: ${event.reason}`
      ]
    case "SwapEnded":
      return [`swap ${swap}: ${event.outcome}: ${event.text}`]
    default:
      return undefined
  }
}

const sentence = (event: SwapEvent, { destination, origin }: AgreedSwap): string | undefined => {
  const paid = (amount: Amount) => formatWithSymbol(amount, origin)
  switch (event._tag) {
    case "SwapAgreed":
      return `agreed: ${paid(event.amountIn)} for ${formatWithSymbol(event.amountOut, destination)}`
    case "SwapDropped":
      return `given up, nothing was paid: ${event.reason}`
    case "IntentSigned":
      return `signed ${paid(event.amount)} (intent ${event.intentHash})`
    case "IntentSent":
      return event.attempt === 1 ? undefined : `sends the same signed bytes again (attempt ${event.attempt})`
    case "IntentAcknowledged":
      return "the venue has the payment"
    case "IntentAnswered":
      return `the venue answered the payment with ${event.code}: ${event.text}`
    case "IntentDead":
      return event.reason
    case "SwapInDoubt":
      return `IN DOUBT: ${event.reason}`
    case "SwapResolved":
      return `taken as ${event.word}: ${event.text}`
    case "WalletAsked":
      return event.wallet === "manual"
        ? `waits for a payment of ${paid(event.amount)} by hand`
        : `asks the wallet to pay ${paid(event.amount)} (attempt ${event.attempt})`
    case "WalletPaid":
      return `the wallet paid: transaction ${event.txHash}`
    case "WalletRefused":
      return `the wallet sent nothing: ${event.text}`
    case "WalletUnclear":
      return `UNCLEAR whether the wallet paid: ${event.text}; it is not asked again`
    case "WalletReleased":
      return `the operator says that nothing was paid: ${event.reason}`
    case "DepositReported":
      return "told the venue of the transaction"
    case "SwapSeen":
      return seenText(event, paid)
    case "SwapContradicted":
      return `CONTRADICTION: ${event.what} (${event.evidence})`
    case "SwapEnded":
      return event.outcome === "paid" ? `completed, ${event.text}` : `ended ${event.outcome}: ${event.text}`
  }
}

/** That nothing has arrived yet is no news. */
const seenText = ({ deposited, status }: SwapEventOf<"SwapSeen">, paid: (amount: Amount) => string) =>
  deposited === undefined || deposited === 0n
    ? status === "PENDING_DEPOSIT"
      ? undefined
      : `venue says ${status}`
    : `venue says ${status}, ${paid(deposited)} deposited`

/** Everything that proves how a swap ended. */
export const evidence = (account: SwapAccount) => {
  const { agreed, intent, seen, timeline, wallet } = account
  const money = moneyOf(account)
  const correlationIds = timeline.flatMap(({ event }) =>
    "correlationId" in event && event.correlationId !== undefined ? [event.correlationId] : []
  )
  return {
    swap: account.id,
    phase: account.phase,
    outcome: account.ended?.outcome ?? null,
    text: account.ended?.text ?? null,
    contradiction: account.contradiction ?? null,
    status: seen?.status ?? null,
    origin: agreed.origin.symbol,
    destination: agreed.destination.symbol,
    depositAddress: agreed.depositAddress,
    depositMemo: agreed.depositMemo ?? null,
    quotedIn: String(agreed.amountIn),
    quotedOut: String(agreed.amountOut),
    deposited: said(seen?.deposited),
    amountIn: said(seen?.amountIn),
    amountOut: said(seen?.amountOut),
    refunded: said(seen?.refunded),
    refundReason: seen?.refundReason ?? null,
    money: Object.fromEntries(swapPlaces.map((place) => [place, String(money.input[place])])),
    received: String(money.received),
    intentHash: intent?.intentHash ?? null,
    txHash: wallet?.txHash ?? null,
    intentHashes: seen?.intentHashes ?? [],
    ledgerTxHashes: seen?.ledgerTxHashes ?? [],
    originTxHashes: seen?.originTxHashes ?? [],
    destinationTxHashes: seen?.destinationTxHashes ?? [],
    correlationIds: [...new Set(correlationIds)]
  }
}

const said = (amount: Amount | undefined): string | null => (amount === undefined ? null : String(amount))

/** The evidence for people. */
export const evidenceLines = (account: SwapAccount): ReadonlyArray<string> => {
  const { agreed } = account
  const money = moneyOf(account)
  const amount = (value: Amount, asset: Asset) => formatWithSymbol(value, asset)
  const found = evidence(account)
  const places = swapPlaces.flatMap((place) =>
    money.input[place] === 0n ? [] : [`${place} ${amount(money.input[place], agreed.origin)}`]
  )
  const hashes = [
    ["intents", found.intentHashes],
    ["on the home ledger", found.ledgerTxHashes],
    ["on the origin chain", found.originTxHashes],
    ["on the destination chain", found.destinationTxHashes]
  ] as const
  return [
    `Swap ${account.id}: ${found.outcome ?? account.phase}${found.text === null ? "" : `: ${found.text}`}`,
    `  paid in    ${places.join(", ") || "nothing"}`,
    `  received   ${amount(money.received, agreed.destination)}`,
    ...hashes.flatMap(([where, list]) => (list.length === 0 ? [] : [`  ${where}: ${list.join(", ")}`])),
    `  address    ${agreed.depositAddress}${agreed.depositMemo === undefined ? "" : ` memo ${agreed.depositMemo}`}`,
    `  correlation ids: ${found.correlationIds.join(", ") || "none"}`,
    ...(account.contradiction === undefined ? [] : [`  CONTRADICTION: ${account.contradiction}`])
  ].map(printable)
}
