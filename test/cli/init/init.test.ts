/** What `limitbot init` writes passes `check`, for every kind; and nothing is replaced without a yes. */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { askMarket } from "../../../src/app/init/FileInputs.ts"
import { kindOf, mistakeIn, strategyText } from "../../../src/app/init/InitText.ts"
import * as Interview from "../../../src/app/init/Interview.ts"
import type { Market } from "../../../src/domain/Market.ts"
import type { Kind } from "../../../src/strategy/Kind.ts"
import { grid } from "../../../src/strategy/kinds/grid/grid.ts"
import { kinds } from "../../../src/strategy/kinds.ts"
import type { Answers } from "../../../src/strategy/Setup.ts"
import { parse } from "../../../src/strategy/StrategyFile.ts"
import type { Token } from "../../../src/venue/Venue.ts"
import { limitbot } from "../../builtProgram.ts"
import { isLong } from "../../long.ts"
import { markets, price, strategyOf } from "../../strategy/support.ts"
import { newFolder, runHere, startStill } from "../../world/processes/program.ts"
import { recordingProxy } from "../../world/processes/recordingProxy.ts"
import { ctrlC, hasTerminals, open } from "../../world/processes/terminal.ts"

interface Said {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Asks nothing. */
const run = async (cwd: string, args: ReadonlyArray<string>): Promise<Said> => {
  const { code, ...texts } = await runHere(args, { cwd })
  return { status: code, ...texts }
}

/** The program with answers that are piped in. The sandboxes of the tests live in this process, so it must not block. */
const interview = (cwd: string, args: ReadonlyArray<string>, answers: ReadonlyArray<string>) =>
  new Promise<Said>((done) => {
    const child = spawn(process.execPath, [limitbot, ...args], { cwd })
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (text) => (stdout += text))
    child.stderr.on("data", (text) => (stderr += text))
    child.on("close", (status) => done({ status, stdout, stderr }))
    child.stdin.on("error", () => {})
    child.stdin.end(answers.map((answer) => `${answer}\n`).join(""))
  })

const market = strategyOf(readFileSync("strategies/dca.yaml", "utf8")).market

/** Answers one by one as a person would, each question from the answers before it; an empty answer takes the fallback. */
const answered = ({ name: kind, setup }: Kind, given: (key: string) => string, of: Market = market): Answers => {
  const known = new Map([
    ["kind", kind],
    ["name", `my-${kind}`]
  ])
  for (const step of setup(of).steps) {
    const question = step((key) => known.get(key) ?? "")
    assert.isDefined(question)
    const answer = given(question.key) || (question.fallback ?? "")
    assert.isUndefined(mistakeIn(question, answer), `${kind} ${question.key}: ${answer}`)
    known.set(question.key, answer)
  }
  return known
}

const problemsOf = (answers: Answers): ReadonlyArray<string> => {
  const text = strategyText(market, kindOf(answers), answers, "# yaml-language-server: $schema=x\n")
  assert.match(text, /^# yaml-language-server: /)
  const parsed = parse(text, "my.yaml", markets)
  return Result.isSuccess(parsed) ? [] : parsed.failure.map(({ line, message }) => `${line}: ${message}\n${text}`)
}

const cents = Schema.Int.check(Schema.isBetween({ minimum: 10_000, maximum: 20_000_000 }))
const count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))

/** Only what has no default. */
const needed = (middle: number, isBuy: boolean): Readonly<Record<string, string>> => {
  const at = (share: number) => (middle * share).toFixed(2)
  return {
    lower: at(0.9),
    upper: at(1.1),
    from: at(0.98),
    to: at(0.95),
    limit: at(1),
    price: at(1),
    entry: at(1),
    takeProfit: at(isBuy ? 1.1 : 0.9),
    stop: at(isBuy ? 0.95 : 1.05),
    side: isBuy ? "buy" : "sell"
  }
}

