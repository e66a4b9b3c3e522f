/** `limitbot export`: the books of the journal in formats that other programs read and check. */
import { Command, Flag } from "effect/cli"
import { exported, formats } from "../../app/money/Exporting.ts"
import { methods } from "../../ledger/Lots.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

export const command = Command.make(
  "export",
  {
    bot: WhichBot.flags,
    format: Flag.Literals("format", formats).pipe(
      Flag.withDescription("csv, parquet and rp2 write into a folder, the others one file")
    ),
    out: flags.fileFlag("out", "Where to; it must not exist yet, or be an empty folder"),
    year: flags.count("year", "Only this calendar year (UTC)", 1970, 9999),
    method: flags.choiceOr("method", methods, "Which purchase a sale closes, in the tax lots", "fifo")
  },
  exported
).pipe(
  WhichBot.ofBot,
  flags.help(
    "Write the books: tables as CSV or Parquet, beancount, hledger, or the input of RP2, Koinly or CoinTracking",
    {
      "limitbot export --format beancount --out books.beancount": "Books for beancount",
      "limitbot export --format parquet --out tables": "The same tables as Parquet, for pandas, DuckDB or Polars",
      "limitbot export --format csv --out books --year 2026": "Tables of one year"
    }
  )
)
