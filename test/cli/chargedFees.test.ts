/** What the answers to orders said of their fee is the same on every surface, for people and for programs. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { budget, doubtful, write } from "../world/bot/doubtful.ts"
import { gridText, newFolder, runHere, startStill, workspace } from "../world/processes/program.ts"

const about = (index: number) => ({ strategy: "grid", slot: `old-${index}`, placement: `p${index}` })
const echo = (index: number, basisPoints: number): BotEvent => ({
  _tag: "FeeEchoed",
  ...about(index),
  credential: "partner",
  askedBasisPoints: 0,
  basisPoints
})

/** Two orders: the first says 20.01, the second as much and then, read once more, 21; a third says nothing. The second fills. */
const events: ReadonlyArray<BotEvent> = [
  budget,
  ...[1, 2, 3].flatMap((index) =>
    doubtful(index).flatMap((event): ReadonlyArray<BotEvent> => {
      if (event._tag === "FundingInDoubt") return []
      return event._tag === "CreateSent" && index < 3 ? [event, echo(index, 20.01)] : [event]
    })
  ),
  echo(2, 21),
  { _tag: "DepositSeen", ...about(2), asset: "USDC", total: 100_000_000n, fresh: 100_000_000n },
  {
    _tag: "FillSeen",
    ...about(2),
    fillId: "fill-1",
    side: "BUY",
    price: Decimal.make(50_000n),
    inputAsset: "USDC",
    amountIn: 100_000_000n,
    outputAsset: "BTC",
    amountOut: 200_000n,
    filledAt: 2
  }
]

describe("the fee that orders name", () => {
  it("is in profit, fills, check and plan, as text and JSON, and counts each order once", async () => {
    const folder = workspace(await startStill())
    await write(join(folder, "journal.sqlite"), events)
    const at = ["--config", join(folder, "config.yaml")]
    const said = async (...words: ReadonlyArray<string>) => (await runHere([...words, ...at])).stdout
    const json = async (...words: ReadonlyArray<string>) => JSON.parse(await said(...words, "--json"))
    const grid = join(folder, "grid.yaml")
    const line = "The service takes 21 basis points of every input (echoed by 2 orders) in BTC/USDC."
    for (const words of [["profit"], ["fills"], ["check"], ["plan", grid]]) assert.include(await said(...words), line)

    const { at: when, ...row } = (await json("profit")).USDC.charged[0]
    assert.isAbove(Date.parse(when), 0)
    const fee = { market: "BTC/USDC", credential: "partner", askedBasisPoints: 0, basisPoints: 21, orders: 2 }
    assert.deepStrictEqual(row, fee)
    assert.deepInclude((await json("plan", grid)).charged[0], fee)
    const { findings } = await json("check")
    assert.deepInclude(findings.find(({ check }: { check: string }) => check === "fees").charged, fee)
    const fills = await json("fills")
    assert.deepStrictEqual(
      fills.map(({ echoedBasisPoints }: { echoedBasisPoints: number }) => echoedBasisPoints),
      [21]
    )
    assert.match(await said("fills", "--csv"), /,echoedBasisPoints\s+\S+,21$/m)
  })

  it("is charged in the JSON of a backtest instead of the scheduled fee", async () => {
    const folder = newFolder()
    const text = `venue: { url: "https://venue.invalid", profile: near-2026-11, apiKey: { env: NONE } }
account: { key: { env: NONE } }
assets:
  BTC: { id: "nep141:btc.omft.near", decimals: 8 }
  USDC: { id: "nep141:usdc.omft.near", decimals: 6 }
`
    const [grid, candles] = [join(folder, "grid.yaml"), join(folder, "candles.csv")]
    const lines = Array.from({ length: 48 }, (_, hour) => `${Date.UTC(2026, 0, 1, hour)},50000,51000,49000,50000,1`)
    writeFileSync(candles, ["time,open,high,low,close,volume", ...lines].join("\n"))
    writeFileSync(grid, gridText)
    await write(join(folder, "journal.sqlite"), events)
    const fees = async (journal: string) => {
      const config = join(folder, `${journal}.yaml`)
      writeFileSync(config, `${text}journal: ${journal}.sqlite\n`)
      const ran = await runHere(["backtest", grid, "--data", candles, "--band", "rules", "--json", "--config", config])
      assert.strictEqual(ran.code, 0, ran.stderr)
      return JSON.parse(ran.stdout).fees
    }
    const none = { basisPoints: 0, none: false }
    assert.deepStrictEqual(await fees("journal"), { ...none, inputBasisPoints: 21, from: "measured" })
    assert.deepStrictEqual(await fees("empty"), { ...none, inputBasisPoints: 20.01, from: "schedule" })
  })
})
