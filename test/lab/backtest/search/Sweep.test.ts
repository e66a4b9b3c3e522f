import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as Objective from "../../../../src/lab/backtest/search/Objective.ts"
import * as Sensitivity from "../../../../src/lab/backtest/search/Sensitivity.ts"
import * as Sweep from "../../../../src/lab/backtest/search/Sweep.ts"
import * as SweepSpace from "../../../../src/lab/backtest/search/SweepSpace.ts"
import * as Trial from "../../../../src/lab/backtest/search/Trial.ts"
import { bySide, type TrialResult } from "../../../../src/lab/backtest/search/TrialResult.ts"
import { sourceText } from "../../../../src/strategy/Problem.ts"
import { readYaml, type YamlNode } from "../../../../src/strategy/YamlReader.ts"
import { assets } from "../../../world/bitcoin.ts"

const text = `# a grid
name: sweep-me
market: BTC/USDC   # base, quote
kind: grid
limits:
  budget: { base: 0.5, quote: 20000 }
grid:
  lower: 35000
  upper: 45000   # the top
  levels: 11
  size: { base: 0.01 }
`

const dimension = (text: string) => Result.getOrThrow(SweepSpace.dimension(text))
const space = ["grid.levels=5..20:5", "grid.upper=42000,45000,48000", "grid.lower=30000..50000:10000"].map(dimension)
const search: Trial.Search = {
  text,
  file: "sweep.yaml",
  markets: { assets, ticks: new Map() },
  space,
  mode: "optimistic",
  objective: "profitQuote"
}
const candles = Generate.generate({ ...Generate.defaults, bars: 20_000 })
const options = { costs: noCosts, changes: {} }
const inputs = [{ candles, indices: CrossingIndex.buildIndices(candles), options }] as const
const trials = SweepSpace.sample(space, Number.POSITIVE_INFINITY, 1)

const collect = (threads: number) =>
  Effect.gen(function* () {
    const results: Array<TrialResult> = []
    const team = yield* Sweep.team(threads)
    yield* Sweep.run({ team, search, inputs, trials }, (result) => results.push(result))
    return results.toSorted((a, b) => a.trial - b.trial)
  }).pipe(Effect.scoped)

describe("pnlPerDrawdown", () => {
  it("prefers the shallower drawdown if all lose", () => {
    const trial = (trial: number, pnlQuote: string, maxDrawdown: number): TrialResult => ({
      trial,
      values: [],
      profitQuote: pnlQuote,
      pnlQuote,
      maxDrawdown,
      feesQuote: "0",
      base: "0",
      quote: "0",
      fills: 1,
      dailySharpe: 0
    })
    const lost = [trial(1, "-10", 0.5), trial(2, "-10", 0.1), trial(3, "-20", 0.5), trial(4, "5", 0.9)]
    const ranked = Objective.ranked(lost, "pnlPerDrawdown", []).map(({ trial }) => trial)
    assert.deepStrictEqual(ranked, [4, 2, 1, 3])
  })
})

describe("a search over several files", () => {
  it("ranks by the worst result of each trial, and requires the conditions in every file", () => {
    const other = Generate.generate({ ...Generate.defaults, bars: 10_000, seed: 9 })
    const others = [{ candles: other, indices: CrossingIndex.buildIndices(other), options }] as const
    const some = trials.slice(0, 12)
    const results = some.map((number) => Trial.run(search, number, inputs))
    const elsewhere = new Map(some.map((number) => [number, [Trial.run(search, number, others)]]))
    const found = Objective.rankedAcross(results, elsewhere, "profitQuote", [])
    const worst = ({ trial, profitQuote }: TrialResult) =>
      Math.min(Number(profitQuote), ...(elsewhere.get(trial) ?? []).map((each) => Number(each.profitQuote)))
    assert.isAbove(found.length, 3)
    for (const [index, result] of found.entries()) assert.isAtMost(worst(result), worst(found[index - 1] ?? result))
    const least = Math.max(...found.map(({ fills }) => fills))
    const strict = Objective.condition(`fills>${least}`) ?? assert.fail()
    assert.deepStrictEqual(Objective.rankedAcross(results, elsewhere, "profitQuote", [strict]), [])
  })
})

describe("a search by both sides", () => {
  it("ranks by the worse side for every objective, and requires the conditions on both", () => {
    for (const objective of Objective.objectives) {
      const both: Trial.Search = { ...search, mode: "worse", objective }
      for (const number of trials.slice(0, 6)) {
        const result = Trial.run(both, number, inputs)
        if (result.refused !== undefined) continue
        for (const side of ["optimistic", "pessimistic"] as const) {
          const alone = Trial.run({ ...search, mode: side, objective }, number, inputs)
          const { profitQuote, maxDrawdown, dailySharpe } = bySide(result, side) ?? assert.fail()
          assert.deepInclude(alone, { profitQuote, maxDrawdown, dailySharpe })
          assert.isAtMost(Objective.score(objective, result), Objective.score(objective, alone))
        }
        const { other } = result
        if (other === undefined) return assert.fail()
        const least = Math.min(result.fills, other.fills)
        const condition = Objective.condition(`fills>=${least + 1}`) ?? assert.fail()
        assert.deepStrictEqual(Objective.ranked([result], objective, [condition]), [])
      }
    }
  })
})

