/** Strategies of one's own: what the code may be, what is found out about it before it trades, and that it becomes a strategy like any other. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { suited } from "../../../src/files/StrategyFiles.ts"
import { render } from "../../../src/strategy/Problem.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import type { View } from "../../../src/strategy/View.ts"

const markets = {
  assets: [
    { symbol: "BTC", id: "btc", decimals: 8 },
    { symbol: "USDC", id: "usdc", decimals: 6 }
  ],
  ticks: new Map([["BTC/USDC", Decimal.make(1n, 1)]])
} as const

const file = (section = "size: { quote: 10 }") => `name: mine
market: BTC/USDC
kind: ./mine.ts
limits:
  budget: { quote: 1000 }
mine:
  ${section}
`

const read = (code: string, text = file()) =>
  suited(StrategyFile.parse(StrategyFile.withCode(text, code), "mine.yaml", markets), "live")

const strategyOf = (code: string, text?: string): Strategy => {
  const found = read(code, text)
  if (Result.isFailure(found))
    throw new Error(found.failure.map((problem) => render(problem, text ?? file())).join("\n"))
  return found.success
}

const refusalOf = (code: string, text?: string): string => {
  const found = read(code, text)
  return Result.isFailure(found) ? found.failure.map((problem) => render(problem, text ?? file())).join("\n") : "taken"
}

/** A maker that buys a percent below the mid, whose answer holds for half a percent; with another body of `decide`. */
const codeWith = (body: string, before = ""): string => `import type { Own } from "limitbot/strategy"
const keys = { size: { is: "size", says: "of each purchase" } } as const
${before}
export default {
  about: "a test",
  keys,
  decide: (view, { size }, memory) => {
    ${body}
  }
} satisfies Own<typeof keys>
`

const answer = (price = "Math.floor(view.mid / 100) * 99", more = "") =>
  `return { orders: [{ slot: "one", legs: [{ side: "buy", price: ${price}, size }], why: "it is cheap" }], until: { below: Math.floor(view.mid / 100) * 100, above: (Math.floor(view.mid / 100) + 1) * 100 ${more} } }`

const viewAt = (price: string): View => {
  const exact = Decimal.parse(price) ?? Decimal.one
  const { market } = strategyOf(codeWith(steady))
  return { now: 1_700_000_000_000, market, price: { bid: exact, ask: exact, at: 0 }, slots: new Map() }
}

/** Wants the same at any price. */
const steady = `return { orders: [{ slot: "one", legs: [{ side: "buy", price: "59000.05", size }], why: "it is cheap" }], until: {} }`

