import { assert, describe, it } from "@effect/vitest"
import * as HeatMap from "../../src/lab/html/HeatMap.ts"
import { maps } from "../../src/lab/html/HeatMap.ts"

const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)

const mapOf = (rows: number, columns: number, value: (row: number, column: number) => number | undefined) =>
  HeatMap.of(
    { name: "a.rows", values: names(rows) },
    { name: "b.columns", values: names(columns) },
    names(rows).flatMap((row) =>
      names(columns).flatMap((column) => {
        const found = value(Number(row), Number(column))
        return found === undefined ? [] : [{ row, column, value: found }]
      })
    )
  )

describe("a heat map", () => {
  it("averages a cell with its neighbours, and leaves holes", () => {
    const map = mapOf(3, 3, (row, column) => (row === 0 && column === 2 ? undefined : row * 3 + column))
    assert.isUndefined(map.values[0]?.[2])
    assert.isUndefined(map.around[0]?.[2])
    assert.strictEqual(map.around[0]?.[0], (0 + 1 + 3 + 4) / 4)
    assert.strictEqual(map.around[1]?.[1], (0 + 1 + 3 + 4 + 5 + 6 + 7 + 8) / 8)
  })

  it("takes the mean if other parameters give several values", () => {
    const axis = (name: string) => ({ name, values: ["1"] })
    const point = (value: number) => ({ row: "1", column: "1", value })
    assert.deepStrictEqual(HeatMap.of(axis("a"), axis("b"), [point(1), point(4)]).values, [[2.5]])
  })

  it("distinguishes a plateau from a spike", () => {
    const spike = HeatMap.standing(
      mapOf(9, 9, (row, column) => (row === 4 && column === 6 ? 100 : 0)),
      "4",
      "6"
    )
    const hill = HeatMap.standing(
      mapOf(9, 9, (row, column) => 100 - (row - 4) ** 2 - (column - 6) ** 2),
      "4",
      "6"
    )
    for (const found of [spike, hill]) assert.deepInclude(found, { row: 4, column: 6, value: 100, isGreatest: true })
    assert.isTrue(hill !== undefined && HeatMap.isPlateau(hill))
    assert.isFalse(spike !== undefined && HeatMap.isPlateau(spike))
    const empty = mapOf(2, 2, () => undefined)
    assert.isUndefined(HeatMap.standing(empty, "0", "0"))
  })

  it("judges the requested cell, not the greatest one", () => {
    const twoSpikes = mapOf(9, 9, (row, column) => (row === 1 && column === 1 ? 100 : row > 5 && column > 5 ? 50 : 0))
    const winner = HeatMap.standing(twoSpikes, "7", "7")
    assert.deepInclude(winner, { value: 50, lead: 50, kept: 1, isGreatest: false })
    assert.deepInclude(HeatMap.standing(twoSpikes, "3", "3"), { lead: 0, kept: 0 })
  })

  it("is drawn coarsely in a terminal, with its range", () => {
    const lines = HeatMap.lines(
      mapOf(40, 50, (row, column) => row + column),
      (value) => value.toFixed(1)
    )
    assert.match(lines[0] ?? "", /^a\.rows \(down\) by b\.columns \(across: 0 … 49\)$/)
    assert.match(lines.at(-1) ?? "", /·· 0\.0 to ██ 88\.0$/)
    assert.isAtMost(lines.length, 16 + 3)
    for (const line of lines) assert.isAtMost(line.length, 80)
    assert.deepStrictEqual(
      HeatMap.lines(
        mapOf(2, 2, () => undefined),
        String
      ),
      []
    )
  })
})

describe("a large heat map", () => {
  it("is drawn with the range of all of its cells", () => {
    const lines = HeatMap.lines(
      mapOf(400, 400, (row, column) => row + column),
      String
    )
    assert.match(lines.at(-1) ?? "", /·· 0 to ██ 798$/)
  })
})

describe("maps", () => {
  const evil = `</table><script>alert(1)</script>`
  const map = { ...mapOf(3, 4, (row, column) => row * column), rowName: evil, rows: [evil, "1", "2"] }
  const winner = HeatMap.standing(map, "1", "2")
  if (winner === undefined) throw new Error("the map has no such cell")
  const report = maps(map, winner)

  it("show text as text", () => {
    assert.notInclude(report, "<script")
  })

  it("mark the cell of the winner", () => {
    assert.strictEqual(report.match(/<td class="best"/g)?.length, 2)
  })
})