describe("the Pareto front", () => {
  it("has the trials that no other beats, and each other trial is beaten by one of them", () => {
    const results = trials.map((number) => Trial.run(search, number, inputs))
    const objectives = Objective.several("profitQuote, maxDrawdown") ?? assert.fail()
    const front = Objective.front(results, objectives, [])
    const beats = (a: TrialResult, b: TrialResult) =>
      Number(a.profitQuote) >= Number(b.profitQuote) &&
      a.maxDrawdown <= b.maxDrawdown &&
      (Number(a.profitQuote) > Number(b.profitQuote) || a.maxDrawdown < b.maxDrawdown)
    assert.isAtLeast(front.length, 1)
    const good = results.filter(({ refused }) => refused === undefined)
    for (const result of good) {
      const isBeaten = good.some((other) => beats(other, result))
      assert.strictEqual(front.includes(result), !isBeaten)
      if (isBeaten) assert.isTrue(front.some((other) => beats(other, result)))
    }
    for (const wrong of ["profitQuote", "profitQuote,profitQuote", "profitQuote,gain"])
      assert.isUndefined(Objective.several(wrong))
  })
})

describe("sensitivity", () => {
  it("is the same trial with other fees and delays", () => {
    const found = Sensitivity.of(search, trials[0] ?? 0, inputs)
    const plain = Trial.run(search, trials[0] ?? 0, inputs)
    const [asSearched, none, ...others] = found
    assert.deepStrictEqual([asSearched?.result, none?.result], [plain, plain])
    assert.isAbove(plain.fills, 0)
    const fees = others.map(({ result }) => Number(result.feesQuote))
    assert.isTrue((fees[0] ?? 0) > 0 && (fees[1] ?? 0) > 2.9 * (fees[0] ?? 0), fees.join(" "))
    assert.isTrue(others.every(({ name }) => /basis points|s to place/.test(name)))
  })

  it("has a row without any fee of the service, and names higher fees with those of inputs", () => {
    const flat = { base: 30n, quote: 20_000n }
    const rates = { feeBasisPoints: 5, appFeeBasisPoints: 20.01 }
    const costs = { ...noCosts, ...rates, withdrawFee: flat, refundFee: flat }
    const [{ options: _, ...data }] = inputs
    const charging = [{ ...data, options: { costs, changes: {} } }] as const
    const [asSearched, none, ...others] = Sensitivity.of(search, trials[1] ?? 0, charging)
    assert.isAbove(Number(asSearched?.result.feesQuote), 0)
    assert.deepStrictEqual(none?.result, Trial.run(search, trials[1] ?? 0, inputs))
    const names = others.slice(0, 2).map(({ name }) => name)
    assert.deepStrictEqual(names, ["fees of 35.01 basis points", "fees of 55.01 basis points"])
  })

  it("keeps the app fees that the terms ask for in the row without fees", () => {
    const [{ options: _, ...data }] = inputs
    const accountTerms = { appFees: [{ recipient: "alice.near", fee: 40 }] }
    const inputsWith = (appFeeBasisPoints: number) =>
      [{ ...data, options: { costs: { ...noCosts, appFeeBasisPoints }, changes: {}, accountTerms } }] as const
    const [, none] = Sensitivity.of(search, trials[1] ?? 0, inputsWith(51))
    assert.deepStrictEqual(none?.result, Trial.run(search, trials[1] ?? 0, inputsWith(0)))
  })
})