describe("limitbot init", () => {
  for (const kind of kinds) {
    it.prop(
      `writes a ${kind.name} file that passes check, from any prices and sizes`,
      [cents, count],
      ([middle, scale]) => {
        for (const isBuy of [true, false]) {
          const isOfBase = kind.name === "market-making" || !(isBuy || ["grid", "dca", "rules"].includes(kind.name))
          const sizes = { size: isOfBase ? `0.0${scale}` : `${100 * scale}`, base: `${scale}` }
          const sums = {
            total: isBuy ? `${1000 * scale}` : `${scale}`,
            quote: `${50_000 * scale}`,
            budget: `${50_000 * scale}`
          }
          const all: Readonly<Record<string, string>> = { ...needed(middle / 100, isBuy), ...sizes, ...sums }
          assert.strictEqual(problemsOf(answered(kind, (key) => all[key] ?? "")).join("\n"), "")
        }
      }
    )
  }

  it("asks again for a price on the wrong side of an earlier answer", () => {
    const [, , upper] = grid.setup(market).steps
    const question = upper?.(() => "70000")
    assert.strictEqual(question?.text, "Highest price, above 70000")
    assert.strictEqual(question && mistakeIn(question, "50000"), 'expected a price above 70000, found "50000"')
    assert.isUndefined(question && mistakeIn(question, "70000.01"))
  })

  it("asks for the total before the cell size, and offers an even share, which is the maximum", () => {
    const answers = new Map<string, string>()
    const [total, ...others] = grid.setup(market).steps.map((step) => step((key) => answers.get(key) ?? "")?.key)
    assert.deepStrictEqual([total, ...others], ["budget", "lower", "upper", "levels", "size", "base"])
    answers.set("budget", "1000").set("levels", "31")
    const size = grid.setup(market).steps[4]?.((key) => answers.get(key) ?? "")
    assert.strictEqual(size?.fallback, "33.333333")
    assert.isUndefined(size && mistakeIn(size, "33.333333"))
    assert.strictEqual(size && mistakeIn(size, "34"), "30 of them need 1020 USDC, of 1000; at most 33.333333")
    const given = grid.setup(market).steps[0]?.((key) => (key === "size" ? "100" : ""))
    assert.isUndefined(given)
  })

  it("offers a visible part of an iceberg that leaves no dust at the end", () => {
    const given = new Map(Object.entries({ side: "buy", total: "1000", price: "58070" }))
    const iceberg = kinds.find(({ name }) => name === "iceberg")
    const all = iceberg && answered(iceberg, (key) => given.get(key) ?? "")
    assert.strictEqual(all?.get("visible"), "101")
  })

  it("says what a grid cell earns in a round after fees of fills and payouts, or that it loses", () => {
    const answers = new Map(Object.entries({ lower: "50000", upper: "60000", levels: "21", size: "100" }))
    const earns = (payouts: ReadonlyMap<string, bigint>) =>
      grid.setup({ ...market, costs: { fillBasisPoints: 20, payouts } }).earns?.((key) => answers.get(key) ?? "")
    // 100 × (1.2 ^ (1 / 20) × 0.998² − 1), each fee rounded up
    assert.strictEqual(
      earns(new Map()),
      "Each of its 20 cells earns 0.512 USDC a round (0.51 %), after fees of 0.20 % of every fill."
    )
    // Of 0.00166666 BTC the payout takes 0.01 %, and of 100 USDC 0.02 %.
    const flat = new Map(["BTC", "USDC"].map((symbol) => [symbol, symbol === "BTC" ? 16n : 20_000n] as const))
    assert.strictEqual(
      earns(flat),
      "Each of its 20 cells earns 0.482 USDC a round (0.48 %), after fees of 0.20 % of every fill, 0.00000016 BTC and 0.02 USDC of payouts."
    )
    answers.set("levels", "201")
    assert.match(
      earns(new Map()) ?? "",
      /^Each of its 200 cells loses 0\.309 USDC a round \(-0\.31 %\).*: take fewer levels/
    )
  })

  it("says how many cells of a grid work at the present price, and what buyBase pays for the others", () => {
    const answers = new Map(Object.entries({ lower: "50000", upper: "60000", levels: "3", size: "100", base: "0" }))
    const says = (at: string) => grid.setup(market).earns?.((key) => answers.get(key) ?? "", price(at)) ?? ""
    // The upper cell buys at 54772.256, so it sells 100 / 54772.256 BTC.
    assert.include(
      says("52000"),
      ". At 52000, 1 of them work from the start; with buyBase: true all do, for 0.00182574 BTC, about 94.9 USDC."
    )
    assert.include(
      says("49000"),
      " At 49000, 0 of them work from the start; with buyBase: true all do, for 0.00382574 BTC"
    )
    answers.set("base", "0.0019")
    assert.notInclude(says("52000"), "At 52000")
    assert.notInclude(says("61000"), "At 61000")
  })

  it("accepts every price that it offers, and returns to any question, the market included", async () => {
    const { url } = await startStill()
    const cwd = newFolder()
    const args = ["init", "my.yaml", "--config", "config/limitbot.yaml"]
    const grid = ["grid", "2000", "90000", "<", "<", "<", "<"]
    const answers = [
      url,
      "ETH/USDC",
      ...grid,
      url,
      "BTC/USDC",
      "grid",
      "1000",
      "90000",
      "<",
      "50000",
      "70000",
      "11",
      "",
      "",
      ""
    ]
    const said = await interview(cwd, args, answers)
    assert.strictEqual(said.status, 0, said.stdout + said.stderr)
    assert.match(said.stdout, /Highest price, above 90000 ›/)
    assert.match(said.stdout, /Each of its 10 cells earns 3\.38 USDC a round \(3\.38 %\)/)
    assert.include(said.stdout, "Wrote my.yaml: btc-grid may use 1000 USDC.")
    assert.match(readFileSync(join(cwd, "my.yaml"), "utf8"), /lower: 50000\n {2}upper: 70000\n {2}levels: 11 /)
  })

  it.skipIf(!hasTerminals())("prints its last message on a new line after Ctrl-C", async () => {
    const { url } = await startStill()
    const terminal = open(`"${process.execPath}" "${limitbot}" init my.yaml --venue ${url}`, {
      cwd: newFolder(),
      columns: 100,
      rows: 30,
      environment: process.env
    })
    await terminal.shows(/Market, as BASE\/QUOTE/)
    terminal.press(ctrlC)
    assert.strictEqual(await terminal.ended, 1)
    assert.match(terminal.screen(), /›[^\n]*\n(?:[^\n]*\n)*limitbot: nothing was written/)
  })

  it("at a sandbox: takes its keys, shows the price, offers prices near it, and avoids used names", async () => {
    const { url } = await startStill()
    const cwd = newFolder()
    const args = ["init", "my.yaml", "--config", "config/limitbot.yaml"]
    const early = await interview(cwd, args, [url, "BTC/USDC", "grid"])
    assert.strictEqual(early.stderr, "limitbot: nothing was written\n")
    assert.isFalse(existsSync(join(cwd, "my.yaml")) || existsSync(join(cwd, "config")))

    const first = await interview(cwd, args, [url, "BTC/USDC", "grid", "1000", "", "", "11", "", "0.02", ""])
    assert.strictEqual(first.status, 0, first.stderr)
    assert.include(first.stdout, "Tokens of the venue: BTC, ETH, SOL, USDC, wNEAR, USDT")
    const [, price] = /BTC\/USDC is at ([\d.]+) now/.exec(first.stdout) ?? []
    assert.include(first.stdout, "Wrote my.yaml: btc-grid may use 0.02 BTC and 1000 USDC.")
    const text = readFileSync(join(cwd, "my.yaml"), "utf8")
    assert.isTrue(text.startsWith("# yaml-language-server: $schema=strategy.schema.json\n"), text)
    assert.isTrue(existsSync(join(cwd, "strategy.schema.json")) && existsSync(join(cwd, "config/config.schema.json")))
    assert.isTrue(Result.isSuccess(parse(text, "my.yaml", markets)), text)
    const [, lower] = /lower: (\S+)/.exec(text) ?? []
    assert.closeTo(Number(lower) / Number(price), 0.9, 0.001)
    assert.strictEqual(statSync(join(cwd, "config/limitbot.account.key")).mode & 0o777, 0o600)
    const plan = await run(cwd, ["plan", "my.yaml", "--config", "config/limitbot.yaml"])
    assert.match(plan.stdout, /Plan: \d+ created/, plan.stderr)

    const no = await interview(cwd, args, ["no"])
    assert.deepStrictEqual([no.status, no.stderr], [1, "limitbot: nothing was written\n"])
    assert.strictEqual(readFileSync(join(cwd, "my.yaml"), "utf8"), text)
    const unfit = await interview(cwd, args, ["yes", "BTC/USDC", "iceberg", "buy", "100", "60000", "200", ""])
    assert.strictEqual(unfit.status, 1)
    assert.match(unfit.stderr, /nothing was written, the answers are not a valid strategy:\nmy\.yaml:\d+:\d+: /)
    assert.strictEqual(readFileSync(join(cwd, "my.yaml"), "utf8"), text)

    const flags = ["--kind", "grid", "--set", "size=50", "--yes"]
    const second = await run(cwd, ["init", "other.yaml", "--config", "config/limitbot.yaml", ...flags])
    assert.include(second.stdout, "Wrote other.yaml: btc-grid-2 may use 1000 USDC.", second.stderr)
    const kept = await run(cwd, [...args, ...flags])
    assert.match(kept.stderr, /my\.yaml exists, nothing was written: name another file, or add --overwrite/)
    const twin = await run(cwd, [...args.with(1, "third.yaml"), ...flags, "--name", "btc-grid"])
    assert.match(twin.stderr, /--name: the name "btc-grid" is in use by .*my\.yaml; for example "btc-grid-3"/)
    const needless = await run(cwd, [...args.with(1, "third.yaml"), ...flags, "--set", "hight=7"])
    assert.match(needless.stderr, /nothing asks for "hight", nothing was written; grid asks for lower, upper/)
    assert.strictEqual(needless.status, 2)
    assert.isFalse(existsSync(join(cwd, "third.yaml")))
  })

  it("at a service: reads its tokens, and makes a key that only its owner can read, by flags alone", async () => {
    const { apiKey, url: target } = await startStill()
    const { close, url, requests } = await recordingProxy(target, "/sandbox")
    const cwd = newFolder()
    writeFileSync(join(cwd, "api.key"), `${apiKey}\n`, { mode: 0o600 })
    const args = ["init", "my.yaml", "--config", "my-config.yaml", "--yes", "--venue", url]
    const all = [...args, "--api-key-file", "api.key", "--market", "SOL/USDC", "--kind", "dca", "--set", "size=20"]
    const readable = await run(cwd, [...args, "--key-file", "api.key"])
    assert.match(readable.stderr, /nothing was written, --key-file: account\.key does not start with "ed25519:"/)
    const made = await run(cwd, all)
    assert.strictEqual(made.status, 0, made.stderr)
    assert.include([...requests], "GET /v0/tokens")
    assert.include([...requests], "POST /v0/quote")
    assert.match(made.stdout, /SOL\/USDC is at \d/)
    const key = readFileSync(join(cwd, "my-config.account.key"), "utf8").trim()
    assert.strictEqual(statSync(join(cwd, "my-config.account.key")).mode & 0o777, 0o600)
    assert.isFalse(`${made.stdout}${readFileSync(join(cwd, "my-config.yaml"), "utf8")}`.includes(key))
    const [, account] = /Account ([0-9a-f]{64}) \(ed25519:/.exec(made.stdout) ?? []
    const status = await run(cwd, ["check", "my.yaml", "--config", "my-config.yaml"])
    assert.include(status.stdout, "ok: sol-dca", status.stderr)
    const doctor = await run(cwd, ["check", "--config", "my-config.yaml"])
    assert.include(doctor.stdout, `signs for ${account}`)
    await close()

    const away = await run(newFolder(), [...args.slice(0, -1), "http://127.0.0.1:1"])
    assert.match(away.stderr, /nothing was written, --venue: .*http:\/\/127\.0\.0\.1:1/)
  })

  it("accepts a key file at a sandbox of a deployed service, and says that it is not used", async () => {
    const { url } = await startStill({ like: "near-2026-11" })
    const cwd = newFolder()
    assert.strictEqual((await run(cwd, ["key", "new", "--out", "account.key"])).status, 0)
    const made = await run(cwd, [
      ...["init", "my.yaml", "--venue", url, "--profile", "near-2026-11", "--key-file", "account.key"],
      ...["--market", "BTC/USDC", "--kind", "grid", "--set", "size=5", "--yes"]
    ])
    assert.strictEqual(made.status, 0, made.stderr)
    assert.match(made.stdout, /its own funded account and API key, so --key-file is not used/)
    const order = await run(cwd, ["first-order", "--dry"])
    assert.match(order.stdout, /^ +\+ buy-\w+ +BUY +[\d.]+ BTC +at +\d+ +locks +[\d.]+ USDC/m, order.stderr)
  })

  it.skipIf(!isLong)(
    "at a service with confidential accounts: pays from the public account, and says what to shield",
    async () => {
      const { apiKey, url: target } = await startStill({ like: "near-2026-11" })
      const dca = ["--market", "SOL/USDC", "--kind", "dca", "--set", "size=20", "--yes", "--profile", "near-2026-11"]
      const { close, url } = await recordingProxy(target, "/sandbox")
      const cwd = newFolder()
      writeFileSync(join(cwd, "api.key"), `${apiKey}\n`, { mode: 0o600 })
      const made = await run(cwd, [
        "init",
        "my.yaml",
        "-c",
        "my.yml",
        "--venue",
        url,
        "--api-key-file",
        "api.key",
        ...dca
      ])
      await close()
      assert.strictEqual(made.status, 0, made.stderr)
      const text = readFileSync(join(cwd, "my.yml"), "utf8")
      assert.match(text, /^ {2}profile: near-2026-11 /m)
      assert.match(
        text,
        /^ {2}# depositType: CONFIDENTIAL_INTENTS .*by invitation: needs its own partnerJwt, saltFrom/m
      )
      assert.notMatch(made.stdout, /--to confidential/)
      const confidential = (file: string) => {
        const path = join(cwd, file)
        const key = /^ {2}key: .*$/m
        writeFileSync(path, readFileSync(path, "utf8").replace(key, "$&\n  depositType: CONFIDENTIAL_INTENTS"))
      }
      confidential("my.yml")
      const invited = await run(cwd, ["init", "invited.yaml", "-c", "my.yml", ...dca])
      assert.match(
        invited.stdout,
        /paid from the confidential account.*: limitbot swap [\d.]+ USDC --to confidential --config my\.yml/
      )
      const facts = await run(cwd, ["check", "--profile", "--json", "-c", "my.yml"])
      assert.strictEqual(JSON.parse(facts.stdout).profile, "near-2026-11")

      // A sandbox's account has a million there.
      const rich = await run(cwd, ["init", "rich.yaml", "-c", "sandbox.yml", "--venue", target, ...dca])
      assert.strictEqual(rich.status, 0, rich.stderr)
      assert.notMatch(rich.stdout, /--to confidential/)
      assert.notMatch(readFileSync(join(cwd, "sandbox.yml"), "utf8"), /depositType/)
      confidential("sandbox.yml")
      const much = ["init", "much.yaml", "-c", "sandbox.yml", ...dca.with(5, "size=1000000")]
      const poor = await run(cwd, much)
      assert.match(poor.stdout, /has 1000000 USDC of \d+ USDC.*limitbot swap \d+ USDC --to confidential/, poor.stderr)
    }
  )

  it("asks for the chain of a symbol that the venue has on several chains", async () => {
    const token = (symbol: string, blockchain: string): Token => {
      return { assetId: `nep141:${symbol}.${blockchain}`, symbol, blockchain, decimals: 6, priceUsd: 1 }
    }
    const tokens = [token("BTC", "btc"), token("USDC", "eth"), token("USDC", "base"), token("USDC", "near")]
    const answers = new Map([
      ["market", "BTC/USDC"],
      ["chain.USDC", "base"]
    ])
    const asked = (given: ReadonlyMap<string, string>) =>
      Effect.gen(function* () {
        return yield* askMarket(yield* Interview.make(given, true), { url: "", tokens, sandbox: undefined })
      }).pipe(Effect.provide(NodeServices.layer), Effect.scoped)
    const unanswered = await Effect.runPromise(Effect.flip(asked(new Map([["market", "BTC/USDC"]]))))
    assert.match(unanswered.message, /chain\.USDC.*USDC of which chain: eth, base, near/)
    const { markets } = await Effect.runPromise(asked(answers))
    assert.deepStrictEqual(
      markets.assets.map(({ id }) => id),
      ["nep141:BTC.btc", "nep141:USDC.base"]
    )
  })
})

describe("limitbot init --like", () => {
  it("writes a valid strategy of the catalogue, and lists the names", async () => {
    const cwd = newFolder()
    const like = (name: string, file: string) => run(cwd, ["init", file, "--like", name])
    assert.strictEqual((await like("rsi-oversold", "mine.yaml")).status, 0)
    const written = readFileSync(join(cwd, "mine.yaml"), "utf8")
    assert.strictEqual(strategyOf(written).name, "rsi-oversold")
    assert.isTrue(existsSync(join(cwd, "strategy.schema.json")))
    assert.match((await like("golden-cross", "mine.yaml")).stderr, /mine\.yaml exists, nothing was written/)
    assert.match((await like("golden-croos", "other.yaml")).stderr, /did you mean "golden-cross"\?/)
  })
})
