/** Turns the terms of a swap into a quote request, with defaults from the account, checks it, and requests the quote. */
import { Effect, Schema } from "effect"
import { type Asset, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import type { AgreedSwap } from "../../domain/SwapRecord.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { BotConfig, BotSettings } from "../../files/ConfigFile.ts"
import { type WrongUsage, wrongUsage } from "../../process/WrongUsage.ts"
import { Swaps } from "../../venue/Swaps.ts"
import { QuoteRequest } from "../../venue/wire/WireQuote.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import { commandFailed } from "../CommandFailed.ts"

type Field =
  | ("depositType" | "recipient" | "recipientType" | "refundTo" | "refundType" | "referral" | "connectedWallets")
  | ("sessionId" | "virtualChainRecipient" | "virtualChainRefundRecipient" | "customRecipientMsg")
  | "confidentiality"

type Fields = { readonly [Name in Field]?: QuoteRequest[Name] | undefined }

export interface Terms extends Fields, Pick<QuoteRequest, "depositMode" | "insured" | "dry"> {
  /** Units of the paid asset; with EXACT_OUTPUT of the received one. */
  readonly amount?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly type: QuoteRequest["swapType"]
  /** Basis points. */
  readonly slippage: number
  /** Milliseconds for the deposit. */
  readonly deadline: number
  /** Basis points of the input, by recipient. */
  readonly appFees?: Record<string, string> | undefined
  /** Percent, by recipient. */
  readonly rebates?: Record<string, string> | undefined
  readonly quoteWaiting: number
}

export const usual = {
  type: "EXACT_INPUT",
  slippage: 100,
  deadline: 10 * minuteMillis,
  depositMode: "SIMPLE",
  insured: false,
  quoteWaiting: 0,
  dry: false
} as const satisfies Terms

export interface AskedSwap {
  readonly request: QuoteRequest
  readonly origin: Asset
  readonly destination: Asset
}

type Settings = Pick<BotSettings, "account" | "markets" | "venue">

/** Public if nothing else is set, unless the service makes confidential swaps only. */
const confidentialityOf = ({ account, venue }: Settings): QuoteRequest["confidentiality"] =>
  account.terms.confidentiality ?? (venue.facts.orders.quotes === "public" ? "public" : "basic")

export const requestOf = Effect.fn("SwapRequest.asked")(function* (
  given: Terms,
  config: Settings,
  signerId: string,
  now: number
) {
  const origin = yield* assetOf(config, given.from, "FROM")
  const destination = yield* assetOf(config, given.to, "TO")
  const sized = given.type === "EXACT_OUTPUT" ? destination : origin
  const homeOf = ({ id }: Asset) => config.account.depositTypes.get(id)
  const depositType = given.depositType ?? homeOf(origin) ?? config.account.depositType
  const paidTo = homeOf(destination) ?? depositType
  const recipientType = given.recipientType ?? (paidTo === "ORIGIN_CHAIN" ? "DESTINATION_CHAIN" : paidTo)
  const refundType = given.refundType ?? depositType
  const { recipients, refundTo } = config.account
  const party = (
    chosen: string | undefined,
    kind: string,
    known: ReadonlyMap<string, string>,
    { symbol }: Asset,
    flag: string
  ) =>
    Effect.fromNullishOr(chosen ?? (kind.endsWith("_CHAIN") ? known.get(symbol) : signerId)).pipe(
      Effect.mapError(() =>
        wrongUsage(`Where should ${symbol} go? Set ${flag}, or an address for ${symbol} in the configuration`)
      )
    )
  const { appFees, rebates } = given
  // The schema keeps the fields of a request and drops the other terms.
  const request = present({
    ...given,
    confidentiality: given.confidentiality ?? confidentialityOf(config),
    swapType: given.type,
    slippageTolerance: given.slippage,
    originAsset: origin.id,
    depositType,
    destinationAsset: destination.id,
    amount: yield* amountOf(given.amount, sized),
    refundTo: yield* party(given.refundTo, refundType, refundTo, origin, "--refund-to"),
    refundType,
    recipient: yield* party(given.recipient, recipientType, recipients, destination, "--recipient"),
    recipientType,
    deadline: Timestamp.format(now + given.deadline),
    quoteWaitingTimeMs: given.quoteWaiting,
    appFees: appFees && Object.entries(appFees).map(([recipient, fee]) => ({ recipient, fee: Number(fee) })),
    rebates: rebates && Object.entries(rebates).map(([recipient, share]) => ({ recipient, share: Number(share) }))
  })
  const checked = yield* Effect.mapError(Schema.decodeUnknownEffect(QuoteRequest)(request), (error) =>
    wrongUsage(`Invalid quote request: ${error.message}`)
  )
  if (!given.dry && depositType !== "ORIGIN_CHAIN" && given.depositMode === "MEMO") {
    return yield* wrongUsage(
      "A signed transfer cannot carry a memo: use --deposit-mode SIMPLE, or --deposit-type ORIGIN_CHAIN"
    )
  }
  return { request: checked, origin, destination } satisfies AskedSwap
})

const assetOf = (config: Settings, name: string | undefined, what: string): Effect.Effect<Asset, WrongUsage> => {
  if (name === undefined) return Effect.fail(wrongUsage("Name the swap: limitbot swap AMOUNT FROM TO"))
  const { assets } = config.markets
  const matchingAsset = assets.find(({ id, symbol }) => symbol === name || id === name)
  const symbols = assets.map(({ symbol }) => symbol).join(", ")
  return matchingAsset === undefined
    ? Effect.fail(wrongUsage(`${what}: no asset "${name}" in the configuration (${symbols})`))
    : Effect.succeed(matchingAsset)
}

const amountOf = (text: string | undefined, asset: Asset): Effect.Effect<string, WrongUsage> => {
  const decimal = Decimal.parse(text ?? "")
  const amount = decimal === undefined ? undefined : fromDecimal(decimal, asset.decimals)
  if (amount !== undefined && amount > 0n) return Effect.succeed(String(amount))
  return Effect.fail(
    wrongUsage(`AMOUNT: expected a positive number with at most ${asset.decimals} decimal places, for ${asset.symbol}`)
  )
}

const quoteUnusable = (why: string) => commandFailed(`The venue's quote is unusable: ${why}. Nothing was paid.`)

/** Requests a quote. Returns exact amounts to accept, or the reason why the quote is unusable. */
export const quoted = Effect.fn("SwapTerms.quoted")(function* (
  { destination, origin, request }: AskedSwap,
  { config, signerId }: { readonly config: BotConfig; readonly signerId: string }
) {
  const { correlationId, value } = yield* (yield* Swaps).quote(request)
  const { quote } = value
  const required = <A>(what: string, text: string | undefined, parse: (text: string) => A | undefined) => {
    const parsed = text === undefined ? undefined : parse(text)
    return parsed === undefined
      ? Effect.fail(quoteUnusable(`its ${what} is missing or unusable`))
      : Effect.succeed(parsed)
  }
  const optional = (name: "minAmountIn" | "minAmountOut" | "refundFee") => {
    const amount = Wire.parseAmount(quote[name] ?? "")
    return amount === undefined ? {} : { [name]: amount }
  }
  const isInternal = request.depositType !== "ORIGIN_CHAIN"
  if (isInternal && quote.depositMemo !== undefined) {
    return yield* quoteUnusable("it needs a memo, which a signed transfer cannot carry")
  }
  const { depositType, recipient, recipientType, refundTo, refundType, swapType } = request
  const agreed: AgreedSwap = {
    venue: config.venue.url,
    account: signerId,
    isSignatureVerified: config.venue.quoteKey !== undefined,
    swapType,
    origin,
    destination,
    depositType,
    depositAddress: yield* required("deposit address", quote.depositAddress, Wire.parseName),
    ...present({ depositMemo: quote.depositMemo }),
    amountIn: yield* required("amountIn", quote.amountIn, Wire.parseAmount),
    amountOut: yield* required("amountOut", quote.amountOut, Wire.parseAmount),
    ...optional("minAmountIn"),
    ...optional("minAmountOut"),
    ...optional("refundFee"),
    recipient,
    recipientType,
    refundTo,
    refundType,
    deadline: yield* required("deadline", quote.deadline ?? request.deadline, Timestamp.parse),
    quote: JSON.stringify(value),
    ...present({ correlationId })
  }
  return agreed
})
