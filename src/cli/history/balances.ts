/**
 * `limitbot balances`: what the account holds at the venue. It opens a separate session, whose tokens stay in memory.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { format } from "../../domain/Amount.ts"
import * as Table from "../../report/text/Table.ts"
import { type Balance, Venue } from "../../venue/Venue.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import * as flags from "../flags.ts"
import * as PartnerMode from "../swap/PartnerMode.ts"

export const command = Command.make(
  "balances",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config: file, json }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* PartnerMode.signerOf(config)
    const balances = yield* Venue.use((venue) => venue.balances).pipe(
      Effect.provide(PartnerMode.venue(config, signerId))
    )
    const rows = balances.map((balance) => row(balance, config))
    if (json) return yield* Console.log(JSON.stringify({ account: signerId, balances: rows }))
    yield* Console.log(rows.length === 0 ? "The account is empty." : `Account ${signerId}\n${table(rows).join("\n")}`)
  })
).pipe(Command.withDescription("Show the private balances of the account at the venue"))

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
