/**
 * `limitbot swap AMOUNT FROM TO`: makes one conversion at once. `--to` moves an asset between the public and the confidential account of
 * the same key: the service treats that as a swap of the asset into itself. It is not a sale, and costs its fee.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as BotOfFile from "../../app/bots/BotOfFile.ts"
import { commandFailed } from "../../app/CommandFailed.ts"
import { carry, flagIn } from "../../app/swap/Carrying.ts"
import { usual } from "../../app/swap/SwapRequest.ts"
import { DurationText } from "../../domain/Durations.ts"
import { age } from "../../domain/Text.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"

const { choice, optionalArgument: argument, pairs } = flags

const terms = {
  amount: argument("amount", "Amount of the paid asset (with EXACT_OUTPUT of the received one)"),
  from: argument("from", "The asset to pay with"),
  to: argument("to", "The asset to receive"),
  type: flags.choiceOr("type", Wire.swapTypes, "Which side is fixed", "EXACT_INPUT"),
  slippage: flags
    .figureIn("slippage", 0, 10_000)
    .pipe(flags.byDefault("Largest slippage from the quote, in basis points", usual.slippage)),
  depositType: choice("deposit-type", Wire.depositTypes, "Where the payment comes from; default: account.depositType"),
  depositMode: flags.choiceOr(
    "deposit-mode",
    Wire.depositModes,
    "MEMO: a shared address with a memo for each payment",
    "SIMPLE"
  ),
  recipient: flags.text("recipient", "Recipient; default: our account, or account.recipients on another chain"),
  recipientType: choice(
    "recipient-type",
    Wire.recipientTypes,
    "Where the recipient is; default: as --deposit-type, on another chain DESTINATION_CHAIN"
  ),
  refundTo: flags.text("refund-to", "Recipient of refunds; default: our account, or account.refundTo on another chain"),
  refundType: choice("refund-type", Wire.depositTypes, "Where refunds go; default: as --deposit-type"),
  deadline: Flag.String("deadline").pipe(
    Flag.withSchema(DurationText),
    flags.byDefault("How long the deposit may take, for example 10m", usual.deadline, age(usual.deadline))
  ),
  confidentiality: choice(
    "confidentiality",
    Wire.confidentialities,
    "How public the swap is; default: account.confidentiality, or public where the venue makes public swaps"
  ),
  referral: flags.text("referral", "Referral, for the venue's records"),
  appFees: pairs("app-fee", "recipient=basis points of the input; may be repeated"),
  rebates: pairs("rebate", "recipient=share in percent; at most three, together 100"),
  insured: flags.toggle("insured", "Costs two basis points more; the service insures nothing for it"),
  quoteWaiting: flags
    .integerIn("quote-waiting-ms", 0)
    .pipe(flags.byDefault("How long the venue may look for a better quote", 0)),
  connectedWallets: flags.several(flags.textFlag("connected-wallet", "Requester's wallet; may be repeated"), 20),
  sessionId: flags.text("session-id", "Requester's session"),
  virtualChainRecipient: flags.text("virtual-chain-recipient", "For chains that the venue keeps itself"),
  virtualChainRefundRecipient: flags.text("virtual-chain-refund-recipient", "The same for refunds"),
  customRecipientMsg: flags.text("custom-recipient-msg", "A message to the contract that is paid"),
  dry: flags.toggle("dry", "Only the quote: nothing is created or paid")
}

const sides = {
  confidential: { depositType: "INTENTS", refundType: "INTENTS", recipientType: "CONFIDENTIAL_INTENTS" },
  public: { depositType: "CONFIDENTIAL_INTENTS", refundType: "CONFIDENTIAL_INTENTS", recipientType: "INTENTS" }
} as const

/** Both sides have the same asset and price, so a larger loss means that the quote does not match the request. */
const slippageBasisPoints = 5

const ways = {
  side: choice(
    "to",
    ["confidential", "public"],
    "Instead of TO: move AMOUNT of FROM to this account of the same key; orders may be paid from the confidential one"
  ),
  list: flags.toggle("list", "List the swaps and where their money is, instead"),
  yes: flags.toggle("yes", "Accept the quote without a question"),
  resume: flags.text("resume", "Continue this swap, for example s3"),
  payAgain: flags.toggle("pay-again", "With --resume: the wallet certainly did not pay, and may pay again"),
  config: flags.config,
  csv: flags.csv,
  json: flags.json
}

export const command = Command.make(
  "swap",
  { ...terms, ...ways },
  Effect.fn(function* ({ config: file, csv, json, list, payAgain, resume, side, yes, ...given }) {
    if (list) {
      const { swaps } = yield* Effect.promise(() => import("../../app/swap/SwapLists.ts"))
      return yield* Answer.print(Effect.provide(swaps, BotOfFile.layer(file)), { csv, json })
    }
    if (csv) return yield* wrongUsage("--csv goes with --list only")
    if (resume !== undefined && given.amount !== undefined)
      return yield* wrongUsage("--resume continues a swap as agreed: without amounts")
    if (resume !== undefined && given.dry)
      return yield* wrongUsage("--dry shows a quote, --resume pays what was agreed: see limitbot swap --list")
    if (payAgain && resume === undefined) return yield* wrongUsage("--pay-again goes with --resume only")
    const config = yield* ConfigFile.load(file)
    const way = { json, payAgain, resume, yes }
    if (side === undefined) return yield* carry(config, given, way)
    if (resume !== undefined || given.to !== undefined || given.type !== "EXACT_INPUT")
      return yield* wrongUsage("--to moves one asset: swap AMOUNT ASSET --to confidential")
    const { amount, confidentiality, dry, from, ...others } = given
    const flag = flagIn(others)
    if (flag !== undefined)
      return yield* wrongUsage(`--to moves an asset between two accounts of one key, without ${flag}: omit it`)
    if (!config.venue.facts.movesBetweenAccounts)
      return yield* commandFailed(
        `${config.venue.url} has no confidential accounts, so there is nowhere to move money to: orders are paid from account.depositType as it is. If it has them, set venue.profile (limitbot check --profile shows its facts)`
      )
    const own = { amount, confidentiality, dry, from, to: from, slippage: slippageBasisPoints }
    const terms = { ...usual, ...sides[side], ...own }
    yield* carry(config, terms, way)
  })
).pipe(
  flags.help("Swap one asset for another: quote, agree, pay, follow to the end", {
    "limitbot swap 0.01 BTC USDC": "Shows the quote and asks",
    "limitbot swap 500 BTC USDC --type EXACT_OUTPUT --yes --json": "Receive exactly 500 USDC",
    "limitbot swap 20 USDC --to confidential": "Move an asset to the account from which orders are paid",
    "limitbot swap --resume s3": "Continue after an interruption",
    "limitbot swap --list": "All swaps, and where their money is"
  })
)
