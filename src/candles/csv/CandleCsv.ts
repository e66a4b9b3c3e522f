/** Reads the table of a file, candles or trades, into candles or into the problems that prevent them. */
import { minuteMillis } from "../../domain/Durations.ts"
import { type Checked, check, noRepair, type Repair } from "./CandleChecks.ts"
import * as CsvColumns from "./CsvColumns.ts"
import * as CsvFormat from "./CsvFormat.ts"

export interface ReadOptions {
  readonly file: string
  readonly repair: ReadonlySet<Repair>
  readonly tradeCandleMillis?: number
}

export const parse = (bytes: Uint8Array, options: ReadOptions): Checked => {
  const { file, repair, tradeCandleMillis = minuteMillis } = options
  const format = CsvFormat.detect(bytes, file)
  if ("message" in format) return { problems: [format], problemCount: 1, repaired: noRepair }
  const rows = CsvColumns.parseCsv(bytes, file, format)
  const candleMillis = format.kind === "trades" ? tradeCandleMillis : undefined
  return check(rows, format, { file, allowed: repair, candleMillis })
}