describe("SweepSpace", () => {
  it("reads ranges and lists exactly", () => {
    assert.deepStrictEqual(dimension("a.b=0.1..0.5:0.1").values, ["0.1", "0.2", "0.3", "0.4", "0.5"])
    assert.deepStrictEqual(dimension("a = 3, 1 ,2").values, ["3", "1", "2"])
    assert.deepStrictEqual(dimension("a=1..3").values, ["1", "2", "3"])
    assert.deepStrictEqual(dimension("a=1..2:0.5%").values, ["1%", "1.5%", "2%"])
    for (const wrong of ["a", "=1", "a=", "a=1,,2", "a=5..1:1", "a=1..5:0", "a=0..1:0.0000001"])
      assert.match(
        Result.getOrElse(Result.flip(SweepSpace.dimension(wrong)), () => ""),
        /write|take/,
        wrong
      )
  })

  it("counts every combination once, and samples without repetition by seed", () => {
    const all = new Set(trials.map((trial) => SweepSpace.combination(space, trial).join()))
    assert.strictEqual(all.size, 4 * 3 * 3)
    const some = SweepSpace.sample(space, 10, 5)
    assert.strictEqual(new Set(some).size, 10)
    assert.deepStrictEqual(SweepSpace.sample(space, 10, 5), some)
    assert.notDeepEqual(SweepSpace.sample(space, 10, 6), some)
  })

  it("changes the values in the file and nothing else in it", () => {
    const changed = Result.getOrThrow(SweepSpace.template(text, space)).text(["5", "48000", "30000"])
    assert.strictEqual(changed, text.replace("11", "5").replace("45000", "48000").replace("35000", "30000"))
    assert.match(
      Result.getOrElse(Result.flip(SweepSpace.template(text, [dimension("gird.levels=1,2")])), String),
      /gird\.levels.*no such section; name a key of an existing one, such as grid\./
    )
  })

  it("inserts a key that the file leaves to its default, into a section of one line or of several", () => {
    const lines = "name: a\nlimits:\n  budget: { quote: 5 }\ngrid: { lower: 1, upper: 2 }\n"
    const space = [dimension("limits.maxOpenOrders=10,20"), dimension("grid.profit=base,quote")]
    const changed = Result.getOrThrow(SweepSpace.template(lines, space)).text(["20", "quote"])
    assert.strictEqual(
      changed,
      "name: a\nlimits:\n  maxOpenOrders: 20\n  budget: { quote: 5 }\ngrid: { profit: quote, lower: 1, upper: 2 }\n"
    )
  })

  const withoutPlaces = (node: YamlNode): unknown =>
    node.type === "scalar"
      ? [node.text, node.isQuoted]
      : node.type === "list"
        ? node.items.map(withoutPlaces)
        : [...node.entries].map(([key, { value }]) => [key, withoutPlaces(value)])

  it("reads the file once: its edited nodes are those of the edited text", () => {
    const file = `name: "a"\ngrid: { levels: [1, '2', 3], of: 5 }\nladder:\n  from:\n    7 # seven\n  to: x\n`
    const paths = ["name", "grid.levels.1", "grid.of", "ladder.from", "ladder.to"]
    const space = paths.map((path) => ({ path, values: [] }))
    const template = Result.getOrThrow(SweepSpace.template(file, space))
    const values = ["-1", "0.5%", ".5", "true", "a-b", "25bps", "1e5", "-", "--", "%", "a: b", "[1", "5 # five", "'q'"]
    for (const [at, value] of values.entries()) {
      const some = paths.map((_, index) => (index === at % paths.length ? value : "9"))
      const node = template.node(some)
      const read = readYaml(sourceText("a.yaml", template.text(some)))
      assert.strictEqual(node !== undefined, at <= 6, value)
      if (node !== undefined) assert.deepStrictEqual(withoutPlaces(node), withoutPlaces(Result.getOrThrow(read)), value)
    }
  })
})

describe("Sweep", () => {
  it.live("gives the same on one thread, on two, and one by one, in any order", () =>
    Effect.gen(function* () {
      const alone = yield* collect(1)
      assert.strictEqual(alone.length, trials.length)
      assert.deepStrictEqual(yield* collect(2), alone)
      const oneByOne = trials.toReversed().map((trial) => Trial.run(search, trial, inputs))
      assert.deepStrictEqual(oneByOne.reverse(), alone)
      const linear = [{ candles, indices: CrossingIndex.linearIndices(candles), options }] as const
      assert.deepStrictEqual(
        trials.map((trial) => Trial.run(search, trial, linear)),
        alone
      )
    })
  )

  it("keeps trials without a valid strategy, with the reason, out of the ranking", () => {
    const results = trials.map((trial) => Trial.run(search, trial, inputs))
    const refused = results.filter(({ refused }) => refused !== undefined)
    assert.isAbove(refused.length, 0)
    assert.match(refused[0]?.refused ?? "", /\w/)
    const best = Objective.ranked(results, "pnlQuote", [])
    assert.strictEqual(best.length, results.length - refused.length)
    for (const [index, result] of best.entries())
      assert.isAtLeast(Number(best[index - 1]?.pnlQuote ?? Number.POSITIVE_INFINITY), Number(result.pnlQuote))
  })

  it("ranks only trials that meet the conditions", () => {
    const results = trials.map((trial) => Trial.run(search, trial, inputs))
    const few = Objective.condition("fills<=20")
    assert.isDefined(few)
    if (few === undefined) return
    const kept = Objective.ranked(results, "dailySharpe", [few])
    assert.isTrue(kept.length > 0 && kept.every(({ fills }) => fills <= 20))
    const tenth = { ...results[0], maxDrawdown: 0.1 } as TrialResult
    assert.isTrue(Objective.condition("maxDrawdown < 10.5%")?.holds(tenth))
    assert.isFalse(Objective.condition("maxDrawdown<10%")?.holds(tenth))
    assert.isUndefined(Objective.condition("fun<=20"))
    assert.isUndefined(Objective.condition("fills about 20"))
  })
})
