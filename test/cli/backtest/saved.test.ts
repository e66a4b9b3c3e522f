/** Saved backtests, and a search that writes its best: from words on the command line to what is printed and written. */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, type FileSystem } from "effect"
import { assertSays, nowhere, runHere, startStill, workspace } from "../../world/processes/program.ts"
import { limitbot, limitbotOn, limitbotReading } from "../backtesting.ts"

const gridText = `name: cli-grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.5, quote: 20000 } }
grid:
  lower: 35000
  upper: 45000
  levels: 11
  size: { base: 0.01 }
`

/** Its levels are nearer than fees. */
const tinyText = `name: tiny
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.0001, quote: 20 } }
grid: { lower: 59000, upper: 59100, levels: 101, size: { base: 0.000001 } }
`

const signalText = `name: moody
market: BTC/USDC
kind: rules
limits: { budget: { base: 0.5, quote: 20000 } }
rules:
  orders:
    in: { side: buy, price: mid, size: { base: 0.01 }, when: 'signal("mood", 2h) > 1' }
`

/** A folder of its own with a strategy and two files of candles, and the place of what it saves. */
const prepare = Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-saved-"))
  const [file, minutes, others] = ["grid.yaml", "minutes.csv", "others.csv"].map((name) => join(folder, name))
  if (file === undefined || minutes === undefined || others === undefined) return assert.fail()
  writeFileSync(file, gridText)
  yield* limitbot("data", "generate", minutes, "--bars", "3000", "--price", "40000")
  yield* limitbot("data", "generate", others, "--bars", "3000", "--price", "40000", "--seed", "2")
  const provider = ConfigProvider.layer(ConfigProvider.fromEnv({ env: { XDG_STATE_HOME: join(folder, "state") } }))
  const run = (...words: ReadonlyArray<string>) => limitbot(...words).pipe(Effect.provide(provider))
  const runReading = (typed: string, ...words: ReadonlyArray<string>) =>
    limitbotReading(typed, ...words).pipe(Effect.provide(provider))
  const backtest = (...words: ReadonlyArray<string>) =>
    run("backtest", file, "--data", minutes, "--band", "rules", ...words)
  return { backtest, file, folder, minutes, others, run, runReading, saved: join(folder, "state/limitbot/backtests") }
})

