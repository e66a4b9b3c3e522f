/** Code that tries to leave its machine, to exhaust it or to remember something. It fails, and the next decision is as if it had not been asked. */
import { assert, describe, it } from "@effect/vitest"
import { isRecord } from "../../../src/domain/Text.ts"
import { constantsEnd, Machine, pageBytes, quickJs } from "../../../src/strategy/own/Machine.ts"
import { instanceOf, type OwnQuestions } from "../../../src/strategy/own/OwnInstance.ts"
import { firstOf } from "../../long.ts"

const column = Float64Array.from({ length: 8_000 }, (_, index) => index)
const candles = { open: column, high: column, low: column, close: column, volume: column }
const questions: OwnQuestions = {
  position: () => 0.5,
  slot: (name) => JSON.stringify({ name }),
  candles: () => ({ columns: candles, closed: 6_000 }),
  indicator: (_, name, length, back) => name.length + length + back,
  signal: () => "null"
}

const memoryIn = (answer: unknown): unknown => (isRecord(answer) ? answer["memory"] : assert.fail("no decision"))

/** Answers with `memory`: the value of the body. */
const deciding = (body: string, before = "") => {
  const code = `${before}
export default { about: "a test", keys: {}, candles: () => ({ "1m": 3 }), decide: (view, settings, memory) => {
  const answer = () => { ${body} }
  return { orders: [], memory: view.mid > 1 ? answer() : "calm", until: {} }
} }`
  const instance = instanceOf(code)
  instance.begin("{}", "{}", questions)
  const read = memoryIn
  return (mid: number, memory = "null") => instance.decide({ now: 0, bid: mid, ask: mid, mid }, memory, read)
}

const isLimit =
  /more than 1000000 steps|more than 64 MB|longer than 1000 ms|too large|out of memory|invalid array|call stack|joins more than|invalid string|too many arguments|more than 1000000 bytes/i

const bombs: ReadonlyArray<readonly [what: string, body: string]> = [
  ["an endless loop", "for (;;) {}"],
  ["an endless loop that catches its end", "for (;;) { try { for (;;) {} } catch {} }"],
  ["an endless loop with a finally", "try { for (;;) {} } finally { for (;;) {} }"],
  ["a recursion", "const f = () => f() + 1; return f()"],
  ["a recursion through a getter", "const o = { get x() { return o.x } }; return o.x"],
  ["a recursion through toString", "const o = { toString() { return String(o) } }; return String(o)"],
  ["a pattern that backtracks", `return /(a+)+$/.test("a".repeat(60) + "!")`],
  ["a search in an array-like of 2^53", "return Array.prototype.indexOf.call({ length: 2 ** 53 }, 1)"],
  ["a join of a sparse array", `return new Array(4e9).join("abc").length`],
  ["a text of a sparse array", "return String(new Array(4e9)).length"],
  ["a join of an array-like", "return Array.prototype.join.call({ length: 2 ** 53 }).length"],
  ["a locale text of a sparse array", "return new Array(4e9).toLocaleString().length"],
  ["a comparator that lies", "return [...Array(5e5)].map((_, i) => i).sort(() => 1).length"],
  ["a text of a gigabyte", `let s = "x"; for (;;) s += s`],
  ["arrays that grow", "const all = [1]; for (;;) all.push(...all)"],
  ["buffers", "const all = []; for (;;) all.push(new Uint8Array(1e7))"],
  ["a number of millions of digits", "return String(7n ** 300_000_000n)"],
  ["a number that squares itself", "let x = 7n ** 100_000n; for (;;) x = x * x"],
  ["a deep value", "let o = null; for (let i = 0; i < 1e5; i++) o = { o }; return o"],
  ["an answer of 2 MB", `return "x".repeat(2_000_000)`],
  ["a map that never ends", "const m = new Map([[1, 1]]); for (const [k] of m) m.set(k + 1, 1)"],
  ["a generator that never ends", "return [...(function* () { for (;;) yield 1 })()]"],
  ["a proxy of time", "for (let i = 0; ; i++) view.position()"],
  ["a reverse of an array-like of 2^53", "return Array.prototype.reverse.call({ length: 2 ** 53 })"]
]

const escapes: ReadonlyArray<readonly [what: string, body: string, answers: unknown]> = [
  [
    "globals of Node",
    `return ["process", "require", "fetch", "Buffer", "setTimeout", "performance", "WebAssembly", "Proxy", "WeakRef", "Atomics", "SharedArrayBuffer", "Intl"].filter((name) => { try { return typeof globalThis[name] !== "undefined" } catch { return false } })`,
    []
  ],
  [
    "constructors of functions",
    `return [() => 1, async () => 1, function* () {}, view.slot, view.candles("1m").close].map((f) => typeof f.constructor === "function" && f.constructor !== Object ? "constructor" : "none").filter((is) => is !== "none")`,
    []
  ],
  [
    "eval",
    `try { return (0, eval)("1") } catch (mistake) { return mistake.message.slice(0, 21) }`,
    "there is no eval here"
  ],
  [
    "errors of the host in a full stack",
    `const kinds = []; const deeper = () => { try { deeper() } catch (mistake) { kinds.push(mistake instanceof Error, typeof mistake.stack) } for (const ask of [() => view.slot("a"), () => view.position()]) try { ask() } catch (mistake) { kinds.push(mistake instanceof Error, typeof mistake.stack) } }; deeper(); return [...new Set(kinds)].sort()`,
    ["string", true]
  ],
  [
    "a formatter of stacks",
    `let seen = "none"; Error.prepareStackTrace = (e, sites) => { seen = typeof sites?.[0]?.getThis; return "x" }; try { null.x } catch (e) { e.stack } return seen === "function" ? "sites" : "none"`,
    "none"
  ],
  [
    "candles that have not closed",
    `const c = view.candles("1m"); return [c.close(-1), c.close(0.5), c.close(0), c.close(4999), c.close(5000), c.close(1e9)].map(String)`,
    ["NaN", "NaN", "5999", "1000", "NaN", "NaN"]
  ],
  [
    "the shared memory",
    `const c = view.candles("1m"); return [c.close.column, c.buffer, view.inputs].map(String)`,
    ["undefined", "undefined", "undefined"]
  ]
]

