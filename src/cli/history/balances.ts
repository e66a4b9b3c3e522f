/**
 * `limitbot balances`: what the account holds at the venue. It opens a separate session, whose tokens stay in memory.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Answer from "../../app/process/Answer.ts"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import { format } from "../../domain/Amount.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Table from "../../report/text/Table.ts"
import { type Balance, Venue } from "../../venue/Venue.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "balances",
  { config: flags.config, csv: flags.csv, json: flags.json },
  Effect.fn(function* ({ config: file }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* VenueAccess.signerOf(config)
    const balances = yield* Venue.use((venue) => venue.balances).pipe(
      Effect.provide(VenueAccess.venue(config, signerId))
    )
    const answer = Answer.ofList(list(config), balances, "The account has no private balance.")
    const title = balances.length === 0 ? [] : [`Account ${signerId}`]
    return {
      ...answer,
      data: () => ({ account: signerId, balances: answer.data() }),
      lines: () => [...title, ...answer.lines(), "", notShown]
    }
  }, Answer.print)
).pipe(help("Show the private balances of the account at the venue"))

/** What somebody who expects all of their money here would miss. */
const notShown =
  "Not shown: public money (of INTENTS), which the service does not list here, and what is in orders or on its way: limitbot money."

const list = ({ markets }: ConfigFile.BotConfig) => {
  const assetOf = ({ tokenId }: Balance) => markets.assets.find(({ id }) => id === tokenId)
  const amountOf = (balance: Balance) => {
    const asset = assetOf(balance)
    return asset && format(balance.available, asset.decimals)
  }
  return Table.of<Balance>([
    { key: "asset", title: "ASSET", value: (balance) => assetOf(balance)?.symbol },
    {
      title: Table.decimal("AVAILABLE"),
      value: (balance) => amountOf(balance) ?? `${balance.available} smallest units`
    },
    { title: "SOURCE", value: ({ source }) => source },
    { key: "tokenId", title: "TOKEN", value: ({ tokenId }) => tokenId },
    { key: "available", value: ({ available }) => `${available}` },
    { key: "amount", value: amountOf },
    { key: "source", value: ({ source }) => source }
  ])
}