describe("saved backtests", () => {
  it.live("are listed and shown with their text, data, options and figures", () =>
    Effect.gen(function* () {
      const { backtest, file, minutes, run, saved } = yield* prepare
      assert.match(yield* run("backtest", "list"), new RegExp(`saved in ${saved}; the newest 100 are kept`))
      assert.match(yield* backtest("--fee-bps", "7"), /^saved as 1: limitbot backtest show 1$/m)
      const printed = JSON.parse(yield* backtest("--json", "--no-cache"))
      const { saved: id, ...figures } = printed
      assert.strictEqual(id, "2")
      const { figures: kept, ...about } = JSON.parse(yield* run("backtest", "show", "2", "--json"))
      assert.deepStrictEqual(
        { ...kept, wallMillis: 0, kernelMillis: 0 },
        { ...figures, wallMillis: 0, kernelMillis: 0 }
      )
      assert.deepInclude(about, { id: "2", version: 1, file, text: gridText })
      assert.deepStrictEqual(about.data, [{ market: "BTC/USDC", file: minutes, sha256: figures.data.sha256 }])
      assert.deepStrictEqual(about.options, { "--fills": "both", "--band": "rules", "--trials": "1" })

      const list = yield* run("backtest", "list")
      assert.match(list, /^ID +MADE +STRATEGY +FILE +DATA +PROFIT AND LOSS +DRAWDOWN +FILLS$/m)
      assert.match(list, /^1 .*cli-grid.* %( to .* %)? +\d+( to \d+)?\n2 .*cli-grid/m)
      assert.deepStrictEqual(
        JSON.parse(yield* run("backtest", "list", "--json")).map((each: { id: string }) => each.id),
        ["1", "2"]
      )
      const shown = yield* run("backtest", "show", "1")
      assert.match(shown, /--fee-bps 7/)
      assert.match(shown, /^profit and loss +-?[\d,]+\.\d\d/m)
      assert.include(shown, gridText.trimEnd())
    })
  )

  it.live("are compared by the lines of their files and by their figures", () =>
    Effect.gen(function* () {
      const { backtest, file, minutes, run } = yield* prepare
      yield* backtest()
      writeFileSync(file, gridText.replace("levels: 11", "levels: 21"))
      yield* run("backtest", file, "--data", minutes, "--runs", "19")
      const compared = yield* run("backtest", "compare", "1", "2")
      assert.match(compared, /^strategy files: 2 lines differ \(- 1, \+ 2\)\n- +8 +levels: 11\n\+ +8 +levels: 21$/m)
      assert.match(compared, /^same data: /m)
      assert.match(compared, /^options: 1 .*--band rules.*; 2 .*--runs 19/m)
      assert.match(compared, /^ +1 +2\nprofit and loss +\S.* +\S/m)
      assert.match(compared, /^simulated, p5 to p95 +-?[\d,.]+ to -?[\d,.]+$/m)
      const { changes, isSameData } = JSON.parse(yield* run("backtest", "compare", "1", "2", "--json"))
      assert.isTrue(isSameData)
      assert.deepStrictEqual(changes[0], { sign: "-", line: 8, text: "  levels: 11" })
    })
  )

  it.live("of different data are compared only on demand, and the answer says so", () =>
    Effect.gen(function* () {
      const { backtest, file, others, run } = yield* prepare
      yield* backtest()
      yield* run("backtest", file, "--data", others, "--band", "rules")
      yield* backtest("--from", "2021-01-02")
      for (const other of ["2", "3"]) {
        const { message } = yield* Effect.flip(run("backtest", "compare", "1", other))
        assert.match(message, /^different data: 1 .*minutes\.csv.*3000 bars.*; .*Run both .*--other-data$/)
        assert.match(yield* run("backtest", "compare", "1", other, "--other-data"), /^different data: 1 /m)
      }
    })
  )

  it.live("of different detail are different data, whatever the name of its file", () =>
    Effect.gen(function* () {
      const { file, folder, minutes, run } = yield* prepare
      const [coarse, copy] = [join(folder, "coarse.csv"), join(folder, "copy.csv")]
      const [header = "", ...lines] = readFileSync(minutes, "utf8").trim().split("\n")
      writeFileSync(coarse, [header, ...lines.filter((_, index) => index % 10 === 0)].join("\n"))
      copyFileSync(minutes, copy)
      const backtest = (detail: string) =>
        run("backtest", file, "--data", coarse, "--detail", detail, "--band", "rules", "--no-cache")
      yield* backtest(minutes)
      yield* backtest(copy)
      assert.match(
        yield* run("backtest", "compare", "1", "2"),
        /^same data: .*coarse\.csv .*, .*minutes\.csv \(SHA-256 /m
      )
      writeFileSync(copy, [header, ...lines.slice(0, -1)].join("\n"))
      yield* backtest(copy)
      const { message } = yield* Effect.flip(run("backtest", "compare", "2", "3"))
      assert.match(message, /^different data: /)
    })
  )

  it.live("of other signals, another calibration or other fees of a configuration are different data", () =>
    Effect.gen(function* () {
      const { folder, minutes, run, saved } = yield* prepare
      const [file, signals] = [join(folder, "rules.yaml"), join(folder, "signals.csv")]
      writeFileSync(file, signalText)
      const at = "2021-01-01T01:00:00Z"
      const backtest = (...words: ReadonlyArray<string>) =>
        run("backtest", file, "--data", minutes, "--band", "rules", "--signals", signals, ...words)
      const compared = (one: number, other: number) => run("backtest", "compare", `${one}`, `${other}`)
      writeFileSync(signals, `time,name,value\n${at},mood,1\n`)
      yield* backtest()
      yield* backtest("--fee-bps", "7")
      assert.match(yield* compared(1, 2), /^same data: .*minutes\.csv .*, .*signals\.csv \(SHA-256 /m)
      writeFileSync(signals, `time,name,value\n${at},mood,2\n`)
      yield* backtest()
      assert.match((yield* Effect.flip(compared(2, 3))).message, /^different data: .*signals\.csv/)
      const config = workspace(nowhere)
      const configured = (text: string) => {
        writeFileSync(join(config, "config.yaml"), text)
        return backtest("--config", join(config, "config.yaml"))
      }
      const text = readFileSync(join(config, "config.yaml"), "utf8")
      yield* configured(text)
      yield* configured(`# the same\n${text}`)
      assert.match(yield* compared(4, 5), /^same data: .*config\.yaml \(SHA-256 /m)
      assert.match((yield* Effect.flip(compared(3, 4))).message, /^different data: /)
      yield* configured(text.replace(/decimals: 6/, "decimals: 8"))
      assert.match((yield* Effect.flip(compared(4, 6))).message, /^different data: .*config\.yaml/)
      const kept = JSON.parse(readFileSync(join(saved, "6.json"), "utf8"))
      assert.deepStrictEqual(
        [kept.data, kept.inputs].map((rows) =>
          rows.map((row: Readonly<Record<string, string>>) => row["market"] ?? row["name"])
        ),
        [["BTC/USDC"], ["signals", "configuration"]]
      )
      const { inputs: _, ...earlier } = kept
      writeFileSync(join(saved, "6.json"), JSON.stringify(earlier))
      assert.match(yield* compared(4, 6), /^same data: /m, "an earlier version saved no inputs")
    })
  )

  it.live("have one entry for each of several files", () =>
    Effect.gen(function* () {
      const { backtest, folder, run } = yield* prepare
      const other = join(folder, "other.yaml")
      writeFileSync(other, gridText.replace("cli-grid", "other"))
      const { runs } = JSON.parse(yield* backtest(other, "--json"))
      assert.deepStrictEqual(
        runs.map(({ saved }: { saved: string }) => saved),
        ["1", "2"]
      )
      assert.match(yield* run("backtest", "show", "2"), /^2: other on BTC\/USDC from .*other\.yaml/)
    })
  )

  it.live("are the newest 100, each with its own number, and only their owner can read them", () =>
    Effect.gen(function* () {
      const { backtest, run, saved } = yield* prepare
      mkdirSync(saved, { recursive: true })
      for (let number = 1; number <= 100; number++) writeFileSync(join(saved, `${number}.json`), "{}")
      yield* Effect.all([backtest(), backtest(), backtest()], { concurrency: 3 })
      const names = readdirSync(saved)
      assert.lengthOf(names, 100)
      assert.includeMembers(names, ["4.json", "101.json", "102.json", "103.json"])
      assert.strictEqual(statSync(join(saved, "103.json")).mode & 0o777, 0o600)
      assert.match(
        yield* run("backtest", "list"),
        /^103 .*\n.*99\.json is not a backtest that this version saved: remove/ms
      )
    })
  )

  it.live("are skipped with --no-save, and a backtest that cannot be saved is still shown", () =>
    Effect.gen(function* () {
      const { backtest, folder, saved } = yield* prepare
      assert.notInclude(yield* backtest("--no-save"), "saved as")
      assert.isFalse(existsSync(saved))
      writeFileSync(join(folder, "state"), "a file")
      const answer = yield* backtest()
      assert.match(answer, /^profit and loss/m)
      assert.notInclude(answer, "saved as")
    })
  )

  it.live("are refused under an unknown number, with the numbers that exist", () =>
    Effect.gen(function* () {
      const { backtest, run, saved } = yield* prepare
      const empty = yield* Effect.flip(run("backtest", "show", "1"))
      assert.strictEqual(empty.message, `1: no saved backtest has this number; ${saved} is empty`)
      yield* backtest()
      const { message } = yield* Effect.flip(run("backtest", "compare", "1", "../1"))
      assert.strictEqual(message, "../1: no saved backtest has this number; there are 1 to 1, see `backtest list`")
    })
  )

  it.live("contain the edited text of --stdin, under the name of its file", () =>
    Effect.gen(function* () {
      const { file, minutes, run, runReading } = yield* prepare
      const edited = gridText.replace("cli-grid", "edited")
      const words = ["backtest", file, "--data", minutes, "--band", "rules", "--stdin", "--json"]
      const { strategy } = JSON.parse(yield* runReading(edited, ...words))
      assert.strictEqual(strategy, "edited")
      assert.strictEqual(readFileSync(file, "utf8"), gridText)
      assert.deepInclude(JSON.parse(yield* run("backtest", "show", "1", "--json")), { file, text: edited })
    })
  )
})

describe("search --write", () => {
  const searching = (file: string, minutes: string) => ["search", file, "--data", minutes, "--set", "grid.levels=5,9"]

  it.live("writes the best values into the file, keeps its link and mode, and shows the lines", () =>
    Effect.gen(function* () {
      const { file, folder, minutes, run } = yield* prepare
      const link = join(folder, "link.yaml")
      symlinkSync(file, link)
      const { mode } = statSync(file)
      const { best, written } = JSON.parse(yield* run(...searching(link, minutes), "--write", "--json"))
      const levels = best[0].set["grid.levels"]
      assert.strictEqual(readFileSync(file, "utf8"), gridText.replace("levels: 11", `levels: ${levels}`))
      assert.isTrue(lstatSync(link).isSymbolicLink())
      assert.strictEqual(statSync(file).mode, mode)
      assert.isFalse(written.isWithheld)
      assert.deepStrictEqual(written.changes, [
        { sign: "-", line: 8, text: "  levels: 11" },
        { sign: "+", line: 8, text: `  levels: ${levels}` }
      ])
      assert.match(
        yield* run(...searching(file, minutes), "--write"),
        /^The change\n.*grid\.yaml has the best values already$/m
      )
    })
  )

  it.live("changes nothing if no trial meets the conditions, or if the file is edited meanwhile", () =>
    Effect.gen(function* () {
      const { file, minutes, run } = yield* prepare
      const none = yield* Effect.flip(run(...searching(file, minutes), "--write", "--where", "fills>=1000000"))
      assert.match(none.message, /grid\.yaml is not changed: no trial meets the conditions$/)
      let reads = 0
      const edited = (files: FileSystem.FileSystem): FileSystem.FileSystem => ({
        ...files,
        readFileString: (name) =>
          Effect.map(files.readFileString(name), (text) =>
            name === file && reads++ > 0 ? text.replace("45000", "46000") : text
          )
      })
      const late = yield* Effect.flip(limitbotOn(edited, ...searching(file, minutes), "--write"))
      assert.match(late.message, /is not changed: it was edited during the search; search again$/)
      assert.strictEqual(readFileSync(file, "utf8"), gridText)
    })
  )

  it("shows the plan with --config, and does not write an unsafe one", async () => {
    const cwd = workspace(await startStill(), { "tiny.yaml": tinyText })
    const text = readFileSync(join(cwd, "grid.yaml"), "utf8")
    const minutes = ["data", "generate", "minutes.csv", "--bars", "3000", "--price", "60000"]
    assert.strictEqual((await runHere(minutes, { cwd })).code, 0)
    const search = (file: string, values: string) =>
      runHere(["search", file, "--data", "minutes.csv", "--set", values, "--write", "--config", "config.yaml"], {
        cwd
      })
    assertSays(await search("tiny.yaml", "grid.levels=51"), 1, /tiny\.yaml is not changed: its plan is not safe/)
    assert.strictEqual(readFileSync(join(cwd, "tiny.yaml"), "utf8"), tinyText)
    const good = await search("grid.yaml", "grid.levels=11")
    assert.strictEqual(good.code, 0, good.stderr)
    assert.match(good.stdout, /^The change\n.*best values now.*\n- .*\n\+ +5 .*levels: 11.*\n\n[\s\S]*cell-09/m)
    assert.strictEqual(readFileSync(join(cwd, "grid.yaml"), "utf8"), text.replace("levels: 21", "levels: 11"))
  })
})
