import { assert, describe, it } from "@effect/vitest"
import { render } from "../../src/strategy/Problem.ts"
import { problemsOf } from "./support.ts"
import { goodGrid, goodLadder, wrongFiles } from "./wrongFiles.ts"

describe("wrong strategy files", () => {
  it("starts from good ones", () => {
    assert.deepStrictEqual(problemsOf(goodGrid), [])
    assert.deepStrictEqual(problemsOf(goodLadder), [])
  })

  it.each(wrongFiles)("$says.0", ({ file, was, is, says }) => {
    assert.isTrue(file.includes(was), `the good file does not contain ${was}`)
    const text = file.replace(was, () => is)
    const problems = problemsOf(text)
    const said = problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
    const isAsSaid =
      said.length === says.length && said.every((problem, index) => problem.startsWith(says[index] ?? "?"))
    assert.isTrue(isAsSaid, `expected\n${says.join("\n")}\nfound\n${said.join("\n")}`)
    for (const problem of problems) assert.include(render(problem, text), "^")
  })
})
