/**
 * What a person wants swapped, and the quote request that says so: what is left open is the account's own. The request is checked
 * against the contract before anything is sent.
 */
import { Effect, Option, Schema } from "effect"
import { type Asset, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { QuoteRequest } from "../../venue/wire/WireQuote.ts"
import type * as Wire from "../../venue/wire/WireValue.ts"
import { WrongUsage } from "../process/WrongUsage.ts"

/** Basis points. */
export const defaultSlippage = 100
export const defaultDeadlineMillis = 10 * minuteMillis

type DepositType = (typeof Wire.depositTypes)[number]

export interface Terms {
  /** In units of the asset that is paid; of the one received with EXACT_OUTPUT. */
  readonly amount: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
  readonly type: (typeof Wire.swapTypes)[number]
  readonly slippage: number
  readonly depositType: Option.Option<DepositType>
  readonly depositMode: (typeof Wire.depositModes)[number]
  readonly recipient: Option.Option<string>
  readonly recipientType: Option.Option<(typeof Wire.recipientTypes)[number]>
  readonly refundTo: Option.Option<string>
  readonly refundType: Option.Option<DepositType>
  /** How many milliseconds the deposit may take. */
  readonly deadline: number
  readonly confidentiality: (typeof Wire.confidentialities)[number]
  readonly referral: Option.Option<string>
  /** Basis points of the input by recipient. */
  readonly appFees: Option.Option<Record<string, string>>
  /** Percent by recipient. */
  readonly rebates: Option.Option<Record<string, string>>
  readonly insured: boolean
  readonly quoteWaiting: number
  readonly connectedWallets: ReadonlyArray<string>
  readonly sessionId: Option.Option<string>
  readonly virtualChainRecipient: Option.Option<string>
  readonly virtualChainRefundRecipient: Option.Option<string>
  readonly customRecipientMsg: Option.Option<string>
  readonly dry: boolean
}

/** As if only these were given: all else is the account's own. */
export const plain = ({
  amount,
  deadlineMillis = defaultDeadlineMillis,
  from,
  slippage = defaultSlippage,
  to,
  type = "EXACT_INPUT"
}: {
  readonly amount: string
  readonly from: string
  readonly to: string
  readonly type?: Terms["type"]
  readonly slippage?: number
  readonly deadlineMillis?: number
}): Terms => ({
  amount: Option.some(amount),
  from: Option.some(from),
  to: Option.some(to),
  type,
  slippage,
  deadline: deadlineMillis,
  depositType: Option.none(),
  depositMode: "SIMPLE",
  recipient: Option.none(),
  recipientType: Option.none(),
  refundTo: Option.none(),
  refundType: Option.none(),
  confidentiality: "public",
  referral: Option.none(),
  appFees: Option.none(),
  rebates: Option.none(),
  insured: false,
  quoteWaiting: 0,
  connectedWallets: [],
  sessionId: Option.none(),
  virtualChainRecipient: Option.none(),
  virtualChainRefundRecipient: Option.none(),
  customRecipientMsg: Option.none(),
  dry: false
})

export interface AskedSwap {
  readonly request: QuoteRequest
  readonly origin: Asset
  readonly destination: Asset
}

const usage = (message: string) => new WrongUsage({ message })

/** The quote request for these terms, checked against the contract before anything is sent. */
export const asked = Effect.fn("SwapRequest.asked")(function* (
  given: Terms,
  config: BotConfig,
  signerId: string,
  now: number
) {
  const origin = yield* assetOf(config, given.from, "FROM")
  const destination = yield* assetOf(config, given.to, "TO")
  const sized = given.type === "EXACT_OUTPUT" ? destination : origin
  const homeOf = ({ id }: Asset) => config.account.depositTypes.get(id)
  const depositType = Option.getOrElse(given.depositType, () => homeOf(origin) ?? config.account.depositType)
  const paidTo = homeOf(destination) ?? depositType
  const recipientType = Option.getOrElse(given.recipientType, () =>
    paidTo === "ORIGIN_CHAIN" ? "DESTINATION_CHAIN" : paidTo
  )
  const refundType = Option.getOrElse(given.refundType, () => depositType)
  const { recipients, refundTo } = config.account
  const party = (flag: Option.Option<string>, kind: string, known: ReadonlyMap<string, string>, symbol: string) =>
    Option.getOrUndefined(flag) ?? (kind.endsWith("_CHAIN") ? known.get(symbol) : signerId)
  const request = {
    dry: given.dry,
    swapType: given.type,
    slippageTolerance: given.slippage,
    originAsset: origin.id,
    depositType,
    destinationAsset: destination.id,
    amount: yield* amountOf(given.amount, sized),
    refundTo: yield* known(party(given.refundTo, refundType, refundTo, origin.symbol), "--refund-to", origin.symbol),
    refundType,
    recipient: yield* known(
      party(given.recipient, recipientType, recipients, destination.symbol),
      "--recipient",
      destination.symbol
    ),
    recipientType,
    deadline: Timestamp.format(now + given.deadline),
    depositMode: given.depositMode,
    confidentiality: given.confidentiality,
    quoteWaitingTimeMs: given.quoteWaiting,
    insured: given.insured,
    ...optionalFields(given)
  }
  const checked = yield* Effect.mapError(Schema.decodeUnknownEffect(QuoteRequest)(request), (error) =>
    usage(`Such a quote cannot be asked for: ${error.message}`)
  )
  if (!request.dry && depositType !== "ORIGIN_CHAIN" && request.depositMode === "MEMO") {
    return yield* usage(
      "A signed transfer cannot carry a memo: use --deposit-mode SIMPLE, or --deposit-type ORIGIN_CHAIN"
    )
  }
  return { request: checked, origin, destination } satisfies AskedSwap
})

const optionalFields = (given: Terms) => {
  const fields = {
    referral: Option.getOrUndefined(given.referral),
    sessionId: Option.getOrUndefined(given.sessionId),
    virtualChainRecipient: Option.getOrUndefined(given.virtualChainRecipient),
    virtualChainRefundRecipient: Option.getOrUndefined(given.virtualChainRefundRecipient),
    customRecipientMsg: Option.getOrUndefined(given.customRecipientMsg),
    connectedWallets: given.connectedWallets.length === 0 ? undefined : given.connectedWallets,
    appFees: pairs(given.appFees, (recipient, value) => ({ recipient, fee: Number(value) })),
    rebates: pairs(given.rebates, (recipient, value) => ({ recipient, share: Number(value) }))
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const pairs = <A>(flag: Option.Option<Record<string, string>>, each: (key: string, value: string) => A) =>
  Option.isNone(flag) ? undefined : Object.entries(flag.value).map(([key, value]) => each(key, value))

const assetOf = (config: BotConfig, name: Option.Option<string>, what: string): Effect.Effect<Asset, WrongUsage> => {
  if (Option.isNone(name)) return Effect.fail(usage("Say what to swap: limitbot swap AMOUNT FROM TO"))
  const { assets } = config.markets
  const found = assets.find(({ id, symbol }) => symbol === name.value || id === name.value)
  const symbols = assets.map(({ symbol }) => symbol).join(", ")
  return found === undefined
    ? Effect.fail(usage(`${what}: there is no asset "${name.value}" in the configuration (${symbols})`))
    : Effect.succeed(found)
}

const amountOf = (text: Option.Option<string>, asset: Asset): Effect.Effect<string, WrongUsage> => {
  const decimal = Decimal.parse(Option.getOrElse(text, () => ""))
  const amount = decimal === undefined ? undefined : fromDecimal(decimal, asset.decimals)
  if (amount !== undefined && amount > 0n) return Effect.succeed(String(amount))
  return Effect.fail(
    usage(`AMOUNT: expected a positive number with at most ${asset.decimals} decimal places, for ${asset.symbol}`)
  )
}

const known = (address: string | undefined, flag: string, symbol: string): Effect.Effect<string, WrongUsage> =>
  address === undefined
    ? Effect.fail(usage(`Where should ${symbol} go? Give ${flag}, or an address for ${symbol} in the configuration`))
    : Effect.succeed(address)
