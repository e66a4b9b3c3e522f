/** What several strategy files say together, each mistake at its exact place. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as StrategyFiles from "../../src/files/StrategyFiles.ts"
import { parse } from "../../src/strategy/StrategyFile.ts"
import { markets } from "../strategy/support.ts"
import { goodGrid, goodLadder, goodThirds } from "../strategy/wrongFiles.ts"

const twinGrid = goodGrid.replace("name: btc-grid", "# a comment\nname:   eth-ladder")
const quotedTwin = goodGrid.replace("name: btc-grid", 'name: "eth-ladder"')
const broken = twinGrid.replace("levels: 5", "levels: five")

/** Files by name, the order in which they are given, and what must be said. */
const cases: ReadonlyArray<
  readonly [what: string, files: Readonly<Record<string, string>>, given: string, ...says: ReadonlyArray<string>]
> = [
  [
    "one limit of a file's length for any longer file",
    { a: "a".repeat(300_000), b: "a".repeat(2_000_000) },
    "a b",
    "a:1:1 the file has 300000 characters; the maximum is 262144",
    "b:1:1 the strategy file cannot be read: it has 2000000 bytes; the most that is read is 262144 characters"
  ],
  ["nothing, when names differ", { a: goodGrid, b: goodLadder }, "a b"],
  [
    "a name taken by an earlier file",
    { a: goodLadder, b: twinGrid },
    "a b",
    'b:2:9 the strategy name "eth-ladder" is taken by a: names must differ'
  ],
  [
    "the later file in any order",
    { a: goodLadder, b: twinGrid },
    "b a",
    'a:1:7 the strategy name "eth-ladder" is taken by b: names must differ'
  ],
  [
    "every further one",
    { a: goodLadder, b: twinGrid, c: quotedTwin },
    "a b c",
    'b:2:9 the strategy name "eth-ladder" is taken by a: names must differ',
    'c:1:7 the strategy name "eth-ladder" is taken by a: names must differ'
  ],
  ["a file given twice", { a: goodGrid }, "a a", "a:1:7 this file is listed twice"],
  [
    "the conflict beside other mistakes",
    { a: goodLadder, b: broken },
    "a b",
    'b:13:11 expected a whole number from 2 to 20001, found "five"',
    'b:2:9 the strategy name "eth-ladder" is taken by a: names must differ'
  ],
  [
    "a conflict with a broken file",
    { a: broken, b: goodLadder },
    "a b",
    'a:13:11 expected a whole number from 2 to 20001, found "five"',
    'b:1:7 the strategy name "eth-ladder" is taken by a: names must differ'
  ],
  [
    "missing files beside a wrong one",
    { a: goodGrid.replace("kind: grid", "kind: grit") },
    "nowhere a",
    "nowhere:1:1 the strategy file cannot be read: no such file or folder",
    "a:3:7 expected one of"
  ]
]

const byVolume = `name: by-volume
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 } }
rules:
  orders:
    dip: { when: close < vwap(20), side: buy, price: mid, size: { quote: 100 } }
`

describe("a strategy file for its purpose", () => {
  it("is refused with line and column if it cannot work", () => {
    const said = (text: string, purpose: StrategyFiles.Purpose) =>
      Result.match(StrategyFiles.suited(parse(text, "a", markets), purpose), {
        onSuccess: ({ name }) => [name],
        onFailure: (problems) => problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
      })
    assert.deepStrictEqual(said(byVolume, "backtest"), ["by-volume"])
    assert.deepStrictEqual(said(byVolume, "live"), [
      "7:26 the venue reports no volume: live, vwap needs a source of candles with volumes"
    ])
    const sourced = byVolume.replace("kind: rules", "kind: rules\ncandles: btc.csv")
    assert.deepStrictEqual(said(sourced, "live"), ["by-volume"])
    assert.deepStrictEqual(said(sourced, "rehearsal"), ["8:26 a rehearsal has no volumes"])
    assert.deepStrictEqual(said(byVolume.replace("close < vwap(20)", "volume(4h) > 5 BTC"), "live"), [
      "7:18 the venue reports no volume: live, volume needs a source of candles with volumes"
    ])
    assert.deepStrictEqual(said(goodThirds, "live"), ["thirds"])
    assert.deepStrictEqual(said(goodThirds, "backtest"), ["thirds"])
    assert.deepStrictEqual(said(goodThirds, "search"), [
      "2:9 prices of one market are replayed here; this strategy trades several"
    ])
  })
})

