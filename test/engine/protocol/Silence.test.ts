/** Who is waited for, how long, and what it means if nothing comes: a case for each row, just before its time and at it. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { defaults } from "../../../src/engine/EngineSettings.ts"
import { concluded, rows, type Seen, type SilenceRow } from "../../../src/engine/protocol/Silence.ts"
import { firstOf } from "../../../src/engine/protocol/TableRow.ts"
import type { Placement } from "../../../src/engine/state/Placement.ts"
import { about, placementAfter } from "../firstOrder.ts"

const creating = placementAfter("CreateSent")
const created = placementAfter("Bound")
const signed = placementAfter("FundingSigned")
const sent = placementAfter("FundingSent")
const money = { ...about, asset: "USDC", amount: created.inputAmount }
const doubted = placementAfter("FundingSent", { _tag: "FundingInDoubt", ...money, reason: "test" })
const asked = (wallet: "manual" | "command", by?: "swap"): Placement => {
  const payment = { orderId: "order-1", depositAddress: "address-1", asset: "USDC", amount: 1n, wallet, validUntil: 1 }
  const placement = placementAfter("Bound", { _tag: "PaymentAsked", ...about, ...payment })
  return by === undefined ? placement : { ...placement, by }
}
const funded = (placement: Placement, change: object): Placement =>
  placement.state === "funding" ? { ...placement, funding: { ...placement.funding, ...change } } : placement

const { doubtMillis, paymentVisibilityMillis, takeoverMillis, resolveAfterMillis, visibilityMillis } = defaults
const expired = { expiredMillis: visibilityMillis, emptyReads: 2 }
const over = { overMillis: paymentVisibilityMillis }
const doubtOver = { overMillis: doubtMillis, expiredMillis: doubtMillis }

/** The row's name, whom it is about, what is seen when it counts, and what it means then. */
const cases: ReadonlyArray<readonly [string, Placement, Seen, SilenceRow[3][1]]> = [
  ["an earlier process started it", { ...created, mayBePaid: true }, { runMillis: takeoverMillis }, "abandoned"],
  ["a quote was not answered", { ...creating, by: "swap" }, {}, "abandoned"],
  ["a create was not answered", creating, { quietMillis: resolveAfterMillis }, "abandoned"],
  ["no payload arrives", created, { quietMillis: resolveAfterMillis }, "abandoned"],
  ["a person was asked to pay", asked("manual"), over, "never"],
  ["a wallet was asked", asked("command"), over, "doubt"],
  ["a wallet was asked", asked("manual", "swap"), over, "doubt"],
  ["a payload never left", signed, expired, "never"],
  ["a payload never left", funded(sent, { attempts: 2, clearRefusals: 2 }), expired, "never"],
  ["a payload was sent", sent, expired, "doubt"],
  ["a payload was sent", funded(sent, { attempts: 2, clearRefusals: 2, mayBeForgotten: true }), expired, "doubt"],
  ["a payment in doubt", doubted, doubtOver, "never"]
]

const tags = { abandoned: "Abandoned", never: "FundingDead", doubt: "FundingInDoubt" }

const ever: Seen = {
  quietMillis: Number.POSITIVE_INFINITY,
  runMillis: Number.POSITIVE_INFINITY,
  expiredMillis: Number.POSITIVE_INFINITY,
  emptyReads: 1_000,
  overMillis: Number.POSITIVE_INFINITY
}

describe("the table of silence", () => {
  it.each(cases)("%s", (name, placement, seen, means) => {
    const row = rows.find((each) => firstOf([each], placement.state, placement) !== undefined)
    assert.isTrue(row?.[1].startsWith(name), row?.[1])
    for (const [what, much] of Object.entries(seen))
      assert.deepStrictEqual(concluded(placement, { ...seen, [what]: Number(much) - 1 }, defaults), [], what)
    const [event] = concluded(placement, seen, defaults)
    assert.strictEqual(event?._tag, tags[means])
  })

  it.each(rows.map(([, name]) => name))("fails its checks without the row, or with another conclusion: %s", (name) => {
    const isFound = (table: ReadonlyArray<SilenceRow>) =>
      cases.some(([, placement, seen, means]) => concluded(placement, seen, defaults, table)[0]?._tag !== tags[means])
    assert.isFalse(isFound(rows))
    assert.isTrue(isFound(rows.filter((row) => row[1] !== name)))
    const others = (["abandoned", "never", "doubt"] as const).filter((means) =>
      rows.some(([, each, , [, meant]]) => each === name && meant !== means)
    )
    const meaning = (means: SilenceRow[3][1], row: SilenceRow): SilenceRow => {
      const [states, each, tests, [isLong, , because]] = row
      return each === name ? [states, each, tests, [isLong, means, because]] : row
    }
    for (const means of others) assert.isTrue(isFound(rows.map((row) => meaning(means, row))))
  })

  it("concludes nothing about what has executed, what is open, and what only a person can know", () => {
    const executed = { acknowledged: true }
    for (const placement of [
      funded(sent, executed),
      placementAfter("FundingSent", { _tag: "FundingAcknowledged", ...about, intentHash: "h" }),
      { ...doubted, by: "swap" as const },
      placementAfter("Bound", ...walletInDoubt),
      placementAfter("DepositSeen"),
      placementAfter("Planned")
    ]) {
      assert.deepStrictEqual(concluded(placement, ever, defaults), [], placement.state)
    }
  })
})

const walletInDoubt: ReadonlyArray<BotEvent> = [
  {
    _tag: "PaymentAsked",
    ...money,
    ...{ orderId: "order-1", depositAddress: "address-1", wallet: "command", validUntil: 1 }
  },
  { _tag: "FundingInDoubt", ...money, reason: "test" }
]
