/** Lists the assumptions and the data on every page of a backtest, and the run on every page of one strategy. */
import { closeTime, gaps, openTime } from "../../../candles/TimeAxis.ts"
import { utc } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import { version } from "../../../version.ts"
import { notModelled } from "../../backtest/kernel/FillPresets.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import type { Source } from "../RunCandles.ts"

export const run = ({ file, hash, text }: Strategy, facts: Page.Facts, madeAt: number): Page.PageSection => ({
  title: "Run",
  parts: [
    Page.facts([
      ["strategy file", `${file}, SHA-256 ${hash}`],
      ...facts,
      ["made", `${utc(madeAt)} by limitbot ${version}`]
    ]),
    Page.heading("Strategy file"),
    Page.file(text)
  ],
  isPageOnly: true,
  isFolded: true
})

export const of = (
  assumptions: ReadonlyArray<string>,
  { detail, sources }: Pick<BacktestResult, "detail" | "sources">
): ReadonlyArray<Page.PageSection> => {
  const assumed = [Page.sentences(...assumptions), Page.heading("Not modelled"), Page.sentences(...notModelled)]
  const quality = [Page.facts([...qualityOf(sources), ...(detail ? factsOf("detail", detail) : [])])]
  const place = { isPageOnly: true, isFolded: true }
  return [
    { title: "Assumptions", parts: assumed, ...place },
    { title: "Data quality", parts: quality, ...place }
  ]
}

const qualityOf = (sources: BacktestResult["sources"]): Page.Facts =>
  sources.length === 1 ? qualityOfOne(sources[0]) : sources.flatMap((source) => factsOf(source.market.name, source))

const factsOf = (name: string, source: Source): Page.Facts =>
  qualityOfOne(source).map(([label, value]) => [`${name} ${label}`, value])

const qualityOfOne = ({ candles, columns, data, sha256, repaired }: Source): Page.Facts => {
  const missing = gaps(candles.time)
  const gapsText = `${missing.count}, ${missing.bars} bars missing, the longest ${missing.longestMillis / 60_000} min`
  const mended = Object.entries(repaired).filter(([, count]) => count > 0)
  const [from, to] = [openTime(candles.time, 0), closeTime(candles.time, candles.bars - 1)]
  return [
    ["file", `${data}, SHA-256 ${sha256}`],
    ...(columns === undefined ? [] : [["columns", columns] as const]),
    ["candles", `${candles.bars} of ${candles.time.stepMillis / 1000} s, ${utc(from)} to ${utc(to)}`],
    ["gaps", missing.count === 0 ? "none" : gapsText],
    ["repaired", mended.length === 0 ? "nothing" : mended.map(([name, count]) => `${name} ${count}`).join(", ")]
  ]
}
