/** Answers leave the machine in its own binary form. They arrive as JSON would bring them, and nothing else arrives. */
import { assert, describe, it } from "@effect/vitest"
import { instanceOf } from "../../../src/strategy/own/OwnInstance.ts"
import { firstOf } from "../../long.ts"

const questions = {
  position: () => 0,
  slot: () => "{}",
  candles: () => undefined,
  indicator: () => 0,
  signal: () => "null"
}

/** Answers with the expression, which may read `view`. */
const answering = (expression: string) => {
  const instance = instanceOf(`export default { about: "x", keys: {}, decide: (view) => (${expression}) }`)
  instance.begin("{}", "{}", questions)
  return (mid = 1) => instance.decide({ now: 0, bid: mid, ask: mid, mid }, "null", (answer) => answer)
}

const likeJson: ReadonlyArray<readonly [expression: string, answer: unknown]> = [
  ["[0, -0, 1, -1, 63, 64, 8191, -8192, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 53, 1e-300, 0.1 + 0.2]", undefined],
  [
    "[NaN, Infinity, -Infinity, undefined, null, true, false, , 7]",
    [null, null, null, null, null, true, false, null, 7]
  ],
  [
    `["", "é", "\\0", "€", "a€\\ud800", "🙂", "x".repeat(300)]`,
    ["", "é", "\0", "€", "a€\ud800", "🙂", "x".repeat(300)]
  ],
  ["({ a: undefined, b: { c: [[], {}] }, 5: 1, length: 2, size: 3, constructor: 4, name: 5, next: 6 })", undefined],
  [`({ "é": 1, "€": 2, "": 3, "a b": 4 })`, undefined],
  ["new (class { x = 1; get y() { return 2 } })", { x: 1 }],
  ["Object.freeze([1, Object.create({ inherited: 1 })])", [1, {}]],
  ["undefined", undefined],
  ["'only text'", "only text"]
]

const refused: ReadonlyArray<readonly [expression: string, says: RegExp]> = [
  ["() => 1", /not like JSON: unsupported/],
  ["({ f() {} })", /not like JSON: unsupported/],
  ["({ get a() { return 1 } })", /not like JSON: only value properties/],
  ["(() => { const a = []; a.push(a); return a })()", /not like JSON: circular/],
  ["new Error('x')", /not like JSON: unsupported/],
  ["new Map()", /JSON has not/],
  ["[new Uint8Array(8)]", /JSON has not/],
  ["new Number(5)", /JSON has not/],
  ["10n", /JSON has not/],
  ["/a/", /JSON has not/],
  ["({ [Symbol('a')]: 1 })", /a symbol/],
  ["({ ['__proto__']: { polluted: 1 } })", /a key __proto__/],
  ["(() => { let a = []; for (let i = 0; i < 9000; i++) a = [a]; return a })()", /call stack|nested too deep/],
  ["'x'.repeat(2e6)", /more than 1000000 bytes/],
  // It takes its second.
  [
    "(() => { let a = []; for (let i = 0; i < 60; i++) a = [a, a]; return a })()",
    /more than 64 MB|longer than 1000 ms|memory/
  ]
]

describe("the answer of a machine", () => {
  it.each(likeJson)("arrives as JSON would bring it: %s", (expression, answer) => {
    // The expressions without an answer here are also read by this program.
    const expected: unknown = answer ?? JSON.parse(JSON.stringify(new Function(`return ${expression}`)()) ?? "null")
    const arrived = answering(expression)()
    assert.deepStrictEqual(arrived ?? null, expected)
    assert.strictEqual(JSON.stringify(arrived ?? null), JSON.stringify(expected))
  })

  it.each(firstOf(refused.length - 1, refused))("does not arrive: %s", (expression, says) => {
    const answer = answering(`view.mid === 1 ? (${expression}) : "calm"`)
    assert.throws(() => answer(), says)
    assert.strictEqual(answer(2), "calm")
  })

  it("has its own keys, also after others of the same number or the same beginning", () => {
    const answer = answering(
      "[{ a: 1, b: 2 }, { a: 1, c: 2 }, { a: 1 }, { size: 1, b: 2 }, [{ a: 1 }, { b: 2 }], 7][view.mid]"
    )
    const seen = [0, 1, 2, 3, 4, 5, 2, 0, 3].map(answer)
    assert.deepStrictEqual(seen, [
      { a: 1, b: 2 },
      { a: 1, c: 2 },
      { a: 1 },
      { size: 1, b: 2 },
      [{ a: 1 }, { b: 2 }],
      7,
      { a: 1 },
      { a: 1, b: 2 },
      { size: 1, b: 2 }
    ])
  })

  it("is the same object while it is the same", () => {
    const answer = answering("({ up: view.mid > 5 })")
    assert.strictEqual(answer(1), answer(2))
    assert.deepStrictEqual([answer(6), answer(1)], [{ up: true }, { up: false }])
  })
})
