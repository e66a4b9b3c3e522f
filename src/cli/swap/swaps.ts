/** `limitbot swaps`: every swap in the journal, with where its money is. */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { withJournal } from "../../app/journal/JournalView.ts"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import { formatWithSymbol } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import * as SwapHistory from "../../engine/state/swaps/SwapHistory.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as Table from "../../report/text/Table.ts"
import { mostWithdrawals } from "../../venue/api/DepositsApi.ts"
import { Swaps, type Withdrawals } from "../../venue/Swaps.ts"
import { TimestampText } from "../../venue/wire/WireValue.ts"
import { swapView } from "../../views/Swaps.ts"
import * as flags from "../flags.ts"

const withdrawals = Command.make(
  "withdrawals",
  {
    address: Argument.String("address").pipe(Argument.withDescription("Deposit address of the swap")),
    memo: flags.text("memo", "Its deposit memo, when it has one"),
    since: Flag.String("since").pipe(
      Flag.withSchema(TimestampText),
      Flag.withDescription("Nothing before this time, such as 2026-01-31T00:00:00Z"),
      Flag.optional
    ),
    page: Flag.Int("page").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
      Flag.withDefault(1)
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostWithdrawals }))),
      Flag.withDescription("Most withdrawals of a page"),
      Flag.withDefault(mostWithdrawals)
    ),
    order: Flag.Literals("order", ["asc", "desc"]).pipe(
      Flag.withDescription("asc: the oldest first"),
      Flag.withDefault("desc")
    ),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ address: depositAddress, config: file, json, limit, memo, order: sortOrder, page, since }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* VenueAccess.signerOf(config)
    const optional = { depositMemo: Option.getOrUndefined(memo), timestampFrom: Option.getOrUndefined(since) }
    const query = { depositAddress, page, limit, sortOrder, ...present(optional) }
    const { value } = yield* Swaps.use((swaps) => swaps.withdrawals(query)).pipe(
      Effect.provide(VenueAccess.venue(config, signerId))
    )
    if (json) return yield* Console.log(JSON.stringify(withdrawalsJson(value, page, limit)))
    const asset = config.markets.assets.find(({ id }) => id === value.asset)
    const rows = value.withdrawals.map(({ amountOut, at, hash, status }) => [
      at === undefined ? "-" : iso(at),
      status,
      asset === undefined ? `${amountOut} smallest units` : formatWithSymbol(amountOut, asset),
      hash ?? "-"
    ])
    const titles = ["TIME", "STATUS", "PAID OUT", "TRANSACTION"].map((title) => ({ title }))
    yield* Console.log(rows.length === 0 ? "No withdrawals." : Table.render(titles, rows).join("\n"))
    if (value.odd.length > 0) {
      yield* Console.log(`${counted(value.odd.length, "record")} cannot be read in exact values: see --json`)
    }
  })
).pipe(
  Command.withDescription("List what a swap of type ANY_INPUT has paid out"),
  Command.withExamples([
    { command: "limitbot swaps withdrawals ADDRESS --json", description: "The newest fifty, for a program" }
  ])
)

const withdrawalsJson = (
  { affiliateRecipient, asset, odd, recipient, withdrawals }: Withdrawals,
  page: number,
  limit: number
) => ({
  asset: asset ?? null,
  recipient: recipient ?? null,
  affiliateRecipient: affiliateRecipient ?? null,
  page,
  limit,
  withdrawals: withdrawals.map(({ amountOut, at, hash, status, withdrawFee }) => ({
    status,
    amountOut: String(amountOut),
    withdrawFee: withdrawFee === undefined ? null : String(withdrawFee),
    timestamp: at === undefined ? null : iso(at),
    hash: hash ?? null
  })),
  odd
})

export const command = Command.make(
  "swaps",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    yield* withJournal(config, ({ journal }) =>
      Effect.gen(function* () {
        const swaps = yield* SwapHistory.all
        if (json) return yield* Console.log(JSON.stringify(swaps.map(swapView)))
        yield* Console.log(swaps.length === 0 ? "No swaps yet." : table(swaps).join("\n"))
      }).pipe(Effect.provide(Sqlite.layer({ filename: journal, readOnly: true })))
    )
  })
).pipe(Command.withDescription("List the swaps and where their money is"), Command.withSubcommands([withdrawals]))

const table = (swaps: ReadonlyArray<SwapHistory.SwapHistory>): ReadonlyArray<string> =>
  Table.render(
    ["SWAP", "AGREED", "PAYS", "RECEIVES", "PHASE", "VENUE SAYS", "OUTCOME"].map((title) => ({ title })),
    swaps.map((swap) => {
      const { agreed, id, placement } = swap
      const end = SwapHistory.endOf(swap)
      const received = end === undefined ? agreed.amountOut : SwapHistory.moneyOf(swap).received
      return [
        id,
        iso(placement.plannedAt),
        formatWithSymbol(agreed.amountIn, agreed.origin),
        formatWithSymbol(received, agreed.destination),
        SwapHistory.phaseOf(swap),
        placement.report?.status ?? "-",
        end?.outcome ?? "-"
      ]
    })
  )
