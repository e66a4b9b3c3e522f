/** Spreadsheets and the input of RP2, as a reader that shares nothing with the writer finds them. */
import { assert, describe, it } from "@effect/vitest"
import * as Trades from "../../src/ledger/Trades.ts"
import * as Ods from "../../src/ledger/tables/Ods.ts"
import * as Rp2 from "../../src/ledger/tables/Rp2.ts"
import { decimals, journal } from "./account.ts"
import { membersOf, sheetsOf } from "./spreadsheet.ts"

const contentOf = (file: Uint8Array) => sheetsOf(new Map(membersOf(file)).get("content.xml") ?? "")

describe("a spreadsheet", () => {
  it("is a zip file whose first member names its type", () => {
    const members = membersOf(Ods.render([{ name: "a", rows: [["é", { number: "1" }]] }]))
    assert.deepStrictEqual(
      members.map(([name]) => name),
      ["mimetype", "META-INF/manifest.xml", "content.xml"]
    )
    assert.strictEqual(members[0]?.[1], "application/vnd.oasis.opendocument.spreadsheet")
    const [, manifest = ""] = members[1] ?? []
    for (const [path, type] of [
      ["/", "application/vnd.oasis.opendocument.spreadsheet"],
      ["content.xml", "text/xml"]
    ])
      assert.include(manifest, `manifest:full-path="${path}" manifest:media-type="${type}"`)
  })

  it("has every sheet, row and cell, numbers as numbers, and rows of equal width", () => {
    const rows = [["a & b", { number: "1.5" }, '<"x">'], [], ["&lt;"], ["1", "2"]]
    const sheets = [
      { name: 'one "1"', rows },
      { name: "two", rows: [] }
    ]
    const file = Ods.render(sheets)
    assert.deepStrictEqual(
      [...contentOf(file)],
      [
        [
          'one "1"',
          [
            ["a & b", "=1.5", '<"x">'],
            ["", "", ""],
            ["&lt;", "", ""],
            ["1", "2", ""]
          ]
        ],
        ["two", []]
      ]
    )
    const [, content = ""] = membersOf(file).at(-1) ?? []
    const widths = [...content.matchAll(/<table:table-column table:number-columns-repeated="(\d+)"\/>/g)]
    assert.deepStrictEqual(
      widths.map(([, width]) => width),
      ["3", "1"]
    )
    // A row that is as wide as the sheet has no empty cells, not even none of them.
    assert.deepStrictEqual(
      [...content.matchAll(/<table:table-cell table:number-columns-repeated="(\d+)"/g)].map(([, count]) => count),
      ["3", "2", "1"]
    )
  })
})

describe("the input of RP2", () => {
  const fold = Trades.make(decimals)
  journal.forEach(fold.see)
  const trading = fold.result()
  const written = () =>
    new Map(Rp2.filesOf(trading, { decimals, method: "lifo" }).map(({ name, content }) => [name, content]))

  it("is empty without purchases", () => {
    assert.deepStrictEqual(Rp2.filesOf({ ...trading, trades: [], flows: [] }, { decimals, method: "fifo" }), [])
  })

  it("has its columns where its configuration says, purchases apart from sales, capital as a purchase", () => {
    const files = written()
    const sheet = files.get("rp2.ods")
    if (!(sheet instanceof Uint8Array)) return assert.fail("no sheet")
    const sheets = contentOf(sheet)
    assert.deepStrictEqual([...sheets.keys()], ["BTC"])
    const width = (cells: ReadonlyArray<string>) => [...cells, ...Array.from({ length: 11 - cells.length }, () => "")]
    const incoming = "timestamp,asset,exchange,holder,transaction_type,spot_price,crypto_in,unique_id,notes"
    const outgoing =
      "timestamp,asset,exchange,holder,transaction_type,spot_price,crypto_out_no_fee,crypto_fee,unique_id,notes"
    const between =
      "timestamp,asset,from_exchange,from_holder,to_exchange,to_holder,spot_price,crypto_sent,crypto_received,unique_id,notes"
    assert.deepStrictEqual(
      sheets.get("BTC"),
      [
        "IN",
        incoming,
        "2026-01-01T00:02:00.000Z,BTC,limitbot,account,Buy,=60000.49997500124,=0.0100005,capital-0,",
        "2026-01-01T00:18:00.000Z,BTC,limitbot,account,Buy,=60000,=0.0008,f1-1,cell-p1",
        "2026-01-01T00:19:00.000Z,BTC,limitbot,account,Buy,=60000,=0.0012,f2-2,cell-p1",
        "TABLE END",
        "",
        "OUT",
        outgoing,
        "2026-01-01T00:33:00.000Z,BTC,limitbot,account,Sell,=66000,=0.001,=0,f1-3,cell-p2",
        "TABLE END",
        "",
        "INTRA",
        between,
        "TABLE END"
      ].map((row) => width(row.split(",")))
    )
    const section = (name: string, columns: string) =>
      `[${name}]\n${columns
        .split(",")
        .map((column, index) => `${column} = ${index}`)
        .join("\n")}\n`
    assert.strictEqual(
      files.get("rp2.ini"),
      [
        "[general]\nassets = BTC\nexchanges = limitbot\nholders = account\n",
        section("in_header", incoming),
        section("out_header", outgoing),
        section("intra_header", between)
      ].join("\n")
    )
  })

  it("says how to run it, by a method that RP2 knows", () => {
    assert.match(String(written().get("README.txt")), /^rp2_us -m lifo -o reports rp2\.ini rp2\.ods\n/)
    const average = Rp2.filesOf(trading, { decimals, method: "average" }).find(({ name }) => name === "README.txt")
    assert.match(String(average?.content), /^rp2_us -m fifo /)
  })

  it("has no price without a purchase, and eleven decimals at most", () => {
    const [fill] = trading.trades
    if (fill === undefined) return assert.fail("no fill")
    const rowsOf = (baseAmount: bigint, quoteAmount: bigint) => {
      const trades = [{ ...fill, baseAmount, quoteAmount }]
      const sheet = Rp2.filesOf({ ...trading, trades, flows: [] }, { decimals, method: "fifo" })[1]?.content
      return sheet instanceof Uint8Array ? contentOf(sheet).get("BTC")?.[2]?.slice(5, 7) : []
    }
    assert.deepStrictEqual(rowsOf(0n, 5n), ["=0", "=0"])
    assert.deepStrictEqual(rowsOf(300_000_000n, 2_000_000n), ["=0.66666666666", "=3"])
  })
})
