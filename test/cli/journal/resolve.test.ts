/** The operator's word on money that only they can know of: without a bot, and taken up by a running one. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { assertSays, run, start, startSandbox, workspace } from "../program.ts"

/** A payment that was sent, expired, and was never acknowledged. */
const doubtful = (index: number): ReadonlyArray<BotEvent> => {
  const about = { strategy: "grid", slot: `old-${index}`, placement: `p${index}` }
  const money = { asset: "USDC", amount: 100_000_000n }
  return [
    {
      _tag: "Planned",
      ...about,
      market: "BTC/USDC",
      side: "BUY",
      price: Decimal.make(50_000n),
      quantity: 200_000n,
      inputAsset: "USDC",
      inputAmount: 100_000_000n,
      outputAsset: "BTC",
      outputAmount: 200_000n,
      deadline: index * 1_000_000,
      why: { code: "x", text: "x" }
    },
    { _tag: "CreateSent", ...about, attempt: 1 },
    {
      _tag: "Bound",
      ...about,
      orderId: `order-${index}`,
      depositAddress: `address-${index}`,
      via: "reply",
      estimatedWithdrawFee: 0n,
      estimatedRefundFee: 0n
    },
    {
      _tag: "FundingSigned",
      ...about,
      ...money,
      orderId: `order-${index}`,
      depositAddress: `address-${index}`,
      signed: "{}",
      intentHash: `hash-${index}`,
      validUntil: 1
    },
    { _tag: "FundingSent", ...about, attempt: 1 },
    { _tag: "FundingInDoubt", ...about, ...money, reason: "nobody acknowledged it" }
  ]
}

const write = (journal: string, events: ReadonlyArray<BotEvent>) =>
  Effect.runPromise(
    Effect.flatMap(Journal, ({ append }) => append(events)).pipe(
      Effect.provide(Journal.layer.pipe(Layer.provide(Sqlite.layer({ filename: journal })))),
      Effect.scoped
    )
  )

const config = ["--config", "config.yaml"]

describe("limitbot resolve", () => {
  it("lists what is in doubt and takes the operator's word, with and without a running bot", async () => {
    const cwd = workspace(await startSandbox())
    const budget: BotEvent = { _tag: "BudgetAllotted", strategy: "grid", asset: "USDC", amount: 1_000_000_000n }
    await write(join(cwd, "journal.sqlite"), [budget, ...doubtful(1), ...doubtful(2)])

    const listed = await run(["resolve", "--json", ...config], { cwd })
    const { problems } = JSON.parse(listed.stdout)
    assert.deepStrictEqual(
      problems.map(({ evidence, since, ...problem }: Record<string, unknown>) => problem),
      ["p1", "p2"].map((placement, index) => ({
        kind: "in-doubt",
        placement,
        slot: `grid/old-${index + 1}`,
        asset: "USDC",
        amount: "100"
      }))
    )
    assert.include(problems[0].evidence, "hash-1")
    const money = async () => JSON.parse((await run(["status", "--json", ...config], { cwd })).stdout).money
    const place = (rows: ReadonlyArray<Record<string, string>>, name: string) =>
      rows.find(({ asset, place }) => asset === "USDC" && place === name)?.["amount"]
    assert.strictEqual(place(await money(), "in doubt"), "200")

    assertSays(await run(["resolve", "p1", ...config], { cwd }), 2, /Say one of --paid, --not-paid, --adopt, --forget/)
    assertSays(await run(["resolve", "p9", "--paid", ...config], { cwd }), 1, /p9 has no problem/)
    assertSays(await run(["resolve", "p1", "--adopt", ...config], { cwd }), 1, /there is no contradiction/)
    const word = await run(["resolve", "p1", "--not-paid", "--json", ...config], { cwd })
    assert.deepStrictEqual(JSON.parse(word.stdout), { resolved: "p1", word: "not-paid", by: "journal" })
    assert.strictEqual(place(await money(), "in doubt"), "100")
    assert.strictEqual(place(await money(), "wallet"), "900")

    const bot = start(["run", "grid.yaml", ...config], { cwd })
    await bot.says("the order rests")
    const handed = await run(["resolve", "p2", "--forget", "--because", "seen on the explorer", ...config], { cwd })
    assert.include(handed.stdout, "p2: taken as forgotten, by the running bot")
    assert.strictEqual(place(await money(), "residual"), "100")
    bot.signal("SIGINT")
    await bot.ended
    assert.include((await run(["resolve", ...config], { cwd })).stdout, "Nothing is in doubt, frozen or contradictory.")
  })
})
