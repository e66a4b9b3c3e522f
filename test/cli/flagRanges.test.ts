/** Flags refuse figures and dates out of their range. A search without a result says so. */
import { assert, describe, it } from "@effect/vitest"
import { assertSays, nowhere, runHere, workspace } from "../world/processes/program.ts"

const run = "backtest grid.yaml --data grid.yaml"
const search = "--data grid.yaml --set grid.levels=3,4"
const ranges: ReadonlyArray<readonly [words: string, message: RegExp]> = [
  [`${run} --from 2021-02-31`, /--from time "2021-02-31" is not a time/],
  [`${run} --from 2020-11-31`, /--from time "2020-11-31" is not a time/],
  [`${run} --to 2021-02-29T00:00:00Z`, /--to time "2021-02-29T00:00:00Z" is not a time/],
  [`${run} --from 2021`, /--from 2021: a year is not a date; write 2021-01-01/],
  [`${run} --volume-share 2`, /--volume-share: "2".*between 0 and 1/],
  [`${run} --volume-share=-1`, /--volume-share: "-1".*between 0 and 1/],
  [`${run} --fee-bps=-5`, /--fee-bps: "-5"/],
  [`${run} --spread-bps=-1`, /--spread-bps: "-1".*between 0 and 5000/],
  [`${run} --edge-bps=-1`, /--edge-bps: "-1"/],
  [`${run} --trials 0`, /--trials: "0"/],
  [`search grid.yaml ${search} --random 0`, /--random: "0"/],
  [`search grid.yaml ${search} --threads=-2`, /--threads: "-2"/],
  [`search grid.yaml ${search} --top=-1`, /--top: "-1"/],
  [`search grid.yaml ${search} --halve 1`, /--halve: "1".*greater than or equal to 2/],
  [`search --by walk-forward grid.yaml ${search} --windows 0`, /--windows: "0".*between 1 and 1000/],
  [`search --by walk-forward grid.yaml ${search} --train 0`, /--train: "0"/],
  ["search --by monte-carlo grid.yaml --data grid.yaml --runs 0", /--runs: "0"/],
  ["search --by monte-carlo grid.yaml --data grid.yaml --ruin 101", /--ruin: "101".*between 1 and 100/],
  ["data generate candles.csv --bars 1", /--bars: "1"/],
  ["data generate candles.csv --price=-5", /--price: "-5"/],
  ["data download --exchange x --symbol X/Y --out x.csv --from 2023-04-31", /--from time "2023-04-31" is not a time/],
  ["export --format csv --out books --year 0", /--year: "0".*between 1970 and 9999/],
  ["history --start-unix=-1", /--start-unix: "-1"/],
  ["events --limit=-1", /--limit: "-1"/],
  ["fills --since 0s", /--since: "0s".*a duration such as/],
  ["mcp --port 70000", /--port: "70000"/]
]

describe.concurrent("a flag out of its range", () => {
  it.each(ranges)("is refused: %s", async (words, message) => {
    const cwd = workspace(nowhere)
    const withConfig = /^(?:data|mcp)/.test(words) ? [] : ["--config", "config.yaml"]
    assertSays(await runHere([...words.split(" "), ...withConfig], { cwd }), 2, message)
  })
})

describe("a search", () => {
  it("fails without a completed run", async () => {
    const cwd = workspace(nowhere)
    const data = ["--data", "candles.csv"]
    await runHere(["data", "generate", "candles.csv", "--bars", "600", "--price", "60000"], { cwd })
    const set = ["grid.yaml", ...data, "--set", "grid.levels=1", "--threads", "1"]
    const refused = /Every trial was refused, for example: .*expected a whole number from 2 to 20001/
    assertSays(await runHere(["search", ...set], { cwd }), 1, refused)
    assertSays(await runHere(["search", "--by", "walk-forward", ...set, "--windows", "2"], { cwd }), 1, refused)
    const one = await runHere(["backtest", "grid.yaml", ...data, "--fills", "pessimistic"], { cwd })
    assert.match(one.stdout, /By the rules of fewer fills alone\./)
    assert.notMatch(one.stdout, /fill assumption|worse case/)
  })

  it("reports no gain in sample but names the windows that gained", async () => {
    const text =
      "limits: { budget: { quote: 2000 } }\ngrid: { lower: 55000, upper: 66000, levels: 11, size: { quote: 100 } }"
    const cwd = workspace(nowhere, { "wide.yaml": `name: wide\nmarket: BTC/USDC\nkind: grid\n${text}\n` })
    await runHere(["data", "generate", "c.csv", "--bars", "3000", "--price", "60000", "--seed", "2"], { cwd })
    const words = ["--data", "c.csv", "--set", "grid.levels=5,9", "--windows", "4", "--train", "1", "--threads", "1"]
    const { stdout } = await runHere(["search", "--by", "walk-forward", "wide.yaml", ...words], { cwd })
    assert.include(
      stdout,
      "In sample the best gained in 1 of 4 windows, but almost nothing in total, so there is no ratio."
    )
  })
})
