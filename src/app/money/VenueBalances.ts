/** Reads the account's balances at the venue, with its session. */
import { Effect, Result } from "effect"
import { format } from "../../domain/Amount.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import * as Answer from "../../process/Answer.ts"
import * as Table from "../../report/text/Table.ts"
import { type Balance, Venue } from "../../venue/Venue.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

const notShown = (what: ReadonlyArray<string>): string =>
  `Not shown: ${[...what, "money in orders or under way: limitbot money."].join(", and ")}`

const noLedger = "public money (of INTENTS): to list it, set venue.facts.saltFrom to an RPC address of its ledger"

/** Private balances need their own session and maybe an invitation. A refusal is only noted if public balances are shown. */
const bothKinds = Effect.fnUntraced(function* ({ markets }: BotConfig) {
  const venue = yield* Venue
  const publicRows = yield* venue.publicBalances(markets.assets.map(({ id }) => id))
  if (publicRows === undefined) return { rows: yield* venue.balances, hidden: [noLedger] }
  const hidden = yield* Effect.result(venue.balances)
  const rows = [
    ...(Result.isSuccess(hidden) ? hidden.success : []),
    ...publicRows.filter(({ available }) => available > 0n)
  ]
  return { rows, hidden: Result.isSuccess(hidden) ? [] : [`private money (${hidden.failure.message})`] }
})

export const balances = Effect.fn("VenueBalances.balances")(function* (file: string) {
  const { config, found, signerId } = yield* VenueAccess.look(file, bothKinds)
  const { hidden, rows } = found
  const answer = Answer.ofList(balanceList(config), rows, "The account has no visible balance.")
  const title = rows.length === 0 ? [] : [`Account ${signerId}`]
  return {
    ...answer,
    data: () => ({ account: signerId, balances: answer.data(), hidden }),
    lines: () => [...title, ...answer.lines(), "", notShown(hidden)]
  }
})

const balanceList = ({ markets }: BotConfig) => {
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
