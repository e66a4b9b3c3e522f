/**
 * `limitbot shield` and `limitbot unshield`: an asset moves between the public and the confidential account of the same key.
 * To the service it is a swap of the asset into itself, and so it is one here: quoted, agreed to, paid once, followed. It is no
 * sale; it costs its fee.
 */
import { Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { carry } from "../../app/swap/Carrying.ts"
import * as SwapRequest from "../../app/swap/SwapRequest.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export class NothingToMove extends Schema.TaggedError<NothingToMove>()("NothingToMove", { venue: Schema.String }) {
  override get message(): string {
    return `${this.venue} has no confidential accounts, so there is nowhere to move money to: orders are paid from account.depositType as it is. If it has them, set venue.profile (limitbot doctor --profile shows its facts)`
  }
}

/** Asset and price are the same on both sides, so an output lower by more than this does not match the request. */
const slippageBasisPoints = 5

type Side = "INTENTS" | "CONFIDENTIAL_INTENTS"

interface Move {
  readonly name: string
  readonly from: Side
  readonly to: Side
  readonly description: string
}

const move = ({ description, from, name, to }: Move) =>
  Command.make(
    name,
    {
      amount: Argument.String("amount").pipe(Argument.withDescription("How much leaves, in units of the asset")),
      asset: Argument.String("asset").pipe(Argument.withDescription("The asset")),
      yes: flags.toggle("yes", "Agree to the quote without being asked"),
      dry: flags.toggle("dry", "Only the quote: nothing is created or paid"),
      config: flags.config,
      json: flags.json
    },
    Effect.fn(function* ({ amount, asset, config: file, dry, json, yes }) {
      const config = yield* ConfigFile.load(file)
      if (!config.venue.facts.movesBetweenAccounts) return yield* new NothingToMove({ venue: config.venue.url })
      const terms: SwapRequest.Terms = {
        ...SwapRequest.usual,
        amount,
        from: asset,
        to: asset,
        slippage: slippageBasisPoints,
        depositType: from,
        refundType: from,
        recipientType: to,
        dry
      }
      yield* carry(config, terms, { json, payAgain: false, resume: undefined, yes })
    })
  ).pipe(
    help(description, {
      [`limitbot ${name} 20 USDC`]: "Shows the quote with its fee and asks",
      [`limitbot ${name} 20 USDC --dry`]: "Only the quote"
    })
  )

export const shield = move({
  name: "shield",
  from: "INTENTS",
  to: "CONFIDENTIAL_INTENTS",
  description: "Move an asset from the public to the confidential account, from which orders are paid"
})

export const unshield = move({
  name: "unshield",
  from: "CONFIDENTIAL_INTENTS",
  to: "INTENTS",
  description: "Move an asset from the confidential back to the public account"
})
