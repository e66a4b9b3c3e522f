/** Everything that can be wrong before the first order: one clear message, no stack trace, the right exit code. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { writeDoubtful } from "../world/bot/doubtful.ts"
import { assertSays, configText, gridText, newFolder, nowhere, runHere, workspace } from "../world/processes/program.ts"

const config = configText(nowhere)
const runGrid = ["run", "grid.yaml", "--config", "config.yaml"]

/** Nine anchors, each ten of the one before: a gigabyte when they are expanded. */
const bomb = ["a0: &a0 [x]"]
  .concat([...Array(9).keys()].map((n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(",")}]`))
  .join("\n")

describe.concurrent("wrong configuration ends with one message:", () => {
  const twoMistakes = config.replace("verifier", "verifyer").replace("decimals: 8", "decimals: eight")
  const noSecrets = config.replace("api.key", "nowhere.key").replace("file: account.key", "env: NOT_SET")
  const openUrl = config.replace(nowhere.url, "http://venue.example").replace("{ file: api.key }", "sk-12345")
  const cases: ReadonlyArray<readonly [name: string, text: string, ...says: ReadonlyArray<RegExp>]> = [
    ["syntax error", "venue: [1,\n", /config\.yaml:2:1: brackets or braces are not closed/],
    [
      "unknown key, wrong type",
      twoMistakes,
      /:3:3: unknown key "verifyer"/,
      /did you mean "verifier"/,
      /found "eight"/
    ],
    ["secrets that are not there", noSecrets, /:\d:11: cannot read the secret file/, /variable NOT_SET is not set/],
    ["literal secret, open network", openUrl, /never put a secret in this file/, /:2:8: expected an address/],
    ["huge", `${config}${"# padding\n".repeat(400_000)}`, /config\.yaml:1:1: the file h/],
    ["aliases that multiply", `${bomb}\n${config}`, /config\.yaml:\d+:\d+: .*(alias|anchor)/],
    [
      "a journal nowhere",
      config.replace("journal.sqlite", "no/where.sqlite"),
      /no cannot be written: .*create the folder/s
    ]
  ]
  for (const [name, text, ...says] of cases) {
    it(name, async () => {
      const ended = await runHere(runGrid, { cwd: workspace(nowhere, { "config.yaml": text }) })
      for (const what of says) assertSays(ended, 1, what)
      assert.strictEqual(ended.stdout, "")
      assert.notInclude(ended.stderr, "sk-12345")
    })
  }

  it("a missing file", async () => {
    assertSays(
      await runHere(["status", "--config", "none.yaml"]),
      1,
      /none\.yaml:1:1: the configuration file cannot be read/
    )
  })

  it("a secret file that others can read", async () => {
    const cwd = workspace(nowhere)
    chmodSync(join(cwd, "api.key"), 0o644)
    assertSays(await runHere(runGrid, { cwd }), 1, /others can read the secret file \S+api\.key: run chmod 600 on it/)
  })

  it("a malformed account key", async () => {
    const cwd = workspace(nowhere, { "account.key": "ed25519:oops\n" })
    const ended = await runHere(runGrid, { cwd })
    assertSays(ended, 1, /account\.key is not base58 of 32 or 64 bytes/)
    assert.notInclude(ended.stderr, "oops")
  })
})

describe.concurrent("unwritable output", () => {
  it.skipIf(process.platform !== "linux")(
    "an export into an unwritable folder ends with an error at once",
    async () => {
      const cwd = workspace(nowhere)
      await writeDoubtful(join(cwd, "journal.sqlite"), 1)
      const ended = await runHere(
        ["export", "--config", "config.yaml", "--format", "csv", "--out", "/proc/none/books"],
        {
          cwd
        }
      )
      assertSays(ended, 1, /^limitbot: \/proc\/none: no such file or folder\n$/)
    }
  )

  for (const [name, out, says] of [
    ["a folder that is not there", "none/a.csv", /limitbot: none\/a\.csv\.unfinished: no such file or folder/],
    ["a folder where the file should be", "folder", /limitbot: folder\S*: it is a folder/]
  ] as const) {
    it(`${name}: the error names the file, and no unfinished file remains`, async () => {
      const cwd = workspace(nowhere)
      mkdirSync(join(cwd, "folder"))
      const before = readdirSync(cwd)
      assertSays(await runHere(["data", "generate", out, "--bars", "10"], { cwd }), 1, says)
      assert.deepStrictEqual(readdirSync(cwd), before)
    })
  }
})

describe.concurrent("bad strategies", () => {
  const wrong = {
    "asset.yaml": gridText.replace("BTC/", "DOGE/").replace("kind: grid", "kind: gird"),
    "upside-down.yaml": gridText.replace("name: grid", "name: down").replace("upper: 61000", "upper: 51000"),
    "price.yaml": gridText.replace("name: grid", "name: price").replace("59000", "low"),
    "syntax.yaml": `${gridText}  - {`,
    "huge.yaml": `${gridText}${"# padding\n".repeat(200_000)}`,
    "twin.yaml": gridText
  }

  it("are listed with every mistake of every file at once", async () => {
    const cwd = workspace(nowhere, wrong)
    const ended = await runHere(["run", "grid.yaml", ...Object.keys(wrong), "none.yaml", "--config", "config.yaml"], {
      cwd
    })
    const says = [
      /asset\.yaml:2:9: no asset "DOGE" in the configuration/,
      /asset\.yaml:3:7: .*"gird"/,
      /did you mean "grid"\?/,
      /upside-down\.yaml:5:\d+: the upper price must be above the lower/,
      /price\.yaml:5:16: .*found "low"/,
      /syntax\.yaml:\d+:\d+: /,
      /huge\.yaml.*: /,
      /twin\.yaml:1:7: the strategy name "grid" is taken by grid\.yaml/,
      /none\.yaml: the strategy file cannot be read/
    ]
    for (const what of says) assertSays(ended, 1, what)
    assert.strictEqual(ended.stdout, "")
  })

  it("are listed by check --json in exactly the documented form", async () => {
    const cwd = workspace(nowhere, wrong)
    const ended = await runHere(["check", "asset.yaml", "--config", "config.yaml", "--json"], { cwd })
    assert.deepStrictEqual([ended.code, ended.stderr], [1, ""])
    const { ok, problems, ...others } = JSON.parse(ended.stdout)
    assert.deepStrictEqual([ok, others], [false, { warnings: [] }])
    for (const problem of problems) {
      assert.deepStrictEqual(Object.keys(problem), ["file", "line", "column", "message", "hint"])
    }
    assert.deepStrictEqual([problems[1].file, problems[1].line, problems[1].column], ["asset.yaml", 3, 7])
  })

  it("check of a good file finds nothing, and needs no secrets", async () => {
    const cwd = workspace(nowhere, { "config.yaml": config.replaceAll(/file: \w+\.key/g, "env: NOT_SET") })
    const asJson = await runHere(["check", "grid.yaml", "--config", "config.yaml", "--json"], { cwd })
    assert.deepStrictEqual([asJson.code, asJson.stdout], [0, '{"ok":true,"problems":[],"warnings":[]}\n'])
  })
})

describe.concurrent("a market that the configuration lacks", () => {
  const dollars = gridText.replace("BTC/USDC", "BTC/USD").replace("name: grid", "name: dollars")
  const folder = (): string => {
    const cwd = workspace(nowhere, { "dollars.yaml": dollars })
    mkdirSync(join(cwd, "config"))
    writeFileSync(join(cwd, "config", "limitbot.yaml"), config)
    return cwd
  }
  const candles = ["data", "generate", "candles.csv", "--bars", "200"]
  const backtest = ["backtest", "dollars.yaml", "--data", "candles.csv", "--band", "rules"]

  it("passes check and backtest until --config is given, and check warns that run would refuse it", async () => {
    const cwd = folder()
    assert.strictEqual((await runHere(candles, { cwd })).code, 0)
    assert.strictEqual((await runHere(backtest, { cwd })).code, 0)
    const checked = await runHere(["check", "grid.yaml", "dollars.yaml"], { cwd })
    assert.strictEqual(checked.code, 0, checked.stderr)
    assert.match(checked.stdout, /^grid\.yaml: ok: grid, /)
    assert.include(
      checked.stdout,
      "dollars.yaml: ok, but not in config/limitbot.yaml: run would refuse it: dollars, grid on BTC/USD\n"
    )
    assert.match(
      checked.stderr,
      /^warning: dollars\.yaml:2:9: no asset "USD" in config\/limitbot\.yaml, so run would refuse this file[\s\S]*did you mean "USDC"\?/
    )
    const { ok, problems, warnings } = JSON.parse((await runHere(["check", "dollars.yaml", "--json"], { cwd })).stdout)
    assert.deepStrictEqual([ok, problems, warnings.length, warnings[0].line], [true, [], 1, 2])
    const named = ["--config", "config.yaml"]
    for (const command of [["check", "dollars.yaml"], backtest, ["run", "dollars.yaml"]])
      assertSays(
        await runHere([...command, ...named], { cwd }),
        1,
        /dollars\.yaml:2:9: no asset "USD" in the configuration/
      )
  })

  it("hides no other mistake of the file", async () => {
    const cwd = folder()
    writeFileSync(join(cwd, "dollars.yaml"), dollars.replace("levels", "lvels"))
    assertSays(await runHere(["check", "dollars.yaml"], { cwd }), 1, /dollars\.yaml:5:\d+: unknown key "lvels"/)
  })
})

describe.concurrent("commands without a configuration", () => {
  it("print a budget that is too small in few digits, even if its amounts have eighteen", async () => {
    const cells = "size: { quote: 750 }, spacing: geometric, fundNearest: 4"
    const cwd = workspace(nowhere, {
      "grid.yaml": gridText.replace("quote: 6000", "quote: 1000").replace("size: { base: 0.005 }", cells)
    })
    assert.strictEqual((await runHere(["data", "generate", "candles.csv", "--bars", "200"], { cwd })).code, 0)
    assertSays(
      await runHere(["backtest", "grid.yaml", "--data", "candles.csv"], { cwd }),
      1,
      /4 buys resting at once need 3000 USDC of quote budget, and it has 1000 USDC/
    )
  })
})

describe.concurrent("the command line", () => {
  const cases: ReadonlyArray<readonly [args: string, says: RegExp]> = [
    ["run", /Missing required argument: file\nTry: limitbot run --help\n$/],
    ["explain a b --bogus", /Unrecognized flag: --bogus/],
    ["run grid.yaml --for 3x", /Invalid value for flag --for: "3x"\. Expected: a duration such as 30s/],
    ["bogus", /Unknown subcommand "bogus" [\s\S]*Try: limitbot --help\n$/]
  ]
  for (const [args, says] of cases) {
    it(`limitbot ${args}: is wrong usage`, async () => {
      const ended = await runHere(args.split(" "))
      assertSays(ended, 2, says)
      assert.strictEqual(ended.stdout, "")
    })
  }

  it("--help prints the flags and ends with 0", async () => {
    const ended = await runHere(["run", "--help"])
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    assert.include(ended.stdout, "--cancel-on-exit")
  })

  it("a sandbox on a busy port says so", async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const ended = await runHere(["sandbox", "--port", `${port}`])
    server.close()
    assert.strictEqual(ended.code, 1)
    assert.match(ended.stderr, new RegExp(`^limitbot: 127\\.0\\.0\\.1:${port} is in use by another program`))
  })

  it("synthetic candles replace a file only with --overwrite", async () => {
    const cwd = newFolder()
    writeFileSync(join(cwd, "mine.csv"), "mine")
    const ended = await runHere(["data", "generate", "mine.csv", "--bars", "10"], { cwd })
    assert.strictEqual(ended.code, 2)
    assert.match(ended.stderr, /mine\.csv exists: name another file, or add --overwrite/)
    assert.strictEqual(
      (await runHere(["data", "generate", "mine.csv", "--bars", "10", "--overwrite"], { cwd })).code,
      0
    )
  })

  it("missing candles are reported", async () => {
    assertSays(await runHere(["demo", "--candles", "nowhere.csv", "--for", "1s"]), 1, /nowhere\.csv/)
  })
})

describe.concurrent("a command without a usable journal ends with one message:", () => {
  it("no journal yet", async () => {
    const ended = await runHere(["explain", "grid/cell-00", "--config", "config.yaml"], { cwd: workspace(nowhere) })
    assertSays(ended, 1, /No journal at \S+journal\.sqlite yet/)
  })

  it("a journal that is a folder", async () => {
    const cwd = workspace(nowhere)
    mkdirSync(join(cwd, "journal.sqlite"))
    assertSays(await runHere(["status", "--config", "config.yaml"], { cwd }), 1, /Cannot open the database/)
  })

  it("a journal that is not a database", async () => {
    const cwd = workspace(nowhere, { "journal.sqlite": "this is no database\n".repeat(100) })
    assertSays(
      await runHere(["status", "--config", "config.yaml"], { cwd }),
      1,
      /Cannot read the journal: file is not a database/
    )
  })
})