const refused: ReadonlyArray<readonly [what: string, code: string, says: RegExp]> = [
  [
    "a clock",
    codeWith(`const at = Date.now(); ${steady}`),
    /there is no Date here: the only clock is view\.now \(line 8\)/
  ],
  ["chance", codeWith(`if (Math.random() > 0.5) ${steady}; ${steady}`), /nothing is random/],
  ["the network", codeWith(`fetch("https://example.org"); ${steady}`), /there is no fetch here/],
  ["the process", codeWith(`process.exit(1); ${steady}`), /there is no process here/],
  [
    "another module",
    `import { readFileSync } from "node:fs"\n${codeWith(steady)}`,
    /mine\.ts:1:1: it may import only types/
  ],
  ["a promise", codeWith(`new Promise(() => 1); ${steady}`), /there is no Promise here: a decision cannot wait/],
  ["code from text", codeWith(`eval("1"); ${steady}`), /there is no eval here/],
  [
    "a way out by a constructor",
    codeWith(`const made = view.slot.constructor("return process")(); ${steady}`),
    /not a function \(line 8\)/
  ],
  [
    "a loop without an end",
    codeWith(`while (true) {} ${steady}`),
    /it takes more than 1000000 steps in the function of line 7/
  ],
  [
    "a loop that catches its own end",
    codeWith(`for (;;) { try { for (;;) {} } catch {} }`),
    /it takes more than 1000000 steps/
  ],
  [
    "a recursion without an end",
    codeWith(`const deeper = (): number => deeper() + 1; deeper(); ${steady}`),
    /(call stack|more than 1000000 steps)/
  ],
  ["a crash", codeWith(`const none: any = null; return none.price`), /cannot read property 'price' of null \(line 8\)/],
  [
    "a crash outside of decide",
    codeWith(steady, "const none: any = null; none.price"),
    /mine\.ts:3:1: cannot read property 'price' of null/
  ],
  ["an invalid price", codeWith(answer("0 / 0")), /its answer is not a decision: /],
  ["a price below zero", codeWith(answer("-1")), /the price of one is -1: it has to be above zero/],
  [
    "two orders for one slot",
    codeWith(
      `const one = { slot: "one", legs: [{ side: "buy", price: 1, size }], why: "" }; return { orders: [one, one], until: {} }`
    ),
    /two orders for the slot one/
  ],
  [
    "an answer that holds too long",
    codeWith(
      `return { orders: [{ slot: "one", legs: [{ side: "buy", price: view.mid * 0.99, size }], why: "" }], until: {} }`
    ),
    /mine\.ts holds too long at a price of [\s\S]*one: buy at [\s\S]*whatever happens; but at/
  ],
  [
    "no wait for its first candles",
    `export default { about: "x", keys: { size: { is: "size" } }, candles: () => ({ "1h": 3 }), decide: (view, { size }) => ({ orders: [{ slot: "one", legs: [{ side: "buy", price: view.candles("1h").close(2) * 0.9, size }], why: "" }], until: { candle: "1h" } }) }`,
    /orders\.0\.legs\.0\.price: Expected number \| string; it had only 0 closed candles and must wait for enough/
  ],
  ["candles that it does not declare", codeWith(`view.candles("1h"); ${steady}`), /it did not ask for candles of 1h/],
  ["invalid syntax", "export default {", /this is not TypeScript/],
  ["nothing", "const a = 1", /it has to export its strategy by default: export default/],
  ["no keys", `export default { about: "x", decide: () => ({ orders: [], until: {} }) }`, /its keys are not an object/],
  [
    "a key of no kind",
    `export default { about: "x", keys: { a: { is: "money" } }, decide: () => ({ orders: [], until: {} }) }`,
    /its key a has no valid `is`/
  ],
  [
    "a key of no kind, by a name that every object knows",
    `export default { about: "x", keys: { a: { is: "constructor" } }, decide: () => ({ orders: [], until: {} }) }`,
    /its key a has no valid `is`/
  ],
  [
    "a key whose name is taken",
    `export default { about: "x", keys: { market: { is: "text" } }, decide: () => ({ orders: [], until: {} }) }`,
    /its key market needs another name/
  ],
  [
    "a whole number without bounds",
    `export default { about: "x", keys: { a: { is: "integer" } }, decide: () => ({ orders: [], until: {} }) }`,
    /its key a needs a `least` and a `most`/
  ],
  [
    "a description of 2 MB",
    `export default { about: "x".repeat(2e6), keys: {}, decide: () => 1 }`,
    /more than 1000000 bytes/
  ],
  ["no decision", `export default { about: "x", keys: {} }`, /it has no decide/]
]

const harmless: ReadonlyArray<readonly [what: string, code: string, answers: unknown]> = [
  [
    "a variable outside of decide, which starts again",
    codeWith(`n += 1; return ${"{ orders: [], memory: n, until: {} }"}`, "let n = 0"),
    1
  ],
  [
    "an object outside of decide, which starts again",
    codeWith(`seen.push(1); return { orders: [], memory: seen.length, until: {} }`, "const seen: Array<number> = []"),
    1
  ],
  [
    "a module that it imports later, which never arrives",
    codeWith(`let n = 0; import("node:fs").then(() => { n = 1 }); return { orders: [], memory: n, until: {} }`),
    0
  ],
  [
    "an async function, whose result never arrives",
    codeWith(
      `let n = 0; const f = async () => { await null; n = 1 }; f(); return { orders: [], memory: n, until: {} }`
    ),
    0
  ],
  ["a pattern", codeWith(`return { orders: [], memory: /^a+$/.test("aaa"), until: {} }`), true]
]

