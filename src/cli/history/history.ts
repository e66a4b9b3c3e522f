/**
 * `limitbot history`: the partner's past swaps and orders, by cursor or by page, with every filter of the interface,
 * or the copy kept beside the journal (`--sync`, `--stored`); and the end user's own history (`history account`). One
 * request per five seconds, shared with every process on this journal.
 */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { historyOf } from "../../app/history/HistoryAsked.ts"
import * as SwapPayouts from "../../app/swap/SwapPayouts.ts"
import { present } from "../../domain/Present.ts"
import * as Answer from "../../process/Answer.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import { mostWithdrawals } from "../../venue/api/DepositsApi.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { account } from "./account.ts"
import * as HistoryFlags from "./HistoryFlags.ts"

export const command = Command.make(
  "history",
  {
    filters: HistoryFlags.filters,
    cursor: HistoryFlags.cursor,
    page: HistoryFlags.count("page", Number.MAX_SAFE_INTEGER, "By page number instead of by cursor"),
    perPage: HistoryFlags.count("per-page", 1000, "Records of a page; default: 50"),
    sync: flags.toggle("sync", "Read new transactions into the database beside the journal, and count them"),
    payouts: flags.textOrMissing(
      "payouts",
      "Payouts of a swap of type ANY_INPUT, by its deposit address; with --deposit-memo, --start, --page, --per-page and --order"
    ),
    order: flags.choice("order", ["asc", "desc"], "With --payouts, asc: the oldest first (default: desc)"),
    stored: flags.toggle("stored", "Show the transactions stored by the last --sync, offline"),
    csv: flags.csv,
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ order, payouts, ...given }) {
    if (payouts === undefined) {
      if (Option.isSome(order)) return yield* new WrongUsage({ message: "--order goes with --payouts only" })
      return yield* Answer.print(historyOf(given), given)
    }
    const { csv, cursor, filters, page = 1, perPage = mostWithdrawals, sync, stored } = given
    const { depositMemo, startTimestamp, ...others } = filters
    if (sync || stored || csv || Object.keys(present({ ...others, ...cursor })).length > 0)
      return yield* new WrongUsage({
        message: "--payouts goes with --deposit-memo, --start, --page, --per-page, --order and --json only"
      })
    if (perPage > mostWithdrawals)
      return yield* new WrongUsage({ message: `--per-page: at most ${mostWithdrawals} payouts` })
    const sortOrder = Option.getOrElse(order, () => "desc" as const)
    const query = {
      depositAddress: payouts,
      depositMemo,
      timestampFrom: startTimestamp,
      page,
      limit: perPage,
      sortOrder
    }
    yield* Answer.print(SwapPayouts.listPayouts({ config: given.config, query }), given)
  })
).pipe(
  help("List past transactions of the partner: by cursor, by page, or all stored locally", {
    "limitbot history --status REFUNDED --status FAILED --json": "Recent refunds and failures",
    "limitbot history --sync": "Store everything beside the journal; continues where it stopped",
    "limitbot history --stored --csv": "All stored transactions, for a spreadsheet",
    "limitbot history --payouts ADDRESS --json": "The newest fifty payouts of a swap of type ANY_INPUT"
  }),
  Command.withSubcommands([account])
)
