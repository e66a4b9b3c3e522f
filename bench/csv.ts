/** Reading a year of minutes: against CSV libraries, and the column cache against the CSV. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import * as CandleFile from "../src/candles/CandleFile.ts"
import type { Candles } from "../src/candles/Candles.ts"
import * as CandleChecks from "../src/candles/csv/CandleChecks.ts"
import { openTime } from "../src/candles/TimeAxis.ts"
import * as ladder from "../test/world/ladder.ts"
import { compare } from "./measure.ts"
import * as packages from "./packages.ts"
import type { Bench } from "./sections.ts"

const csvOf = ({ bars, time, open, high, low, close, volume }: Candles): string => {
  const lines = ["open_time_ms,open,high,low,close,volume"]
  for (let bar = 0; bar < bars; bar++)
    lines.push([openTime(time, bar), open[bar], high[bar], low[bar], close[bar], volume[bar]].join(","))
  return `${lines.join("\n")}\n`
}

export const csv = async ({ show, folder }: Bench): Promise<void> => {
  const bytes = new TextEncoder().encode(csvOf(ladder.years(1)))
  const ours = {
    name: "ours with all checks",
    run: () => {
      const { candles } = CandleChecks.parse(bytes, { file: "bench.csv", repair: new Set() })
      return candles === undefined ? "nothing" : packages.sumOf(candles.bars, candles.close, candles.volume)
    }
  }
  const theirs = [
    ["udsv", packages.uDsv],
    ["csv-parse", packages.csvParse],
    ["papaparse", packages.papaParse]
  ] as const
  for (const [name, run] of theirs)
    if (packages.isInstalled(name))
      show(
        await compare(
          "CSV of 1 year",
          ours,
          { name, run: () => run(new TextDecoder().decode(bytes)) },
          { samples: 5, warmUps: 2 }
        )
      )
  const file = join(folder, "year.csv")
  writeFileSync(file, bytes)
  const load = (cache: "kept" | "never") => async (): Promise<string> => {
    const options = { repair: new Set<never>(), tradeCandleMillis: 60_000, cache, wanted: { open: true, volume: true } }
    const { candles } = await Effect.runPromise(Effect.scoped(CandleFile.load(file, options)))
    return packages.sumOf(candles.bars, candles.close, candles.volume)
  }
  const fromCache = { name: "the column cache", run: load("kept") }
  const fromFile = { name: "the CSV", run: load("never") }
  show(await compare("load 1 year", fromCache, fromFile, { samples: 9, warmUps: 2, isOursToo: true }))
}
