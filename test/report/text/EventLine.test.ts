/** An event is one line, whatever it has to say. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { type Drift, incidentFeed } from "../../../src/domain/Drift.ts"
import { describe as described } from "../../../src/report/text/EventLine.ts"
import { render } from "../../../src/strategy/Problem.ts"
import { parse } from "../../../src/strategy/StrategyFile.ts"
import { markets } from "../../strategy/support.ts"

describe("the line of a rejected edit", () => {
  it("quotes the part of the file, with signs for the ends of its lines", () => {
    const text = "name: my-grid\nmarket: BTC/USDC\nkind: grid\nlimits: { budget: { quote: 10 } }\ngrid: { levls: 3 }\n"
    const found = parse(text, "grid.yaml", markets)
    assert.isTrue(Result.isFailure(found))
    const problems = Result.isFailure(found) ? found.failure.map((problem) => render(problem, text)) : []
    assert.isTrue(problems.some((problem) => problem.includes("\n")))
    const line = described({ _tag: "StrategiesRefused", problems }, new Map())?.text ?? ""
    assert.notInclude(line, "\n")
    assert.include(line, 'grid.yaml:5:9: unknown key "levls"; did you mean "levels"?')
  })
})

describe("the line of a comparison with the service", () => {
  const incident = { what: incidentFeed, was: "quiet", is: "naming an incident: BTC is paused", closesFunding: false }
  const lineOf = (drift: ReadonlyArray<Drift>, of?: "incidents") =>
    described({ _tag: "ServiceCompared", drift, ...(of && { of }) }, new Map())?.text

  it("names an incident and its end, and says nothing about other comparisons", () => {
    assert.strictEqual(lineOf([incident], "incidents"), "the feed of incidents is naming an incident: BTC is paused")
    assert.strictEqual(lineOf([], "incidents"), "the feed of incidents is quiet again")
    assert.strictEqual(lineOf([incident]), "the service matches its record again")
  })
})

describe("the line of an order that a limit holds back", () => {
  const weightOf = (limit: string) => {
    const about = { strategy: "maker", slot: "bid-00", reason: "why", mid: Decimal.one } as const
    return described({ _tag: "Denied", limit, ...about }, new Map())?.weight
  }

  it("warns, unless the order only waits for the end of the one that it replaces", () => {
    assert.strictEqual(weightOf("price-deviation"), "warn")
    assert.strictEqual(weightOf("leaving-orders"), "quiet")
  })
})
