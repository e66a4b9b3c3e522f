/** The flags of `limitbot swap`: every field of a quote request, with the configuration's account as the default. */

import { Effect, Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { type Asset, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { QuoteRequest } from "../../venue/wire/WireQuote.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"
import { DurationText } from "../flags.ts"
import { WrongUsage } from "../Usage.ts"

const BasisPoints = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

const defaultSlippage = 100
const defaultDeadlineMillis = 10 * minuteMillis

export const terms = {
  amount: Argument.String("amount").pipe(
    Argument.withDescription("How much, in units of the asset that is paid (of the one received with EXACT_OUTPUT)"),
    Argument.optional
  ),
  from: Argument.String("from").pipe(Argument.withDescription("The asset to pay with"), Argument.optional),
  to: Argument.String("to").pipe(Argument.withDescription("The asset to receive"), Argument.optional),
  type: Flag.Literals("type", Wire.swapTypes).pipe(
    Flag.withDescription("Which side is fixed"),
    Flag.withDefault("EXACT_INPUT" as const)
  ),
  slippage: Flag.Finite("slippage").pipe(
    Flag.withSchema(BasisPoints),
    Flag.withDescription("How much worse than quoted it may become, in basis points"),
    Flag.withDefault(defaultSlippage)
  ),
  depositType: Flag.Literals("deposit-type", Wire.depositTypes).pipe(
    Flag.withDescription("Where the payment comes from; default: account.depositType"),
    Flag.optional
  ),
  depositMode: Flag.Literals("deposit-mode", Wire.depositModes).pipe(
    Flag.withDescription("MEMO: a shared address that tells payments apart by memo"),
    Flag.withDefault("SIMPLE" as const)
  ),
  recipient: flags.text("recipient", "Who is paid; default: our account, or account.recipients on another chain"),
  recipientType: Flag.Literals("recipient-type", Wire.recipientTypes).pipe(
    Flag.withDescription("Where the recipient is; default: as --deposit-type, on another chain DESTINATION_CHAIN"),
    Flag.optional
  ),
  refundTo: flags.text("refund-to", "Who gets refunds; default: our account, or account.refundTo on another chain"),
  refundType: Flag.Literals("refund-type", Wire.depositTypes).pipe(
    Flag.withDescription("Where refunds go; default: as --deposit-type"),
    Flag.optional
  ),
  deadline: Flag.String("deadline").pipe(
    Flag.withSchema(DurationText),
    Flag.withDescription("How long the deposit may take, for example 10m"),
    Flag.withDefault(defaultDeadlineMillis)
  ),
  confidentiality: Flag.Literals("confidentiality", Wire.confidentialities).pipe(
    Flag.withDescription("How public the swap is"),
    Flag.withDefault("public" as const)
  ),
  referral: flags.text("referral", "Who sent you, for the venue's records"),
  appFees: Flag.KeyValuePair("app-fee").pipe(
    Flag.withDescription("recipient=basis points of the input; may be repeated"),
    Flag.optional
  ),
  rebates: Flag.KeyValuePair("rebate").pipe(
    Flag.withDescription("recipient=share in percent; at most three, together 100"),
    Flag.optional
  ),
  insured: flags.toggle("insured", "Costs two basis points more"),
  quoteWaiting: Flag.Int("quote-waiting-ms").pipe(
    Flag.withDescription("How long the venue may look for a better quote"),
    Flag.withDefault(0)
  ),
  connectedWallets: Flag.String("connected-wallet").pipe(
    Flag.withDescription("Of the one who asks; may be repeated"),
    Flag.between(0, 20)
  ),
  sessionId: flags.text("session-id", "Of the one who asks"),
  virtualChainRecipient: flags.text("virtual-chain-recipient", "For chains that the venue keeps itself"),
  virtualChainRefundRecipient: flags.text("virtual-chain-refund-recipient", "The same for refunds"),
  customRecipientMsg: flags.text("custom-recipient-msg", "A message to the contract that is paid"),
  dry: flags.toggle("dry", "Only the quote: nothing is created or paid")
}

type Value<P> = P extends Flag.Flag<infer A> ? A : P extends Argument.Argument<infer A> ? A : never
export type Terms = { readonly [K in keyof typeof terms]: Value<(typeof terms)[K]> }

/** As if only these flags were given: all else is the account's own. */
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

/** The quote request that the flags give, checked against the contract before anything is sent. */
export const asked = Effect.fn("SwapFlags.asked")(function* (
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
