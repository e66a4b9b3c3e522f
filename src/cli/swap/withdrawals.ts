/** `limitbot swap withdrawals`: what a swap of type ANY_INPUT has paid out. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Answer from "../../app/process/Answer.ts"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import { type Asset, formatWithSymbol } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Table from "../../report/text/Table.ts"
import { mostWithdrawals } from "../../venue/api/DepositsApi.ts"
import { Swaps, type Withdrawals } from "../../venue/Swaps.ts"
import { TimestampText } from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const withdrawals = Command.make(
  "withdrawals",
  {
    address: Argument.String("address").pipe(Argument.withDescription("Deposit address of the swap")),
    memo: flags.text("memo", "Its deposit memo, when it has one"),
    since: Flag.String("since").pipe(
      Flag.withSchema(TimestampText),
      Flag.withDescription("Nothing before this time, such as 2026-01-31T00:00:00Z"),
      Flag.optional
    ),
    page: flags.byDefault("Which page", 1)(flags.integerIn("page", 1)),
    limit: flags.byDefault("Most withdrawals of a page", mostWithdrawals)(flags.integerIn("limit", 1, mostWithdrawals)),
    order: flags.choiceOr("order", ["asc", "desc"], "asc: the oldest first", "desc"),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ address: depositAddress, config: file, limit, memo, order: sortOrder, page, since }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* VenueAccess.signerOf(config)
    const optional = { depositMemo: Option.getOrUndefined(memo), timestampFrom: Option.getOrUndefined(since) }
    const query = { depositAddress, page, limit, sortOrder, ...present(optional) }
    const { value } = yield* Swaps.use((swaps) => swaps.withdrawals(query)).pipe(
      Effect.provide(VenueAccess.venue(config, signerId))
    )
    const asset = config.markets.assets.find(({ id }) => id === value.asset)
    const answer = Answer.ofList(withdrawalList(asset), value.withdrawals, "No withdrawals.")
    const odd = `${counted(value.odd.length, "record")} cannot be read in exact values: see --json`
    return {
      ...answer,
      data: () => {
        const { affiliateRecipient = null, asset = null, odd, recipient = null } = value
        return { asset, recipient, affiliateRecipient, page, limit, withdrawals: answer.data(), odd }
      },
      lines: () => [...answer.lines(), ...(value.odd.length === 0 ? [] : [odd])]
    }
  }, Answer.print)
).pipe(
  help("List what a swap of type ANY_INPUT has paid out", {
    "limitbot swap withdrawals ADDRESS --json": "The newest fifty, for a program"
  })
)

const withdrawalList = (asset: Asset | undefined) =>
  Table.of<Withdrawals["withdrawals"][number]>([
    { title: "TIME", value: ({ at }) => at && iso(at) },
    { key: "status", title: "STATUS", value: ({ status }) => status },
    {
      key: "amountOut",
      title: "PAID OUT",
      value: ({ amountOut }) => `${amountOut}`,
      text: ({ amountOut }) =>
        asset === undefined ? `${amountOut} smallest units` : formatWithSymbol(amountOut, asset)
    },
    { key: "withdrawFee", value: ({ withdrawFee }) => withdrawFee?.toString() },
    { key: "timestamp", value: ({ at }) => at && iso(at) },
    { key: "hash", title: "TRANSACTION", value: ({ hash }) => hash }
  ])
