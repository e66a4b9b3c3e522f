/** The flags of `limitbot swap`: every field of a quote request, with the configuration's account as the default. */
import { Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { usual } from "../../app/swap/SwapRequest.ts"
import { DurationText } from "../../domain/Durations.ts"
import { age } from "../../domain/Words.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"

const choice = <const A extends string>(name: string, choices: ReadonlyArray<A>, description: string) =>
  flags.orMissing(flags.choice(name, choices, description))
const pairs = (name: string, description: string) =>
  Flag.KeyValuePair(name).pipe(Flag.withDescription(description), Flag.optional, flags.orMissing)
const argument = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  )

const BasisPoints = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

export const terms = {
  amount: argument("amount", "Amount of the paid asset (with EXACT_OUTPUT of the received one)"),
  from: argument("from", "The asset to pay with"),
  to: argument("to", "The asset to receive"),
  type: flags.choiceOr("type", Wire.swapTypes, "Which side is fixed", "EXACT_INPUT"),
  slippage: Flag.Finite("slippage").pipe(
    Flag.withSchema(BasisPoints),
    flags.byDefault("Largest slippage from the quote, in basis points", usual.slippage)
  ),
  depositType: choice("deposit-type", Wire.depositTypes, "Where the payment comes from; default: account.depositType"),
  depositMode: flags.choiceOr(
    "deposit-mode",
    Wire.depositModes,
    "MEMO: a shared address with a memo for each payment",
    "SIMPLE"
  ),
  recipient: flags.textOrMissing(
    "recipient",
    "Recipient; default: our account, or account.recipients on another chain"
  ),
  recipientType: choice(
    "recipient-type",
    Wire.recipientTypes,
    "Where the recipient is; default: as --deposit-type, on another chain DESTINATION_CHAIN"
  ),
  refundTo: flags.textOrMissing(
    "refund-to",
    "Recipient of refunds; default: our account, or account.refundTo on another chain"
  ),
  refundType: choice("refund-type", Wire.depositTypes, "Where refunds go; default: as --deposit-type"),
  deadline: Flag.String("deadline").pipe(
    Flag.withSchema(DurationText),
    flags.byDefault("How long the deposit may take, for example 10m", usual.deadline, age(usual.deadline))
  ),
  confidentiality: flags.choiceOr("confidentiality", Wire.confidentialities, "How public the swap is", "public"),
  referral: flags.textOrMissing("referral", "Referral, for the venue's records"),
  appFees: pairs("app-fee", "recipient=basis points of the input; may be repeated"),
  rebates: pairs("rebate", "recipient=share in percent; at most three, together 100"),
  insured: flags.toggle("insured", "Costs two basis points more"),
  quoteWaiting: flags.byDefault(
    "How long the venue may look for a better quote",
    0
  )(flags.integerIn("quote-waiting-ms", 0)),
  connectedWallets: flags.several(
    Flag.String("connected-wallet").pipe(Flag.withDescription("Requester's wallet; may be repeated")),
    20
  ),
  sessionId: flags.textOrMissing("session-id", "Requester's session"),
  virtualChainRecipient: flags.textOrMissing("virtual-chain-recipient", "For chains that the venue keeps itself"),
  virtualChainRefundRecipient: flags.textOrMissing("virtual-chain-refund-recipient", "The same for refunds"),
  customRecipientMsg: flags.textOrMissing("custom-recipient-msg", "A message to the contract that is paid"),
  dry: flags.toggle("dry", "Only the quote: nothing is created or paid")
}
