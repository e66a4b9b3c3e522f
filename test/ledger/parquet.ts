/** A Parquet file read back by hyparquet, as the cells of the CSV: times in ISO 8601, and nothing for null. */
import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet"

const cellOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : value === null || value === undefined ? "" : String(value)

export const parquetTitlesOf = (bytes: Uint8Array): ReadonlyArray<string> =>
  parquetSchema(parquetMetadata(new Uint8Array(bytes).buffer)).children.map(({ element }) => element.name)

export const parquetRowsOf = async (bytes: Uint8Array): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
  const titles = parquetTitlesOf(bytes)
  return rows.map((row) => titles.map((title) => cellOf(row[title])))
}
