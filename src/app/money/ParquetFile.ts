/**
 * A table of the export as a Parquet file: the cells of the CSV, with times as timestamps and everything else as text. Amounts are text
 * because their assets have different decimals, of which a DECIMAL has one number for a whole column, and because many readers make
 * floating-point numbers of it. An empty cell is null. The writer is loaded when the first such file is written.
 */
import { Effect } from "effect"
import type { Table } from "../../ledger/tables/Tables.ts"

const times: ReadonlySet<string> = new Set(["time", "acquired", "sold"])

export const bytesOf = Effect.fn("ParquetFile.bytesOf")(function* ({ rows, titles }: Table) {
  const { parquetWriteBuffer } = yield* Effect.promise(() => import("hyparquet-writer"))
  const columnData = titles.map((name, index) => {
    const cells = rows.map((row) => row[index] ?? "")
    return times.has(name)
      ? { name, type: "TIMESTAMP" as const, data: cells.map((cell) => (cell === "" ? null : new Date(cell))) }
      : { name, type: "STRING" as const, data: cells.map((cell) => (cell === "" ? null : cell)) }
  })
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: "limitbot" }))
})
