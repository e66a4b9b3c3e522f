/**
 * Whatever is read from outside takes any text and any value: wounded examples of it become a value or a problem, and what is let
 * through is exact. A signed transfer is always exactly the one that was meant. `npm run fuzz` tries as many as you like.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Guard from "../../src/signing/IntentGuard.ts"
import { Signer } from "../../src/signing/Signer.ts"
import { processorMillis } from "../world/processorMillis.ts"
import { payer, testAccount, testKey } from "../world/service/scriptedVenue.ts"
import { wounded, woundedValue } from "../world/texts/wound.ts"
import { fromJson, longestMillis, texts, values } from "./targets.ts"

const count = Number(process.env["LIMITBOT_FUZZ"] ?? 300)
const first = Number(process.env["LIMITBOT_SEED"] ?? 1)

const now = Date.parse("2026-02-03T00:00:00Z")
const expected = { depositAddress: "deposit-1", depositType: "INTENTS", asset: "nep141:base", amount: 1_000_000n }
const message = {
  deadline: "2026-02-03T00:10:00.000Z",
  intents: [{ intent: "transfer", receiver_id: "deposit-1", tokens: { "nep141:base": "1000000" } }],
  signer_id: testAccount
}

describe("fuzz", () => {
  for (const [what, [examples, read]] of Object.entries(texts)) {
    it(`${count} corrupted ${what} are read or refused`, { timeout: 3_600_000 }, () => {
      for (let number = first; number < first + count; number += 1) {
        const text = wounded(examples[number % examples.length] ?? "", number)
        const millis = processorMillis(() => {
          try {
            read(text)
          } catch (cause) {
            throw new Error(`input ${number} escapes: ${JSON.stringify(text.slice(0, 400))}`, { cause })
          }
        })
        assert.isBelow(millis, longestMillis, `input ${number}`)
      }
    })
  }

  it.each(Object.entries(values))(
    `${count} corrupted %s are read or refused`,
    { timeout: 3_600_000 },
    (_, [example, read]) => {
      read(example)
      for (let number = first; number < first + count; number += 1) {
        const said = woundedValue(example, number)
        try {
          read(said)
        } catch (cause) {
          throw new Error(`value ${number} escapes: ${JSON.stringify(said)?.slice(0, 600)}`, { cause })
        }
        fromJson(read)(wounded(JSON.stringify(example), number))
      }
    }
  )

  it.effect(`${count} corrupted messages are signed only if they still do the same`, () =>
    Effect.gen(function* () {
      const guard = yield* Guard.IntentGuard
      yield* TestClock.setTime(now)
      let signed = 0
      for (let number = first; number < first + count; number += 1) {
        const text = wounded(JSON.stringify(message), number)
        const payload = { message: text, nonce: Buffer.alloc(32, 5).toString("base64"), recipient: "intents.native" }
        const result = yield* Effect.result(guard.signTransfer({ standard: "nep413", payload }, expected))
        if (result._tag === "Failure") continue
        signed += 1
        assert.deepStrictEqual(JSON.parse(text).intents, message.intents, `input ${number}`)
        assert.strictEqual(JSON.parse(text).signer_id, testAccount)
      }
      assert.isBelow(signed, count)
    }).pipe(Effect.provide(Guard.layer(payer).pipe(Layer.provide(Layer.orDie(Signer.layer(testKey))))))
  )
})