describe("a strategy in code", () => {
  it.each(refused)("is refused with its reason: %s", (_, code, says) => {
    assert.match(refusalOf(code), says)
  })

  it.each(harmless)("may have %s", (_, code, answers) => {
    const { decide } = strategyOf(code)
    for (const _ of [1, 2]) assert.strictEqual(decide(viewAt("60000"), null).memory, answers)
  })

  it("is like any other: its keys are read with their places, and its hash includes its code", () => {
    assert.match(
      refusalOf(codeWith(steady), file("sise: { quote: 10 }")),
      /mine\.yaml:7:3: unknown key "sise"[\s\S]*did you mean "size"/
    )
    assert.match(refusalOf(codeWith(steady), file("size: 10")), /mine\.yaml:7:9: /)
    const [one, other] = [strategyOf(codeWith(steady)), strategyOf(codeWith(`const a = 1; ${steady}`))]
    assert.strictEqual(one.kind, "mine")
    assert.notStrictEqual(one.hash, other.hash)
    const again = StrategyFile.parse(one.text, one.file, markets)
    assert.strictEqual(Result.isSuccess(again) && again.success.hash, one.hash, "the text alone says all of it")
  })

  it("says where its code is missing", () => {
    const found = StrategyFile.parse(file(), "mine.yaml", markets)
    assert.isTrue(Result.isFailure(found))
    assert.match(
      Result.isFailure(found) ? (found.failure[0]?.message ?? "") : "",
      /its code "\.\/mine\.ts" cannot be read/
    )
  })

  it("orders at the price step, and at most its size", () => {
    const { decide, initialMemory } = strategyOf(codeWith(steady))
    const { desired } = decide(viewAt("60000"), initialMemory)
    assert.strictEqual(desired.length, 1)
    assert.deepStrictEqual(desired[0]?.legs, [{ side: "BUY", price: Decimal.make(590_000n, 1), quantity: 16_949n }])
    assert.deepInclude(desired[0]?.why, { code: "own", text: "it is cheap", source: "mine.yaml:7" })
  })

  it("shares nothing with another strategy of the same code, and cannot change its inputs", () => {
    const code = codeWith(`
    const state = typeof memory === "object" && memory !== null && "n" in memory ? memory : { n: 0 }
    try { (settings as any).size = 1 } catch { return { orders: [], memory: { n: Number(state.n) + 1 }, until: { below: view.mid, above: view.mid } } }
    return { orders: [], until: {} }`).replace("{ size }", "settings")
    const [one, other] = [strategyOf(code), strategyOf(code)]
    const first = one.decide(viewAt("60000"), null)
    assert.deepStrictEqual(first.memory, { n: 1 })
    assert.deepStrictEqual(one.decide(viewAt("60000"), first.memory).memory, { n: 2 })
    assert.deepStrictEqual(other.decide(viewAt("60000"), null).memory, { n: 1 })
  })

  it("gets no object of the program, not even an error when the stack is full", () => {
    const code = codeWith(`
    let strangers = 0
    const deeper = (): void => {
      try { deeper() } catch {}
      for (const ask of [() => view.slot("one"), () => view.position(), () => view.candles("1h").close(0)])
        try { ask() } catch (mistake) { if (!(mistake instanceof Error)) strangers += 1 }
    }
    try { deeper() } catch {}
    return { orders: [], memory: strangers, until: { below: view.mid, above: view.mid } }`).replace(
      "about:",
      'candles: () => ({ "1h": 1 }),\n  about:'
    )
    const { decide } = strategyOf(code)
    const column = Float64Array.of(1)
    const columns = { open: column, high: column, low: column, close: column, volume: column }
    const view = { ...viewAt("60000"), candles: new Map([["1h", { columns, closed: 1 }]]) }
    for (let time = 0; time < 20; time++) assert.strictEqual(decide(view, null).memory, 0)
  })

  it("sees no candle that has not closed, even with the whole past of a backtest", () => {
    const code = codeWith(`
    const { close, count } = view.candles("1h")
    return { orders: [], memory: [count, close(0), close(-1), close(-0.5), close(1)].map(String), until: { candle: "1h" } }`).replace(
      "about:",
      'candles: () => ({ "1h": 2 }),\n  about:'
    )
    const column = Float64Array.of(1, 2, 3, 4)
    const columns = { open: column, high: column, low: column, close: column, volume: column }
    const view = { ...viewAt("60000"), candles: new Map([["1h", { columns, closed: 2 }]]) }
    assert.deepStrictEqual(strategyOf(code).decide(view, null).memory, ["2", "2", "NaN", "NaN", "1"])
  })

  /** Buys while the trend is up, and not without one. */
  const following = (wants = "view.signal('trend')?.value ?? 0", more = "") =>
    codeWith(`
    const wanted = ${wants}
    const why = "the trend is " + wanted
    const orders = wanted > 0.5 ? [{ slot: "one", legs: [{ side: "buy", price: 59_000, size }] as const, why }] : []
    return { orders, until: { ${more} } }`).replace("about:", "signals: () => ({ trend: 7_200_000 }),\n  about:")
  const sent = (value: number, at: number): View => ({
    ...viewAt("60000"),
    signals: new Map([
      ["trend", { value, at }],
      ["other", { value: 1, at }]
    ])
  })

  it("sees the signals that it declares, and holds until a new value or until the last one is too old", () => {
    const { decide, signals } = strategyOf(following())
    assert.deepStrictEqual([...(signals ?? [])], [["trend", 7_200_000]])
    const { now } = viewAt("60000")
    assert.deepStrictEqual(decide(viewAt("60000"), null).until, { onFill: true, signals: true })
    const { desired, until } = decide(sent(0.7, now - 60_000), null)
    assert.deepStrictEqual([desired.map(({ why }) => why.text), until.time], [["the trend is 0.7"], now + 7_140_000])
    assert.strictEqual(decide(sent(0.7, now - 7_199_999), null).until.time, now + 1)
    const old = decide(sent(0.7, now - 7_200_000), null)
    assert.deepStrictEqual([old.desired, old.until], [[], { onFill: true, signals: true }])
    assert.strictEqual(
      strategyOf(following(undefined, "time: view.now + 5, candle: undefined")).decide(sent(0.7, now), null).until.time,
      now + 5
    )
  })

  it.each([
    ["an impossible name", following().replace("trend: 7", "'a b': 7"), /asks for the signal a b: a name has 1 to 40/],
    [
      "an age of zero",
      following().replace("7_200_000", "0"),
      /its maximum age of the signal trend is 0: write milliseconds above zero/
    ],
    ["one that it does not declare", following("view.signal('trned')?.value ?? 0"), /did not ask for the signal trned/],
    [
      "one whose age it reads, with an answer that holds too long",
      following(
        "view.signal('trend') === undefined ? 0 : view.now - (view.signal('trend')?.at ?? 0) > 600_000 ? 1 : 0"
      ),
      /holds too long at a price of [^\n]*, with the signal trend [^\n]*sent [^\n]* before, with memory/
    ]
  ])("is refused for its signals: %s", (_, code, says) => {
    assert.match(refusalOf(code), says)
  })

  it("is tried on slots that paid the price of their orders, whatever the decimals of the base", () => {
    const buying = `return { orders: [{ slot: "one", legs: [{ side: "buy", price: 1_000_000, size }], why: "" }], until: {} }`
    const checking = `const { bought, paid } = view.slot("one"); if (bought > 0 && Math.abs(paid / bought / 1e6 - 1) > 0.01) throw new Error("paid " + paid + " for " + bought)`
    assert.strictEqual(refusalOf(codeWith(`${checking}; ${buying}`)), "taken")
    assert.match(refusalOf(codeWith(`${checking.replace("> 0.01", "< 0.01")}; ${buying}`)), /paid 10 for 0\.00001/)
  })

  const examples = ["supertrend", "rsi-ladder", "hours", "trend"]
  it.each(examples)("like strategies/code/%s.yaml is accepted", (name) => {
    const folder = join(import.meta.dirname, "../../../strategies/code")
    const [text, code] = [`${name}.yaml`, `${name}.ts`].map((each) => readFileSync(join(folder, each), "utf8"))
    const found = suited(
      StrategyFile.parse(StrategyFile.withCode(text ?? "", code ?? ""), `${name}.yaml`, markets),
      "live"
    )
    assert.isTrue(
      Result.isSuccess(found),
      Result.isFailure(found) ? found.failure.map(({ message }) => message).join("\n") : ""
    )
  })
})
