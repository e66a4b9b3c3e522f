/**
 * Whatever is read from outside takes any text: it answers with a value or with a problem, never with an exception, and soon.
 * A signed transfer is always exactly the one that was meant. `npm run fuzz` tries as many as you like.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as CandleCsv from "../../src/candles/csv/CandleCsv.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import * as Guard from "../../src/venue/signing/IntentGuard.ts"
import { Signer } from "../../src/venue/signing/Signer.ts"
import * as StrictJson from "../../src/venue/wire/StrictJson.ts"
import { assets } from "../simulation/market.ts"
import { config, testAccount, testKey } from "../venue/scriptedVenue.ts"
import { wounded } from "./wound.ts"

const count = Number(process.env["LIMITBOT_FUZZ"] ?? 300)
const first = Number(process.env["LIMITBOT_SEED"] ?? 1)
/** Far more than any input needs, also on a busy machine. */
const longestMillis = 2_000

const folder = resolve(import.meta.dirname, "../../strategies")
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => readFileSync(join(folder, name), "utf8"))
const candles = `timestamp,open,high,low,close,volume
2024-01-01T00:00:00Z,1.5,2,1,1.75,10
2024-01-01T00:01:00Z,1.75,2.5,1.5,2,12
1704067320000,2,2,2,2,0
`
const answer = JSON.stringify({
  data: [{ id: "1", attributes: { depositedAmount: "12", price: "1.5", partialFills: [{ id: "f", amountIn: "1" }] } }],
  meta: { timestamp: "2026-01-01T00:00:00.000Z" }
})

const targets: Readonly<Record<string, readonly [ReadonlyArray<string>, (text: string) => unknown]>> = {
  "strategy files": [files, (text) => StrategyFile.parse(text, "fuzz.yaml", { assets, ticks: new Map() })],
  JSON: [[answer], (text) => StrictJson.read(text)],
  decimals: [["12.50", "-0.000001", "100000000"], (text) => Decimal.parse(text)],
  candles: [
    [candles],
    (text) => CandleCsv.parse(new TextEncoder().encode(text), { file: "fuzz.csv", repair: new Set() })
  ]
}

const now = Date.parse("2026-02-03T00:00:00Z")
const expected = { depositAddress: "deposit-1", asset: "nep141:base", amount: 1_000_000n }
const message = {
  deadline: "2026-02-03T00:10:00.000Z",
  intents: [{ intent: "transfer", receiver_id: "deposit-1", tokens: { "nep141:base": "1000000" } }],
  signer_id: testAccount
}

describe("fuzz", () => {
  for (const [what, [examples, read]] of Object.entries(targets)) {
    it(`${count} wounded ${what} are read or refused`, { timeout: 3_600_000 }, () => {
      for (let number = first; number < first + count; number += 1) {
        const text = wounded(examples[number % examples.length] ?? "", number)
        const begun = performance.now()
        try {
          read(text)
        } catch (cause) {
          throw new Error(`input ${number} escapes: ${JSON.stringify(text.slice(0, 400))}`, { cause })
        }
        assert.isBelow(performance.now() - begun, longestMillis, `input ${number}`)
      }
    })
  }

  it.effect(`of ${count} wounded messages none is signed that does anything else`, () =>
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
    }).pipe(Effect.provide(Guard.layer.pipe(Layer.provide(Layer.orDie(Signer.layer(testKey))), Layer.provide(config))))
  )
})
