/** Writes the books of the journal in formats that other programs read and check. */
import { Console, DateTime, Effect, FileSystem, Path } from "effect"
import * as Csv from "../../domain/Csv.ts"
import { movingTags } from "../../domain/Ledger.ts"
import { countText, utcDate } from "../../domain/Text.ts"
import * as PlainFiles from "../../files/PlainFiles.ts"
import { minutesOf } from "../../journal/PriceStore.ts"
import * as Entries from "../../ledger/Entries.ts"
import type { methods } from "../../ledger/Lots.ts"
import * as PlainText from "../../ledger/PlainText.ts"
import type * as Trades from "../../ledger/Trades.ts"
import * as Rp2 from "../../ledger/tables/Rp2.ts"
import * as Tables from "../../ledger/tables/Tables.ts"
import * as TaxServices from "../../ledger/tables/TaxServices.ts"
import * as AccountBooks from "../../views/profit/AccountBooks.ts"
import { commandFailed } from "../CommandFailed.ts"
import { type LedgerView, readAlong, withLedger } from "./LedgerView.ts"

const times: ReadonlySet<string> = new Set(["time", "acquired", "sold"])

/**
 * Times are timestamps, everything else is text, and an empty cell is null. Amounts are text because a DECIMAL has one scale for the whole
 * column, assets have different decimals, and many readers turn a DECIMAL into floating-point numbers. The writer is loaded on demand.
 */
export const parquetOf = Effect.fn("Exporting.parquetOf")(function* ({ rows, titles }: Tables.Table) {
  const { parquetWriteBuffer } = yield* Effect.promise(() => import("hyparquet-writer"))
  const columnData = titles.map((name, index) => {
    const cells = rows.map((row) => row[index] ?? "")
    return times.has(name)
      ? { name, type: "TIMESTAMP" as const, data: cells.map((cell) => (cell === "" ? null : new Date(cell))) }
      : { name, type: "STRING" as const, data: cells.map((cell) => (cell === "" ? null : cell)) }
  })
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: "limitbot" }))
})

export const formats = ["csv", "parquet", "beancount", "hledger", "rp2", ...TaxServices.taxServices] as const

interface Wanted {
  readonly format: (typeof formats)[number]
  readonly span: Tables.Period
  readonly method: (typeof methods)[number]
}

const forEver: Tables.Period = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

const startOf = (year: number): number => DateTime.toEpochMillis(DateTime.makeUnsafe({ year, month: 1, day: 1 }))
const spanOf = (year: number): Tables.Period => ({ from: startOf(year), to: startOf(year + 1) })

interface File {
  readonly name: string
  readonly content: string | Uint8Array
}

const filesOf = Effect.fnUntraced(function* (
  account: LedgerView,
  all: Trades.TradingRecord,
  { format, span, method }: Wanted
) {
  const decimals: PlainText.Decimals = (symbol) => account.decimals(symbol) ?? 0
  if (format === "csv" || format === "parquet") {
    const minutes = yield* minutesOf(account.trading.lastPrices.keys())
    const equity = Tables.equityTable(account.trading, { decimals, minutes, span })
    const tables = [...Tables.tablesOf(all, { decimals, method, span }), equity]
    const contentOf = (table: Tables.Table): Effect.Effect<File["content"]> =>
      format === "csv" ? Effect.succeed(Csv.render(table.titles, table.rows)) : parquetOf(table)
    return yield* Effect.forEach(tables, (table) =>
      Effect.map(contentOf(table), (content): File => ({ name: `${table.name}.${format}`, content }))
    )
  }
  if (format === "rp2") return Rp2.filesOf(all, { decimals, method })
  if (format === "koinly" || format === "cointracking") {
    const { titles, rows } = TaxServices.tableOf(format, all, { decimals, span })
    return rows.length === 0 ? [] : [{ name: "", content: Csv.render(titles, rows) }]
  }
  const render = format === "beancount" ? PlainText.beancount : PlainText.hledger
  const entries = Entries.make()
  yield* readAlong(account, movingTags, (page) => page.forEach(entries.see))
  const bookings = Entries.within(entries.result(), span)
  if (bookings.length === 0) return []
  return [{ name: "", content: render({ bookings, trades: tradesIn(all, span), decimals }) }]
})

const tradesIn = ({ trades }: Trades.TradingRecord, { from, to }: Tables.Period) =>
  trades.filter(({ at }) => at >= from && at < to)

const write = Effect.fnUntraced(function* (parts: ReadonlyArray<string>, content: string | Uint8Array) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(...parts)
  yield* fileSystem.makeDirectory(path.dirname(file), { recursive: true })
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  yield* fileSystem
    .writeFile(file, bytes, { flag: "wx" })
    .pipe(Effect.mapError((cause) => commandFailed(`${file}: ${PlainFiles.phraseOf(cause) ?? cause.message}`)))
})

interface Asked extends Pick<Wanted, "format" | "method"> {
  readonly out: string
  readonly year: number | undefined
}

export const exported = Effect.fn("Exporting.exported")(function* ({ format, out, year, method }: Asked) {
  yield* withLedger(
    Effect.fnUntraced(function* (ledger) {
      const all = AccountBooks.ofAccount(ledger.books, ledger.decimals)
      const span = year === undefined ? forEver : spanOf(year)
      // Amounts of assets with unknown decimals would be wrong by a power of ten.
      const unknown = [...ledger.books.overTime.assets].filter((symbol) => ledger.decimals(symbol) === undefined)
      if (unknown.length > 0) {
        const message = `The journal has money in ${unknown.join(", ")}, which is no longer in the configuration. Add it under assets again.`
        return yield* commandFailed(message)
      }
      const files = yield* filesOf(ledger, all, { format, span, method })
      if (files.length === 0) {
        const when = year === undefined ? "The journal" : `The year ${year}`
        return yield* commandFailed(`${when} has nothing to export.`)
      }
      const fileSystem = yield* FileSystem.FileSystem
      const inside = yield* fileSystem.readDirectory(out).pipe(Effect.orElseSucceed(() => []))
      // An older export beside the new tables would look like part of them.
      if (inside.length > 0) return yield* commandFailed(`${out} is not empty: name a new folder`)
      for (const { name, content } of files) yield* write(name === "" ? [out] : [out, name], content)
      // RP2 needs the whole history.
      const written = format === "rp2" ? all.trades : tradesIn(all, span)
      const years = [...new Set(written.map(({ at }) => utcDate(at).slice(0, 4)))].join(", ")
      yield* Console.log(
        `${out}: ${countText(written.length, "fill")}${years === "" ? "" : ` of ${years}`}, as ${format}`
      )
    })
  )
})
