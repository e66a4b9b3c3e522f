/** The commands around backtests, from words on the command line to what is printed and written. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Journal } from "../../../src/journal/Journal.ts"
import { PriceStore } from "../../../src/journal/PriceStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { limitbot } from "../backtesting.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-backtest-"))
const csv = join(folder, "candles.csv")
const strategy = join(folder, "grid.yaml")
writeFileSync(
  strategy,
  `name: cli-grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.5, quote: 20000 } }
grid: { lower: 35000, upper: 45000, levels: 11, size: { base: 0.01 } }
`
)

const bars = 20_000
/** Without simulated runs. */
const quickly = ["--band", "rules", "--json"]

describe("backtest commands", () => {
  it.effect("credit buy and hold with the price's gain, also for a budget of quote alone", () =>
    Effect.gen(function* () {
      const [file, quoteOnly] = [join(folder, "half.csv"), join(folder, "quote.yaml")]
      const lines = Array.from({ length: 48 }, (_, hour) => {
        const price = hour === 47 ? 60_000 : 40_000
        return `${[Date.UTC(2024, 0, 1) + hour * 3_600_000, price, price, price, price].join(",")},1`
      })
      writeFileSync(file, ["time,open,high,low,close,volume", ...lines].join("\n"))
      writeFileSync(quoteOnly, readFileSync(strategy, "utf8").replace("base: 0.5, ", ""))
      const printed = yield* limitbot("backtest", quoteOnly, "--data", file, "--band", "rules")
      assert.match(printed, /^change in equity .* 0\.00 USDC +10,000\.00 USDC$/m)
      const compared = yield* limitbot("backtest", quoteOnly, strategy, "--data", file, "--band", "rules")
      // Buy and hold against the untouched budget: 50 % of quote alone, and of half base the other half.
      assert.match(compared, /RETURN LOW +HIGH +BUY AND HOLD/)
    })
  )

  it.live("name the same worst case of several strategies in the verdict, the key figures and the table", () =>
    Effect.gen(function* () {
      const [file, denser] = [join(folder, "several.csv"), join(folder, "denser.yaml")]
      const text = readFileSync(strategy, "utf8").replace("cli-grid", "denser").replace("levels: 11", "levels: 21")
      writeFileSync(denser, text)
      yield* limitbot("data", "generate", file, "--bars", "3000", "--price", "40000")
      const compared = yield* limitbot("backtest", strategy, denser, "--data", file, "--runs", "19")
      const [, best, worst] = /^(\S+) has the best worst case: (-?\S+ %)\.$/m.exec(compared) ?? []
      assert.match(compared, new RegExp(`^${best} +${worst?.replace(" %", "")} to `, "m"))
      assert.match(compared, new RegExp(`^${best} .* USDC +${worst} `, "m"))
    })
  )

  it.effect("report a plausible yearly return if a month of data is missing", () =>
    Effect.gen(function* () {
      const file = join(folder, "gap.csv")
      const days = [0, 1, 180, 181].map((day) => Date.UTC(2024, 0, 1 + day))
      const line = (open: number, price: number) => `${[open, price, price, price, price].join(",")},1`
      const lines = days.flatMap((day, index) =>
        Array.from({ length: 24 }, (_, hour) => line(day + hour * 3_600_000, index < 2 ? 40_000 : 44_000))
      )
      writeFileSync(file, ["time,open,high,low,close,volume", ...lines].join("\n"))
      const result = JSON.parse(yield* limitbot("backtest", strategy, "--data", file, "--json"))
      const { totalReturn, yearlyReturn, meaningless } = result.sides.pessimistic.statistics
      assert.isBelow(totalReturn, 0)
      assert.closeTo(yearlyReturn, (1 + totalReturn) ** (365 / 182) - 1, 1e-9)
      const few = { volatility: undefined, sharpe: undefined, sortino: undefined }
      assert.deepInclude({ ...few, ...meaningless }, { ...few, yearlyReturn: "less than a year" })
      const shown = yield* limitbot("backtest", strategy, "--data", file)
      assert.match(shown, /Sortino +-\d/)
      const { gridProfit, inventory, profitQuote } = result.sides.pessimistic
      assert.closeTo(gridProfit + inventory, Number(profitQuote), 1e-6)
      assert.match(shown, /^grid profit, after fees +-?[\d,]+\.\d\d USDC/m)
      assert.match(shown, /^inventory, still held +-?[\d,]+\.\d\d USDC/m)

      const page = join(folder, "gap.html")
      yield* limitbot("backtest", strategy, "--data", file, "--fills", "pessimistic", "--report", page)
      const facts = new Map(
        [
          ...readFileSync(page, "utf8").matchAll(
            /<tr><td>([^<]+)<\/td><td class="n(?: words)?(?: up| down)?">([^<]+)<\/td>/g
          )
        ].map(([, label = "", value = ""]) => [label, value])
      )
      assert.strictEqual(facts.get("yearly return"), "less than a year")
      assert.match(facts.get("profit and loss, USDC") ?? "", /^[−+]\d{1,3}(,\d{3})*\.\d\d$/)
      assert.match(facts.get("quote at the end") ?? "", /^\d\d,\d{3}\.\d\d USDC$/)
      assert.match(facts.get("base at the end") ?? "", /^\d\.\d{8} BTC$/)
      const numberOf = (text: string) => Number.parseFloat(text.replaceAll(",", "").replace("−", "-"))
      const figure = (label: string) => numberOf(facts.get(label) ?? "")
      const parts = figure("grid profit, after fees, USDC") + figure("inventory, still held, USDC")
      assert.closeTo(parts, figure("profit and loss, USDC"), 0.02)
      // A loss is called a loss, not a negative gain.
      assert.match(
        readFileSync(page, "utf8"),
        /<h1>The strategy lost [\d,.]+\sUSDC against its untouched budget, while BTC (?:rose|fell) [\d.]+\s%\.<\/h1>/
      )
      // The table has gains and what the slots still hold.
      const slots = [
        ...readFileSync(page, "utf8").matchAll(
          /<tr><td>cell-\d+: [^<]*<\/td>(?:<td class="n">\d+<\/td>){2}<td class="n[ a-z]*">([^<]*)<\/td><td class="n[ a-z]*">([^<]*)<\/td>/g
        )
      ].map(([, ...figures]) => figures.map((text) => (text === "" ? 0 : numberOf(text))))
      assert.isAbove(slots.length, 1)
      const sumOf = (column: number) => slots.reduce((sum, figures) => sum + (figures[column] ?? 0), 0)
      assert.closeTo(sumOf(0), figure("grid profit, after fees, USDC"), 0.1)
      assert.closeTo(sumOf(1), figure("inventory, still held, USDC"), 0.1)
      assert.notStrictEqual(sumOf(1), 0)

      const shuffled = yield* limitbot(
        "search",
        "--by",
        "monte-carlo",
        strategy,
        "--data",
        file,
        "--method",
        "order",
        "--runs",
        "20"
      )
      assert.match(shuffled, /every order of the same returns gains the same, -?\d+\.\d\d %; only the drawdown differs/)
      assert.notMatch(shuffled, /\blose\b|^ *gain/m)
    })
  )

  it.live("generate, show, run, report and search, each as JSON and as text", () =>
    Effect.gen(function* () {
      yield* limitbot("data", "generate", csv, "--bars", `${bars}`)
      const info: unknown = JSON.parse(yield* limitbot("data", csv, "--json"))
      assert.deepPropertyVal(info, "bars", bars)

      const [fills, html] = [join(folder, "fills.csv"), join(folder, "report.html")]
      const outputs = ["--fills-csv", fills, "--report", html]
      const result = JSON.parse(yield* limitbot("backtest", strategy, "--data", csv, "--json", ...outputs))
      assert.strictEqual(result.bars, bars)
      const { p5, p50, p95, runs } = result.band
      assert.isAtLeast(runs, 39)
      assert.isAtMost(Number(p5.profitQuote), Number(p50.profitQuote))
      assert.isAtMost(Number(p50.profitQuote), Number(p95.profitQuote))
      assert.closeTo(Number(result.band.width), Number(p95.profitQuote) - Number(p5.profitQuote), 1e-6)
      assert.isAbove(result.band.widthOfMove, 0)
      for (const key of ["pnlQuote", "feesQuote", "maxDrawdown", "fills", "base", "quote", "markout"])
        assert.property(result.sides.pessimistic, key)
      const rows = readFileSync(fills, "utf8").trim().split("\n")
      assert.strictEqual(rows[0], "bar_index,open_time_ms,side,slot,price,base,quote,markout_1m,markout_5m,markout_60m")
      assert.strictEqual(rows.length - 1, result.fills)
      // The fills that are listed are those of a side whose figures are told.
      assert.strictEqual(result.fills, result.sides.optimistic.fills)
      const reported = readFileSync(html, "utf8")
      assert.include(reported, "cli-grid on BTC/USDC")
      assert.match(reported, /mark-out after 60m/)
      const curves = JSON.parse(/id="data">(.*?)<\/script>/s.exec(reported)?.[1] ?? assert.fail())
      const ends = curves.sides.map(({ equity }: { equity: ReadonlyArray<number> }) => equity.at(-1) ?? 0)
      const low = Math.min(...["pessimistic", "optimistic"].map((side) => Number(result.sides[side].profitQuote)))
      assert.closeTo(
        Math.min(...ends) - curves.untouched.at(-1),
        low,
        1e-6,
        "the curve ends at the profit, after all fees"
      )
      const [, lower, higher] = /<td><\/td><th class="n">([^<]+)<\/th><th class="n">([^<]+)<\/th>/.exec(reported) ?? []
      assert.isDefined(lower)
      assert.notStrictEqual(lower, higher)
      const trades = join(folder, "trades.csv")
      const pessimistic = ["--fills", "pessimistic", "--trades-csv", trades]
      assert.include(yield* limitbot("backtest", strategy, "--data", csv, ...pessimistic), "fewer fills")
      const [titles = "", ...traded] = readFileSync(trades, "utf8").trim().split("\n")
      assert.isAbove(traded.length, 0)
      for (const line of traded) {
        const numbers = line.split(",").slice(7).map(Number)
        assert.strictEqual(titles.split(",").slice(7).length, numbers.length)
        assert.isTrue(numbers.every(Number.isFinite), line)
      }
      const several = ["--also", csv, "--pareto", "profitQuote,maxDrawdown", "--sensitivity"]
      const searched = yield* limitbot(
        "search",
        strategy,
        "--data",
        csv,
        "--set",
        "grid.levels=5,10",
        ...several,
        "--json"
      )
      const search = JSON.parse(searched)
      const [winner] = search.best
      assert.strictEqual(winner.also[0].profitQuote, winner.profitQuote)
      assert.include(
        search.pareto.front.map(({ trial }: { readonly trial: number }) => trial),
        winner.trial
      )
      assert.strictEqual(search.sensitivity[0].result.profitQuote, winner.profitQuote)

      const second = join(folder, "ladder.yaml")
      writeFileSync(
        second,
        "name: cli-ladder\nmarket: BTC/USDC\nkind: ladder\nlimits: { budget: { quote: 20000 } }\nladder: { side: buy, from: 39500, to: 38000, rungs: 4, total: { quote: 9000 }, takeProfit: 1% }\n"
      )
      const page = join(folder, "comparison.html")
      const compared = JSON.parse(yield* limitbot("backtest", strategy, second, "--data", csv, "--json"))
      assert.strictEqual(compared.runs.length, 2)
      assert.deepStrictEqual(compared.runs[0].band, result.band)
      const table = yield* limitbot("backtest", strategy, second, "--data", csv, "--band", "rules", "--report", page)
      assert.match(table, /2 strategies over the same 20000 bars/)
      assert.match(table, /cli-grid .*\n *cli-ladder /)
      assert.include(readFileSync(page, "utf8"), "cli-ladder")
      // The fees and the warnings of the first run stood for all.
      const third = join(folder, "late.yaml")
      writeFileSync(
        third,
        `name: late
market: BTC/USDC
kind: rules
terms: { appFees: { app.near: 30 } }
limits: { budget: { quote: 20000 } }
rules: { timeframe: 1d, orders: { dip: { when: "close < ema(close, 900)", side: buy, price: mid, size: { quote: 100 } } } }
`
      )
      const said = yield* limitbot("backtest", strategy, third, "--data", csv, "--band", "rules", "--report", page)
      assert.match(said, /^late: app fees of its terms: 30 basis points/m)
      assert.match(said, /^fees: 20 basis points/m)
      const hasty = ["--runs", "1"]
      const drawn = yield* limitbot("backtest", strategy, third, "--data", csv, ...hasty)
      assert.match(drawn, /1 simulated run: too few for p5, p50 and p95; --runs 39 takes about 39 times as long/)
      const shown = readFileSync(page, "utf8")
      for (const text of [said, shown]) assert.match(text, /late: .*ema\(close, 900\)|late: .*warm/)
      assert.include(shown, "late traded nothing, so it returned nothing.")
      assert.include(shown, "late: fewer fills: fees on inputs are 30 basis points")

      const out = join(folder, "sweep.jsonl")
      const words = [
        "search",
        strategy,
        "--data",
        csv,
        "--set",
        "grid.levels=5..20:5",
        "--out",
        out,
        "--json",
        "--threads",
        "1"
      ]
      const first = JSON.parse(yield* limitbot(...words))
      assert.strictEqual(first.trials, 4)
      const lines = readFileSync(out, "utf8").trim().split("\n")
      writeFileSync(out, `${lines.slice(0, 3).join("\n")}\n{"trial":3,"val`)
      const resumed = JSON.parse(yield* limitbot(...words))
      assert.strictEqual(resumed.resumed, 2)
      assert.deepStrictEqual(resumed.best, first.best)
      // A search continues only what depends on the same: it names the rest that differs.
      const [text, candles] = [readFileSync(strategy, "utf8"), readFileSync(csv, "utf8")]
      const refused = (...more: ReadonlyArray<string>) =>
        Effect.map(Effect.flip(limitbot(...words, ...more)), ({ message }) => message)
      writeFileSync(strategy, text.replace("levels: 11", "levels: 12"))
      assert.strictEqual(JSON.parse(yield* limitbot(...words)).resumed, 4)
      writeFileSync(strategy, text.replace("lower: 35000", "lower: 35500"))
      const advice = "; name another file, or remove this one to start again"
      assert.strictEqual(
        yield* refused("--fee-bps", "7"),
        `${out}: its results are of another search: other strategy file, fees or rules${advice}`
      )
      writeFileSync(strategy, text)
      writeFileSync(csv, candles.replace(/\n[^\n]*\n?$/, "\n"))
      const part = ["--from", "2021-01-02", "--halve", "3", "--objective", "dailySharpe"]
      assert.include(yield* refused(...part), "other --fills or --objective, data, --from, --to or --repair, --halve;")
      writeFileSync(csv, candles)
      const [header = "", ...results] = readFileSync(out, "utf8").split("\n")
      writeFileSync(out, [header.replace(/limitbot 0[^"]*/, "limitbot 0.0.9 cafe"), ...results].join("\n"))
      assert.include(yield* refused(), ": other program;")
      writeFileSync(out, `{"fingerprint":"cafe"}\n`)
      assert.strictEqual(yield* refused(), `${out}: its results are of an older version of this file${advice}`)
      writeFileSync(out, "time,open\n")
      assert.include(yield* refused(), ": other program, strategy file, --set, ")
      const levels: string = first.best[0].set["grid.levels"]
      const best = join(folder, "best.yaml")
      writeFileSync(best, readFileSync(strategy, "utf8").replace("levels: 11", `levels: ${levels}`))
      const [top] = first.best
      for (const side of ["optimistic", "pessimistic"]) {
        const alone = JSON.parse(yield* limitbot("backtest", best, "--data", csv, "--json", "--fills", side))
        for (const key of ["pnlQuote", "fills", "maxDrawdown", "base", "quote", "feesQuote"])
          assert.deepStrictEqual(alone.sides[side][key], top[side][key], `${side} ${key}`)
      }
      const profits = ["optimistic", "pessimistic"].map((side) => Number(top[side].profitQuote))
      assert.strictEqual(Number(top.profitQuote), Math.min(...profits))

      const heat = join(folder, "sweep.html")
      const two = ["--set", "grid.levels=5..30", "--set", "grid.upper=42000..46000:1000", "--threads", "1"]
      const map = yield* limitbot("search", strategy, "--data", csv, ...two, "--halve", "3", "--report", heat)
      assert.match(map, /halving: 130 over 2223 bars, 44 over 6667 bars, 15 over 20000 bars: 33\.\d % of a full search/)
      assert.match(map, /grid\.levels \(down\) by grid\.upper/)
      const [, winnersLevels, winnersUpper] = /^ *1 +(\d+) +(\d+) /m.exec(map) ?? []
      assert.include(map, `The cell of #1 (grid.levels ${winnersLevels}, grid.upper ${winnersUpper}) `)
      const swept = readFileSync(heat, "utf8")
      for (const part of ["with its neighbours", "Profit against the untouched budget, USDC", ">#1</b>"])
        assert.include(swept, part)

      const fine = ["--set", "grid.lower=20000..23000:1", "--set", "grid.upper=42000..46000:1", "--random", "3"]
      const unmapped = yield* limitbot("search", strategy, "--data", csv, ...fine, "--threads", "1")
      assert.include(unmapped, "There is no map of grid.lower by grid.upper: 12007001 cells are more than 250000")
      assert.notInclude(unmapped, "(down) by")

      const [walked, simulated] = [join(folder, "walk.html"), join(folder, "simulated.html")]

      const walk = yield* limitbot(
        "search",
        "--by",
        "walk-forward",
        strategy,
        "--data",
        csv,
        "--set",
        "grid.levels=5,11",
        "--threads",
        "1",
        "--report",
        walked
      )
      assert.match(walk, /out of sample/)
      assert.include(readFileSync(walked, "utf8"), 'aria-label="grid.levels by window"')
      const luck = ["--runs", "50", "--report", simulated]
      assert.match(yield* limitbot("search", "--by", "monte-carlo", strategy, "--data", csv, ...luck), /50 simulations/)
      assert.match(readFileSync(simulated, "utf8"), /<path class="mark"[\s\S]*>real run −?[\d.]+ %<\/b>/)
    })
  )

  it.live("charge the app fees of a file's terms", () =>
    Effect.gen(function* () {
      const data = join(folder, "app.csv")
      yield* limitbot("data", "generate", data, "--bars", "40000")
      const withFees = join(folder, "app.yaml")
      writeFileSync(withFees, `${readFileSync(strategy, "utf8")}terms: { appFees: { app.near: 60, other.near: 40 } }\n`)
      const run = (file: string) => Effect.map(limitbot("backtest", file, ...quickly, "--data", data), JSON.parse)
      const [free, charged] = [yield* run(strategy), yield* run(withFees)]
      for (const side of ["optimistic", "pessimistic"]) {
        assert.isBelow(Number(charged.sides[side].profitQuote), Number(free.sides[side].profitQuote))
        assert.isBelow(charged.sides[side].fills, free.sides[side].fills)
        assert.isAbove(Number(charged.sides[side].appFeesQuote), 0)
        assert.notProperty(free.sides[side], "appFeesQuote")
      }
      // App fees of the configuration count too, in backtests and searches.
      const configs = ["", "appFees: { app.near: 100 }, "].map((appFees, index) => {
        const config = join(folder, `account-${index}.yaml`)
        const account = `account: { ${appFees}key: { env: KEY } }\nassets:\n`
        const assets = "  BTC: { id: btc, decimals: 8 }\n  USDC: { id: usdc, decimals: 6 }\n"
        writeFileSync(config, `venue: { url: http://127.0.0.1:1, apiKey: { env: KEY } }\n${account}${assets}`)
        return config
      })
      const profits = (...words: ReadonlyArray<string>) =>
        Effect.forEach(configs, (config) =>
          Effect.map(limitbot(...words, "--data", data, "--config", config), (json) =>
            [...json.matchAll(/"(?:profitQuote|p50)":\s*"?([^",}]+)/g)].map(([, profit]) => Number(profit))
          )
        )
      const set = ["--set", "grid.levels=11,21", "--threads", "1", "--json"]
      for (const words of [
        ["backtest", strategy, ...quickly],
        ["backtest", strategy, withFees, ...quickly],
        ["search", strategy, ...set],
        ["search", "--by", "walk-forward", strategy, ...set, "--windows", "2"],
        ["search", "--by", "monte-carlo", strategy, "--runs", "20", "--json"]
      ]) {
        const [without = [], charging = []] = yield* profits(...words)
        assert.strictEqual(charging.length, without.length)
        assert.isAbove(charging.length, 0)
        assert.notDeepEqual(charging, without, words[0] ?? "")
      }
      const said = yield* limitbot("backtest", withFees, "--band", "rules", "--data", data)
      assert.match(said, /app fees of its terms: 100 basis points of every input/)
      assert.match(said, /^fees on inputs +\d/m)
    })
  )

  it.live("generate candles of a cheap asset with the digits that its moves need", () =>
    Effect.gen(function* () {
      const cheap = join(folder, "cheap.csv")
      yield* limitbot("data", "generate", cheap, "--bars", "600", "--price", "0.001")
      const { bars, lowest } = JSON.parse(yield* limitbot("data", cheap, "--json"))
      assert.strictEqual(bars, 600)
      assert.closeTo(lowest, 0.001, 0.0005)
      const closes = readFileSync(cheap, "utf8").trim().split("\n").slice(1)
      assert.isAbove(new Set(closes.map((row) => row.split(",")[4])).size, 50)
    })
  )

  it.live("give the same result for a converted part of the data as for --from and --to", () =>
    Effect.gen(function* () {
      const part = join(folder, "part.csv")
      const time = ["--from", "2021-01-03", "--to", "2021-01-09T12:00:00Z"]
      yield* limitbot("data", csv, "--out", part, ...time)
      const words = ["backtest", strategy, ...quickly, "--data"]
      const asked = JSON.parse(yield* limitbot(...words, csv, ...time))
      const cut = JSON.parse(yield* limitbot(...words, part, "--no-cache"))
      assert.deepStrictEqual(cut.sides, asked.sides)
      assert.strictEqual(asked.bars, 6.5 * 1440)
      assert.isFalse(existsSync(`${part}.columns`))
    })
  )

  it.effect("use finer candles inside the bars with --detail, and refuse unsuitable ones", () =>
    Effect.gen(function* () {
      const [fine, coarse, narrow] = [join(folder, "fine.csv"), join(folder, "coarse.csv"), join(folder, "narrow.yaml")]
      yield* limitbot("data", "generate", fine, "--bars", "600")
      const [header = "", ...minutes] = readFileSync(fine, "utf8").trim().split("\n")
      const groups = Array.from({ length: minutes.length / 15 }, (_, at) => minutes.slice(at * 15, (at + 1) * 15))
      const bars = groups.map((group) => {
        const rows = group.map((line) => line.split(",").map(Number))
        const of = (column: number) => rows.map((row) => row[column] ?? 0)
        const volume = of(5).reduce((sum, each) => sum + each, 0)
        return [of(0)[0], of(1)[0], Math.max(...of(2)), Math.min(...of(3)), of(4).at(-1), volume].join(",")
      })
      writeFileSync(coarse, [header, ...bars].join("\n"))
      const text = readFileSync(strategy, "utf8")
      writeFileSync(narrow, text.replace("lower: 35000, upper: 45000", "lower: 39500, upper: 40500"))
      const run = (...words: ReadonlyArray<string>) =>
        Effect.map(limitbot("backtest", narrow, "--json", "--fills", "optimistic", "--data", ...words), JSON.parse)
      const [detailed, alone, exact] = [yield* run(coarse, "--detail", fine), yield* run(coarse), yield* run(fine)]
      assert.deepStrictEqual(detailed.sides, exact.sides)
      assert.notStrictEqual(detailed.fills, alone.fills)
      for (const words of [
        [fine, "--detail", coarse],
        [coarse, "--from", "2021-01-01T01:00:00Z", "--detail", narrow]
      ]) {
        const { message } = yield* Effect.flip(run(...words))
        assert.match(message, /--detail .*coarse\.csv: give candles that are finer than the data|narrow\.yaml:/)
      }
    })
  )

  it.live("read a bot's journal as data, and compare its own fills", () =>
    Effect.gen(function* () {
      const journal = join(folder, "bot.sqlite")
      const stores = PriceStore.layer.pipe(
        Layer.provideMerge(Journal.layer),
        Layer.provide(Sqlite.layer({ filename: journal }))
      )
      yield* Effect.gen(function* () {
        const store = yield* PriceStore
        for (let minute = 0; minute < 600; minute++) {
          const [open, close] = [minute, minute + 1].map((at) => 40_000 + 1500 * Math.sin(at / 60) + 1 / 3)
          const [low, high] = [Math.min(open ?? 0, close ?? 0), Math.max(open ?? 0, close ?? 0)]
          yield* store.append("BTC/USDC", {
            openedAt: 1_700_000_040_000 + minute * 60_000,
            open: open ?? 0,
            high,
            low,
            close: close ?? 0
          })
        }
        yield* store.append("SOL/USDC", { openedAt: 1_700_000_040_000, open: 1, high: 1, low: 1, close: 1 })
      }).pipe(Effect.provide(stores))
      const named = `journal:${journal}`
      assert.match(yield* limitbot("data", named, "--market", "BTC/USDC"), /600 candles of 60 s.*\n.*\nno gaps/)
      const [out, plain] = [join(folder, "bot.csv"), ["--no-cache", "--fills", "optimistic", "--json"]]
      yield* limitbot("data", named, "--out", out, "--market", "BTC/USDC")
      const replayed = JSON.parse(yield* limitbot("backtest", strategy, "--data", named, ...plain))
      const converted = JSON.parse(yield* limitbot("backtest", strategy, "--data", out, ...plain))
      assert.isAbove(replayed.fills, 0)
      assert.deepStrictEqual(replayed.sides, converted.sides)
      const said = yield* limitbot("backtest", strategy, "--data", named, "--calibrate", journal)
      assert.match(said, /the data have no volumes: orders fill whole/)
      assert.match(said, /placing: measured 0 times, 30 are needed: the default is used/)
      assert.match(yield* limitbot("data", "--calibrate", journal), /no stored minute reached a resting order/)
      const missing = yield* Effect.flip(limitbot("data", named, "--market", "ETH/USDC"))
      assert.match(missing.message, /: only 0 minutes of ETH\/USDC in the journal; let the bot run/)
      const single = yield* Effect.flip(limitbot("data", named, "--market", "SOL/USDC"))
      assert.match(single.message, /: only 1 minute of SOL\/USDC in the journal; let the bot run/)
      const [from, to] = ["2023-11-14T22:20:00Z", "2023-11-14T22:21:00Z"]
      const cut = yield* Effect.flip(limitbot("backtest", strategy, "--data", named, "--from", from, "--to", to))
      assert.match(cut.message, /--from, --to: only 1 candle between; choose/)
      const nameless = yield* Effect.flip(limitbot("data", named))
      assert.match(nameless.message, /name the market of the prices: --market BTC\/USDC/)
    })
  )

  it.effect("use a journal's signal only once the bot has received it", () =>
    Effect.gen(function* () {
      const [journal, file] = [join(folder, "signals.sqlite"), join(folder, "signals.yaml")]
      const [prices, fills] = [join(folder, "flat.csv"), join(folder, "signal-fills.csv")]
      const [start, minute] = [Date.UTC(2024, 0, 1), 60_000]
      const lines = Array.from({ length: 60 }, (_, index) => `${start + index * minute},60000,60100,59900,60000,1`)
      writeFileSync(prices, ["time,open,high,low,close,volume", ...lines].join("\n"))
      writeFileSync(
        file,
        `name: late
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 } }
rules:
  timeframe: 1m
  orders:
    buy:
      when: signal("trend", 2h) > 0.5
      side: buy
      price: mid
      size: { quote: 200 }
      times: 1
`
      )
      yield* TestClock.setTime(start + 30.5 * minute)
      const received = { name: "trend", value: 0.7, from: start + 20 * minute, by: "a model" }
      yield* Effect.gen(function* () {
        yield* (yield* Journal).append([{ _tag: "SignalReceived", ...received }])
      }).pipe(Effect.provide(Journal.layer.pipe(Layer.provide(Sqlite.layer({ filename: journal })))))
      const words = ["--data", prices, "--signals", `journal:${journal}`, "--fills", "optimistic", "--fills-csv", fills]
      yield* limitbot("backtest", file, ...words)
      const [, first = ""] = readFileSync(fills, "utf8").trim().split("\n")
      const [bar] = first.split(",").map(Number)
      assert.isAtLeast(bar ?? 0, 30)
    })
  )

  const mistakes: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["backtest", strategy, "--data", "nowhere.csv"], /nowhere\.csv: .*give a readable/],
    [
      ["backtest", strategy, strategy, "--data", csv, "--fills-csv", "x.csv"],
      /--fills-csv goes with one strategy file only/
    ],
    [["backtest", strategy, "--data", csv, "--from", "soon"], /--from .*not a time; write/],
    [["backtest", strategy, "--data", csv, "--from", "2031-01-01"], /--from, --to: only 0 candles between; choose/],
    [["backtest", strategy, "--data", csv, "--repair", "everything"], /--repair everything: unknown repair; choose/],
    [["backtest", strategy, "--data", csv, "--withdraw-fee", "a,b"], /--withdraw-fee a: not an amount/],
    [
      ["search", strategy, "--data", csv, "--set", "grid.levls=1..3"],
      /--set: unknown key "levls"; did you mean "levels"/
    ],
    [
      ["search", strategy, "--data", csv, "--set", "grid.levels=1..3", "--where", "luck>1"],
      /--where luck>1: not a condition/
    ]
  ]
  for (const [words, message] of mistakes) {
    it.live(`say what to do: ${words.slice(2).join(" ").replaceAll(folder, "")}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(limitbot(...words))
        assert.match(error.message, message)
      })
    )
  }
})
