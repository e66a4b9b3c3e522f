/**
 * `limitbot balances`: what the account holds at the venue. It opens a separate session, whose tokens stay in memory.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import { format } from "../../domain/Amount.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Table from "../../report/text/Table.ts"
import { type Balance, Venue } from "../../venue/Venue.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "balances",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config: file, json }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* VenueAccess.signerOf(config)
    const balances = yield* Venue.use((venue) => venue.balances).pipe(
      Effect.provide(VenueAccess.venue(config, signerId))
    )
    const rows = balances.map((balance) => row(balance, config))
    if (json) return yield* Console.log(JSON.stringify({ account: signerId, balances: rows }))
    const shown =
      rows.length === 0 ? "The account has no private balance." : `Account ${signerId}\n${table(rows).join("\n")}`
    yield* Console.log(`${shown}\n\n${notShown}`)
  })
).pipe(Command.withDescription("Show the private balances of the account at the venue"))

/** What somebody who expects all of their money here would miss. */
const notShown =
  "Not shown: public money (of INTENTS), which the service does not list here, and what is in orders or on its way: limitbot money."

const row = ({ available, source, tokenId }: Balance, { markets }: ConfigFile.BotConfig) => {
  const asset = markets.assets.find(({ id }) => id === tokenId)
  return {
    asset: asset?.symbol ?? null,
    tokenId,
    available: String(available),
    amount: asset === undefined ? null : format(available, asset.decimals),
    source
  }
}

const table = (rows: ReadonlyArray<ReturnType<typeof row>>): ReadonlyArray<string> =>
  Table.render(
    [{ title: "ASSET" }, { title: "AVAILABLE", align: "decimal" }, { title: "SOURCE" }, { title: "TOKEN" }],
    rows.map(({ amount, asset, available, source, tokenId }) => [
      asset ?? "-",
      amount ?? `${available} smallest units`,
      source,
      tokenId
    ])
  )
