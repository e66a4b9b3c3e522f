/** Text for spreadsheets: nothing in it runs, and all of it comes back. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { render } from "../../src/domain/Csv.ts"

describe("CSV", () => {
  const csvCell = (text: string) => render([], [[text]]).slice(2, -2)

  it("disarms formulas, and leaves numbers unchanged", () => {
    for (const formula of ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1"]) {
      assert.match(csvCell(formula), /^"?'/, JSON.stringify(formula))
    }
    for (const number of ["-1.5", "12", "0"]) assert.strictEqual(csvCell(number), number)
  })

  it.prop("quotes text so that a reader gets it back", [Schema.String], ([text]) => {
    const line = render(["a"], [[text]])
      .split("\r\n")
      .slice(1)
      .join("\r\n")
      .slice(0, -2)
    const read = line.startsWith('"') ? line.slice(1, -1).replaceAll('""', '"') : line
    assert.strictEqual(
      read.replace(/^'(?=[=+\-@\t\r])/, ""),
      text.startsWith("'") && /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text
    )
  })
})