const keepers: ReadonlyArray<readonly [what: string, body: string, before: string]> = [
  ["a variable", "return ++n", "let n = 0"],
  ["a global", "globalThis.n = (globalThis.n ?? 0) + 1; return globalThis.n", ""],
  ["a prototype", "Array.prototype.n = (Array.prototype.n ?? 0) + 1; return [].n", ""],
  ["the function that answers", "view.slot.n = (view.slot.n ?? 0) + 1; return view.slot.n", ""],
  ["its own strategy", "self.n = (self.n ?? 0) + 1; return self.n", "const self = {}"],
  ["the last match of a pattern", "const before = RegExp.$1 ?? ''; /(a)/.exec('a'); return before === 'a' ? 2 : 1", ""],
  [
    "views of shared memory",
    "Float64Array.prototype.n = (Float64Array.prototype.n ?? 0) + 1; return Float64Array.prototype.n",
    ""
  ]
]

describe("strategy code in its machine", () => {
  it.each(firstOf(bombs.length - 1, bombs))("is stopped: %s", (_, body) => {
    const decide = deciding(body)
    assert.throws(() => decide(2), isLimit)
    assert.strictEqual(decide(1), "calm")
  })

  it.each(escapes)("reaches nothing outside by %s", (_, body, answers) => {
    const decide = deciding(body)
    assert.deepStrictEqual(decide(2), answers)
    assert.deepStrictEqual(decide(2), answers)
  })

  it.each(keepers)("remembers nothing in %s", (_, body, before) => {
    const decide = deciding(body, before)
    for (const _ of [1, 2, 3]) assert.strictEqual(decide(2), 1)
  })

  it("has at most 128 MB, and images that leave out only constant parts", () => {
    const imports: Record<string, Record<string, () => number>> = {}
    for (const { module, name } of WebAssembly.Module.imports(quickJs()))
      imports[module] = { ...imports[module], [name]: () => 0 }
    const { memory } = new WebAssembly.Instance(quickJs(), imports).exports
    if (!(memory instanceof WebAssembly.Memory)) assert.fail("no memory")
    const machine = new Machine(() => 0)
    machine.adopt("export default { decide: () => [/a+/iu.exec('aA'), 7n ** 99n, [3, 1].sort(), 1.5.toFixed(1)] }")
    machine.begin("{}", "{}")
    machine.share(100, "[]")
    assert.isAbove(machine.decide("null").length, 0)
    const bytes = constantsEnd - 2 ** 20
    const used = Buffer.from(machine.doubles(2 ** 20, bytes / 8).buffer, 2 ** 20, bytes)
    assert.isTrue(used.equals(Buffer.from(memory.buffer, 2 ** 20, bytes)))
    memory.grow(2_048 - memory.buffer.byteLength / pageBytes)
    assert.throws(() => memory.grow(1), RangeError)
  })

  it("sees new candles as they close, and all of them after the columns change", () => {
    const seen: Array<unknown> = []
    let closed = 0
    let columns = candles
    const instance = instanceOf(
      `export default { about: "x", keys: {}, candles: () => ({ "1m": 3 }), decide: (view) => { const c = view.candles("1m"); return { memory: [c.count, c.close(0), c.close(4_999), c.close(5_000), c.sma(3, 1)].map(String) } } }`
    )
    instance.begin("{}", "{}", { ...questions, candles: () => ({ columns, closed }) })
    const prices = { now: 0, bid: 1, ask: 1, mid: 1 }
    const look = () => instance.decide(prices, "null", (answer) => seen.push(memoryIn(answer)))
    for (closed of [0, 3, 4, 5_000, 5_001, 8_000]) look()
    const longer = Float64Array.from({ length: 20_000 }, (_, index) => index / 2)
    columns = { open: longer, high: longer, low: longer, close: longer, volume: longer }
    for (closed of [8_000, 12_000, 12_001, 20_000]) look()
    assert.deepStrictEqual(seen, [
      ["0", "NaN", "NaN", "NaN", "7"],
      ["3", "2", "NaN", "NaN", "7"],
      ["4", "3", "NaN", "NaN", "7"],
      ["5000", "4999", "0", "NaN", "7"],
      ["5001", "5000", "1", "NaN", "7"],
      ["8000", "7999", "3000", "NaN", "7"],
      ["8000", "3999.5", "1500", "NaN", "7"],
      ["12000", "5999.5", "3500", "NaN", "7"],
      ["12001", "6000", "3500.5", "NaN", "7"],
      ["20000", "9999.5", "7500", "NaN", "7"]
    ])
  })
})
