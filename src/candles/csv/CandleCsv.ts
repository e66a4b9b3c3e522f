/** A candle file as bytes, plain or gzipped, to candles or to what is wrong with it. */
import { gunzipSync } from "node:zlib"
import { type Checked, check, type Repair } from "./CandleChecks.ts"
import * as CsvColumns from "./CsvColumns.ts"
import * as CsvFormat from "./CsvFormat.ts"

export interface ReadOptions {
  /** As it stands in messages. */
  readonly file: string
  readonly repair: ReadonlySet<Repair>
}

const noRepair = { invalid: 0, sort: 0, duplicates: 0, range: 0, gaps: 0 }

/** Throws what zlib throws when a gzip file is damaged. */
export const unzipped = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes

export const parse = (bytes: Uint8Array, options: ReadOptions): Checked => {
  const format = CsvFormat.detect(bytes, options.file, CsvFormat.candleRoles)
  if ("message" in format) return { problems: [format], problemCount: 1, repaired: noRepair }
  return check(CsvColumns.read(bytes, options.file, format), options.file, options.repair)
}
