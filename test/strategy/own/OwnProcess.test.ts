/** What code of one's own does with built-in calls, which no step counts: it ends, and nothing but its strategy notices. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { scriptOf } from "../../../src/strategy/own/OwnCode.ts"
import * as OwnContext from "../../../src/strategy/own/OwnContext.ts"
import * as OwnProcess from "../../../src/strategy/own/OwnProcess.ts"
import { sourceText } from "../../../src/strategy/Problem.ts"

const codeWith = (body: string): string => {
  const text = `export default { about: "a test", keys: {}, candles: () => ({ "1m": 3 }), decide: (view, settings, memory) => { ${body} } }`
  const script = scriptOf(sourceText("mine.ts", text))
  return typeof script === "string" ? script : assert.fail(script.map(({ message }) => message).join())
}

const answering = `return { memory: [view.position(), view.slot("one"), view.slot("two"), view.candles("1m").count, view.candles("1m").high(0), view.candles("1m").volume(2), view.candles("1m").close(3), memory] }`

const asked: OwnContext.OwnAsked = {
  position: () => 0.5,
  slots: () => ["one"],
  slot: (name) => JSON.stringify({ name: name === "one" ? "one" : "untouched" }),
  closed: (timeframe) => (timeframe === "1m" ? 3 : -1),
  candle: (_, column, back) => (column === "volume" ? Number.NaN : back < 3 ? 100 - back : Number.NaN),
  signal: () => ""
}

const begun = (script: string, where: Pick<typeof OwnProcess, "instanceOf">) => {
  const instance = where.instanceOf(script)
  instance.begin("{}", "{}", asked)
  return (mid: number, memory = "null") => instance.decide(0, mid, mid, mid, memory)
}

/** How the processes of this one that answer for own code were started. */
const processes = (): ReadonlyArray<string> =>
  readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const parent = / \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8").split(")").at(-1) ?? "")?.[1]
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8")
      return Number(parent) === process.pid && words.includes("ownCall") ? [words] : []
    } catch {
      return []
    }
  })

const isAsked = "if (view.mid > 1) {"

/** Which of them comes first is the machine's. */
const isEnded =
  /its process broke down|it takes longer than 1000 ms|it says nothing for 2000 ms, and its process was ended|Invalid array length|too big/

const attacks: ReadonlyArray<readonly [what: string, body: string, says: RegExp]> = [
  [
    "a pattern that is made of a text and never ends",
    `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".match("(a+)+$")`,
    /it takes longer than 1000 ms/
  ],
  ["a number of millions of digits", "7n ** 300_000_000n", isEnded],
  [
    "a text that is taken apart into more parts than there can be",
    `"x".repeat(500_000_000).split("")`,
    /its process broke down/
  ],
  ["all the memory that there is", "let all = [1]; for (;;) all = all.concat(all, [{}])", isEnded],
  ["a memory of a million characters", `return { memory: "x".repeat(2_000_000) }`, /more than 1000000 characters/]
]

describe("code of one's own in a process of its own", () => {
  it("answers as it does here, with candles, slots and what it remembers", () => {
    const script = codeWith(answering)
    const [apart, here] = [begun(script, OwnProcess), begun(script, OwnContext)]
    assert.strictEqual(apart(2, `{"n":1}`), here(2, `{"n":1}`))
    assert.deepStrictEqual(JSON.parse(apart(2)), {
      memory: [0.5, { name: "one" }, { name: "untouched" }, 3, 100, null, null, null]
    })
  })

  it.each(attacks)(
    "stopped the bot, its kill switch and its health for ever: %s",
    (_, body, says) => {
      const decide = begun(codeWith(`${isAsked} ${body} } ${answering}`), OwnProcess)
      const before = decide(1)
      const from = performance.now()
      assert.throws(() => decide(2), says)
      assert.isBelow(performance.now() - from, 20_000)
      // What has lost its process rests; what was only told that it is late, or that it says too much, goes on.
      try {
        assert.strictEqual(decide(1), before)
      } catch (mistake) {
        assert.match(String(mistake), /it is tried again a minute later/)
      }
    },
    60_000
  )

  it("replaces a process that another strategy of the same code has broken", () => {
    const script = codeWith(`${isAsked} "x".repeat(500_000_000).split("") } ${answering}`)
    const [one, other] = [begun(script, OwnProcess), begun(script, OwnProcess)]
    const before = other(1)
    assert.throws(() => one(2), isEnded)
    assert.strictEqual(other(1), before)
    assert.throws(() => one(1), /; it is tried again a minute later/)
  }, 60_000)

  it("may read no file and open no connection, even outside its context", () => {
    begun(codeWith(answering), OwnProcess)
    const started = processes()
    assert.isAbove(started.length, 0)
    for (const words of started) assert.match(words, /--(?:experimental-)?permission\0/)
  }, 60_000)
})
