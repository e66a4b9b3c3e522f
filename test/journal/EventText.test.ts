/** The fast way from text to events is the schema's: whatever it is given, both take the same and refuse the same. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { type BotEvent, StoredEvent } from "../../src/domain/BotEvent.ts"
import * as EventText from "../../src/journal/EventText.ts"
import { begin, orderOf } from "../world/journalRows.ts"
import { wounded, woundedValue } from "../world/texts/wound.ts"

const EventJson = Schema.fromJsonString(StoredEvent)
const bySchema = Schema.decodeUnknownResult(EventJson)
const encode = Schema.encodeSync(EventJson)

const compare = (text: string): "taken" | "refused" => {
  const [expected, found] = [bySchema(text), EventText.decode(text)]
  if (Result.isSuccess(expected)) {
    assert.deepStrictEqual(found, expected, text)
    if (Result.isSuccess(found)) assert.strictEqual(encode(found.success), encode(expected.success))
    return "taken"
  }
  assert.isTrue(Result.isFailure(found), text)
  if (Result.isFailure(found)) assert.strictEqual(found.failure.message, expected.failure.message)
  return "refused"
}

const written = [...begin, ...Array.from({ length: 15 }, (_, number) => orderOf(number + 1)).flat()].map((event) =>
  encode(event)
)

describe("events from their text", () => {
  it.effect("are what the schema reads, of every kind and with every field", () =>
    Effect.gen(function* () {
      for (const [tag, schema] of Object.entries<Schema.Codec<BotEvent, unknown>>(StoredEvent.cases)) {
        const sample = yield* Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 25, seed: 7 })
        for (const event of sample) assert.strictEqual(compare(encode(event)), "taken", tag)
      }
    })
  )

  it("are refused with the same text, and keep no field that the schema leaves out", () => {
    const seen = { taken: 0, refused: 0 }
    for (const [index, text] of written.entries())
      for (let number = 0; number < 12; number += 1) {
        seen[compare(wounded(text, index * 100 + number))] += 1
        const value = Result.try(() => JSON.stringify(woundedValue(JSON.parse(text), index * 100 + number)))
        // Some wounds no text can have.
        if (Result.isSuccess(value) && value.success !== undefined) seen[compare(value.success)] += 1
      }
    assert.isAbove(seen.taken, 50)
    assert.isAbove(seen.refused, 1_000)
    for (const text of ["", "null", "[]", "3", '{"_tag":"constructor"}', '{"_tag":"__proto__"}', '{"__proto__":{}}'])
      assert.strictEqual(compare(text), "refused")
    const more = '{"_tag":"BotStopped","reason":"x","__proto__":1,"more":[{"a":1}]}'
    assert.strictEqual(compare(more), "taken")
  })

  it("have no field with the name of a common field; older journals that do are read", () => {
    const taken = Object.entries(StoredEvent.cases).flatMap(([tag, { fields }]) =>
      Object.keys(fields).flatMap((name) => (["event", "sequence", "at"].includes(name) ? [`${tag}.${name}`] : []))
    )
    assert.deepStrictEqual(taken, [])
    const older = [
      '{"_tag":"JournalBroken","event":15,"text":"x"}',
      '{"_tag":"SignalReceived","name":"a","value":1,"at":7,"by":"b"}'
    ]
    assert.deepStrictEqual(
      older.map((text) => Result.getOrThrow(EventText.decode(text))),
      [
        { _tag: "JournalBroken", number: 15, text: "x" },
        { _tag: "SignalReceived", name: "a", value: 1, from: 7, by: "b" }
      ]
    )
  })

  it("keep numbers exact: any digits of an amount, and only decimal prices of bounded size", () => {
    const fill = written.find((text) => text.includes('"FillSeen"')) ?? ""
    const priced = (price: string) => fill.replace(/"price":"[^"]*"/, `"price":"${price}"`)
    for (const price of ["1.50", "+3", ".5", "7.", "-0", "0.000", "1".repeat(91), `0.${"1".repeat(60)}`])
      assert.strictEqual(compare(priced(price)), price.length > 90 ? "refused" : "taken")
    for (const price of ["1e3", "", " 1", `0.${"1".repeat(61)}`, "NaN"])
      assert.strictEqual(compare(priced(price)), "refused")
    for (const amount of ["01", "-", "1.0", "+1", "0x1"])
      assert.strictEqual(compare(fill.replace(/"amountIn":"[^"]*"/, `"amountIn":"${amount}"`)), "refused")
    compare(fill.replace(/"amountIn":"[^"]*"/, `"amountIn":"-${"9".repeat(300)}"`))
  })
})
