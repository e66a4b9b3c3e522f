/** What a strategy may keep: a type of its own, also an interface, which the compiler holds its decisions against. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type Own, type OwnDecision, trialOf } from "../../../src/strategy/library.ts"

interface Counted {
  readonly times: number
  readonly first?: { readonly at: number }
}

const keys = { every: { is: "duration" } } as const

const counting: Own<typeof keys, Counted> = {
  about: "counts its decisions",
  keys,
  decide: ({ now }, { every }, memory) => ({
    orders: [],
    memory: { times: (memory?.times ?? 0) + 1, first: memory?.first ?? { at: now } },
    until: { time: now + every }
  })
}

const untyped: Own<typeof keys> = {
  about: "keeps any JSON",
  keys,
  decide: (_view, _settings, memory) => ({ orders: [], memory: [memory], until: {} })
}

// @ts-expect-error: text is not what it says that it keeps.
const wrong: OwnDecision<Counted> = { orders: [], memory: "text", until: {} }

describe("the memory of a strategy in code", () => {
  it("may be an interface, in the code and in a trial of it", () => {
    const view = { now: 5, bid: 1, ask: 1, mid: 1 }
    const market = { name: "BTC/USDC", base: "BTC", quote: "USDC" }
    const none = () => undefined as never
    const seen = { ...view, market, position: none, slot: none, candles: none, signal: none }
    const memory: Counted = { times: 2, first: { at: 1 } }
    assert.deepStrictEqual(counting.decide(seen, { every: 3 }, memory).memory, { times: 3, first: { at: 1 } })
    assert.deepStrictEqual(untyped.decide(seen, { every: 3 }, null).memory, [null])
    assert.isDefined(wrong)
    const file = join(mkdtempSync(join(tmpdir(), "limitbot-memory-")), "counting.yaml")
    writeFileSync(
      file,
      "name: counting\nmarket: BTC/USDC\nkind: ./counting.ts\nlimits: { budget: { quote: 10 } }\ncounting: {}\n"
    )
    const decide = `({ memory }) => ({ orders: [], memory, until: {} })`
    const code = `export default { about: "keeps", keys: {}, decide: (view, settings, memory) => (${decide})({ memory }) }`
    writeFileSync(join(dirname(file), "counting.ts"), code)
    const trial = trialOf(file)
    assert.deepStrictEqual(trial.problems, [])
    assert.deepStrictEqual(trial.decide({ mid: 1 }, memory).memory, { times: 2, first: { at: 1 } })
  })
})