describe("strategy files together", () => {
  it.effect.each(cases)("report %s", ([, files, given, ...says]) =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "limitbot-files-"))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      const paths = given.split(" ").map((name) => join(folder, name))
      const { problems, rendered } = yield* StrategyFiles.readAll(paths, markets)
      const short = (text: string) => text.replaceAll(`${folder}/`, "")
      const said = problems.map(
        ({ file, line, column, message }) => `${short(file)}:${line}:${column} ${short(message)}`
      )
      assert.strictEqual(said.length, says.length, said.join("\n"))
      for (const [index, expected] of says.entries()) assert.isTrue(said[index]?.startsWith(expected), said[index])
      assert.strictEqual(rendered.length, problems.length)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("strategy files that are read repeatedly", () => {
  it.effect("are parsed again only if their text has changed", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "limitbot-files-"))
      const [grid, ladder] = [join(folder, "grid"), join(folder, "ladder")]
      writeFileSync(grid, goodGrid)
      writeFileSync(ladder, goodLadder)
      const read = StrategyFiles.reader(markets)
      const first = yield* read([grid, ladder])
      const again = yield* read([grid, ladder])
      assert.lengthOf(again.strategies, 2)
      for (const [index, strategy] of again.strategies.entries()) assert.strictEqual(strategy, first.strategies[index])

      writeFileSync(grid, goodGrid.replace("levels: 5", "levels: 6"))
      const changed = yield* read([grid, ladder])
      assert.notStrictEqual(changed.strategies[0], first.strategies[0])
      assert.strictEqual(changed.strategies[1], first.strategies[1])

      writeFileSync(grid, twinGrid)
      const [twin] = (yield* read([ladder, grid])).problems
      assert.include(twin?.message, "is taken by")

      writeFileSync(grid, "")
      const [empty] = (yield* read([grid])).rendered
      rmSync(grid)
      const [gone] = (yield* read([grid])).rendered
      assert.include(gone, "cannot be read")
      writeFileSync(grid, "")
      assert.deepStrictEqual((yield* read([grid])).rendered, [empty])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("load code of a package only from the one file that it exports", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "limitbot-files-"))
      const [strategies, own] = [join(folder, "strategies"), join(folder, "node_modules/@some/body")]
      for (const each of [strategies, own]) mkdirSync(each, { recursive: true })
      const file = join(strategies, "body.yaml")
      writeFileSync(
        file,
        "name: mine\nmarket: BTC/USDC\nkind: npm:@some/body\nlimits: { budget: { quote: 100 } }\nbody: {}\n"
      )
      const code = `export default { about: "rests", keys: {}, decide: () => ({ orders: [], until: {} }) }`
      const packed = (manifest: object) => writeFileSync(join(own, "package.json"), JSON.stringify(manifest))
      const read = () => StrategyFiles.readAll([file], markets)
      const missing = (yield* read()).rendered.join()
      assert.include(missing, 'its code "npm:@some/body" cannot be read')
      mkdirSync(join(own, "dist"))
      writeFileSync(join(own, "dist/body.js"), code)
      for (const manifest of [
        { main: "dist/body.js" },
        { exports: "./dist/body.js" },
        { exports: { ".": { types: "./dist/body.d.ts", default: "./dist/body.js" } }, main: "nothing.js" }
      ]) {
        packed(manifest)
        const found = yield* read()
        assert.deepStrictEqual([found.rendered, found.strategies.map(({ kind }) => kind)], [[], ["body"]])
      }
      writeFileSync(join(folder, "outside.js"), code)
      packed({ main: "../../../outside.js" })
      assert.include((yield* read()).rendered.join(), "cannot be read")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
