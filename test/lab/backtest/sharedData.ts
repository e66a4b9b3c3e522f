/** Market data and results of other engines that are not part of the repository: tests that use them skip without. */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import type { Candles } from "../../../src/candles/Candles.ts"
import * as CandleChecks from "../../../src/candles/csv/CandleChecks.ts"
import { dataFolder, hasData } from "../../surroundings.ts"

export const isPresent = hasData

export const bytes = (name: string): Uint8Array => {
  const read = readFileSync(resolve(dataFolder, name))
  return name.endsWith(".gz") ? gunzipSync(read) : read
}

export const text = (name: string): string => new TextDecoder().decode(bytes(name))

export const candles = (name: string, repairs: ReadonlyArray<CandleChecks.Repair> = []): Candles => {
  const { candles, problems } = CandleChecks.parse(bytes(name), { file: name, repair: new Set(repairs) })
  if (candles === undefined) throw new Error(problems.map(({ message }) => message).join("\n"))
  return candles
}
