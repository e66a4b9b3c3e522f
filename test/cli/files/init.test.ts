/** What `limitbot init` writes passes `check`, for every kind; and nothing is replaced without a yes. */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { mistakeIn, strategyText } from "../../../src/cli/files/InitText.ts"
import type { Market } from "../../../src/domain/Market.ts"
import type { Kind } from "../../../src/strategy/Kind.ts"
import { grid } from "../../../src/strategy/kinds/grid.ts"
import { kinds } from "../../../src/strategy/kinds.ts"
import type { Answers } from "../../../src/strategy/Setup.ts"
import { parse } from "../../../src/strategy/StrategyFile.ts"
import { limitbot } from "../../builtProgram.ts"
import { markets, strategyOf } from "../../strategy/support.ts"
import { newFolder } from "../program.ts"

const run = (cwd: string, args: ReadonlyArray<string>, answers: ReadonlyArray<string> = []) => {
  const input = answers.map((answer) => `${answer}\n`).join("")
  const { status, stdout, stderr } = spawnSync(process.execPath, [limitbot, ...args], { cwd, input, encoding: "utf8" })
  return { status, stdout, stderr }
}

const market = strategyOf(readFileSync("strategies/dca.yaml", "utf8")).market

/** Answers one by one as a person would, each question from the answers before it; an empty answer takes the fallback. */
const answered = ({ name: kind, setup }: Kind, given: (key: string) => string, of: Market = market): Answers => {
  const known = new Map([
    ["kind", kind],
    ["name", `my-${kind}`]
  ])
  for (const step of setup(of).steps) {
    const question = step((key) => known.get(key) ?? "")
    const answer = given(question.key) || (question.fallback ?? "")
    assert.isUndefined(mistakeIn(question, answer), `${kind} ${question.key}: ${answer}`)
    known.set(question.key, answer)
  }
  return known
}

const problemsOf = (answers: Answers): ReadonlyArray<string> => {
  const text = strategyText(market, answers, "# yaml-language-server: $schema=x\n")
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
          const sums = { total: isBuy ? `${1000 * scale}` : `${scale}`, quote: `${50_000 * scale}` }
          const all: Readonly<Record<string, string>> = { ...needed(middle / 100, isBuy), ...sizes, ...sums }
          assert.strictEqual(problemsOf(answered(kind, (key) => all[key] ?? "")).join("\n"), "")
        }
      }
    )
  }

  it("asks again for a price on the wrong side of an earlier answer", () => {
    const [, upper] = grid.setup(market).steps
    const question = upper?.(() => "70000")
    assert.strictEqual(question?.text, "Highest price, above 70000")
    assert.strictEqual(question && mistakeIn(question, "50000"), 'expected a price above 70000, found "50000"')
    assert.isUndefined(question && mistakeIn(question, "70000.01"))
  })

  it("writes a configuration and a strategy that pass check, then asks before it replaces one", () => {
    const cwd = newFolder()
    const args = ["init", "my.yaml", "--config", "config/limitbot.yaml"]
    const venue = ["https://venue.example", "", "nep141:btc.omft.native", "8", "nep141:usdc.omft.native", "6"]
    const early = run(cwd, args, venue)
    assert.strictEqual(early.stderr, "limitbot: nothing was written\n")
    assert.isFalse(existsSync(join(cwd, "my.yaml")) || existsSync(join(cwd, "config")))

    const first = run(cwd, args, [...venue, "grid", "50000", "70000", "11", "100", "0.02", "my-grid"])
    assert.strictEqual(first.status, 0, first.stderr)
    assert.include(first.stdout, "Wrote my.yaml: my-grid may use 0.02 BTC and 1000 USDC.")
    const text = readFileSync(join(cwd, "my.yaml"), "utf8")
    assert.isTrue(text.startsWith("# yaml-language-server: $schema=strategy.schema.json\n"), text)
    assert.isTrue(existsSync(join(cwd, "strategy.schema.json")) && existsSync(join(cwd, "config/config.schema.json")))
    assert.isTrue(Result.isSuccess(parse(text, "my.yaml", markets)), text)

    const no = run(cwd, args, ["no"])
    assert.deepStrictEqual([no.status, no.stderr], [1, "limitbot: nothing was written\n"])
    assert.strictEqual(readFileSync(join(cwd, "my.yaml"), "utf8"), text)
    const unfit = run(cwd, args, ["yes", "BTC/USDC", "iceberg", "buy", "60000", "100", "200", ""])
    assert.strictEqual(unfit.status, 1)
    assert.match(unfit.stderr, /nothing was written, the answers make no strategy:\nmy\.yaml:\d+:\d+: /)
    assert.strictEqual(readFileSync(join(cwd, "my.yaml"), "utf8"), text)
    const yes = run(cwd, args, ["yes", "BTC/USDC", "dca", "50", "6h", "40", ""])
    assert.strictEqual(yes.status, 0, yes.stderr)
    assert.include(yes.stdout, "btc-dca may use 2000 USDC.")
  })
})

describe("limitbot init --like", () => {
  it("writes a strategy of the catalogue that is right, and says what there is", () => {
    const cwd = newFolder()
    const source = join(process.cwd(), "src/main.ts")
    const like = (name: string, file: string) =>
      spawnSync(process.execPath, [source, "init", file, "--like", name], { cwd, encoding: "utf8" })
    assert.strictEqual(like("rsi-oversold", "mine.yaml").status, 0)
    const written = readFileSync(join(cwd, "mine.yaml"), "utf8")
    assert.strictEqual(strategyOf(written).name, "rsi-oversold")
    assert.isTrue(existsSync(join(cwd, "strategy.schema.json")))
    assert.match(like("golden-cross", "mine.yaml").stderr, /mine\.yaml exists, nothing was written/)
    assert.match(like("golden-croos", "other.yaml").stderr, /did you mean "golden-cross"\?/)
  })
})
