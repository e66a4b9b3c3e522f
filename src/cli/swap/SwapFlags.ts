/** The flags of `limitbot swap`: every field of a quote request, with the configuration's account as the default. */
import { Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import * as SwapRequest from "../../app/swap/SwapRequest.ts"
import { age } from "../../domain/Words.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"
import { DurationText } from "../flags.ts"

const BasisPoints = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

export const terms = {
  amount: Argument.String("amount").pipe(
    Argument.withDescription("How much, in units of the asset that is paid (of the one received with EXACT_OUTPUT)"),
    Argument.optional
  ),
  from: Argument.String("from").pipe(Argument.withDescription("The asset to pay with"), Argument.optional),
  to: Argument.String("to").pipe(Argument.withDescription("The asset to receive"), Argument.optional),
  type: flags.choiceOr("type", Wire.swapTypes, "Which side is fixed", "EXACT_INPUT"),
  slippage: Flag.Finite("slippage").pipe(
    Flag.withSchema(BasisPoints),
    flags.byDefault("How much worse than quoted it may become, in basis points", SwapRequest.defaultSlippage)
  ),
  depositType: flags.choice(
    "deposit-type",
    Wire.depositTypes,
    "Where the payment comes from; default: account.depositType"
  ),
  depositMode: flags.choiceOr(
    "deposit-mode",
    Wire.depositModes,
    "MEMO: a shared address that tells payments apart by memo",
    "SIMPLE"
  ),
  recipient: flags.text("recipient", "Who is paid; default: our account, or account.recipients on another chain"),
  recipientType: flags.choice(
    "recipient-type",
    Wire.recipientTypes,
    "Where the recipient is; default: as --deposit-type, on another chain DESTINATION_CHAIN"
  ),
  refundTo: flags.text("refund-to", "Who gets refunds; default: our account, or account.refundTo on another chain"),
  refundType: flags.choice("refund-type", Wire.depositTypes, "Where refunds go; default: as --deposit-type"),
  deadline: Flag.String("deadline").pipe(
    Flag.withSchema(DurationText),
    flags.byDefault(
      "How long the deposit may take, for example 10m",
      SwapRequest.defaultDeadlineMillis,
      age(SwapRequest.defaultDeadlineMillis)
    )
  ),
  confidentiality: flags.choiceOr("confidentiality", Wire.confidentialities, "How public the swap is", "public"),
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
  quoteWaiting: flags.byDefault(
    "How long the venue may look for a better quote",
    0
  )(flags.integerIn("quote-waiting-ms", 0)),
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
