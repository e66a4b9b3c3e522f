/** An event is one line, whatever it has to say. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
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
