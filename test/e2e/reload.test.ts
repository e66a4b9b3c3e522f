/** Strategy files edited while orders fill: no orphan, no double, no lost state of a slot that was not touched. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { replay } from "../../src/engine/Bookkeeper.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import * as evidence from "./evidence.ts"
import { kill9, newFolder, pause, prepare, randomFrom, start, startSandbox } from "./processes.ts"

const gridText = (levels: ReadonlyArray<number>, size: string) => `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.2, quote: 12000 } }
grid: { levels: [${levels.join(", ")}], size: { base: ${size} } }
`
const ladderText = (to: number) => `name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 3000 } }
ladder: { side: buy, from: 59900, to: ${to}, rungs: 3, profile: flat, total: { quote: 3000 } }
`

const edits = Number(process.env["LIMITBOT_EDITS"] ?? 12)

describe("reload", () => {
  it(`${edits} edits while orders fill`, { timeout: 60_000 + edits * 3_000 }, async () => {
    const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)
    const random = randomFrom(seed)
    const folder = newFolder()
    const { program, connection } = await startSandbox(["--port", "0", "--seed", "11", "--speed", "600"])
    const { config, strategy, journal } = prepare(folder, connection)
    const ladder = join(folder, "ladder.yaml")
    const all = Array.from({ length: 21 }, (_, index) => 59_000 + index * 100)
    writeFileSync(strategy, gridText(all, "0.005"))
    writeFileSync(ladder, ladderText(59_000))
    const bot = start(["run", strategy, ladder, "--config", config, "--poll", "0.1s", "--json"])
    try {
      await bot.line((line) => line.includes('"event":"DepositSeen"'))
      for (let edit = 0; edit < edits; edit += 1) {
        const dice = random(0, 1)
        // The cells of the levels that stay keep their names' places only when levels are cut off at the top.
        if (dice < 0.5) writeFileSync(strategy, gridText(all.slice(0, Math.trunc(random(8, 22))), "0.005"))
        else if (dice < 0.7) writeFileSync(ladder, ladderText(Math.trunc(random(58_000, 59_500))))
        else if (dice < 0.85) writeFileSync(strategy, "name: grid\nmarket: BTC/USDC\nkind: gird\n")
        else rmSync(ladder, { force: true })
        await pause(random(300, 1800))
      }
      writeFileSync(strategy, gridText(all, "0.005"))
      writeFileSync(ladder, ladderText(59_000))
      await pause(1500)
      assert.isNull(bot.child.exitCode, `the bot runs on: ${bot.errors.join("")}`)
      bot.child.kill("SIGTERM")
      assert.strictEqual(await bot.ended, 0, bot.errors.join(""))
      const last = start([
        "run",
        strategy,
        ladder,
        "--config",
        config,
        "--for",
        "1s",
        "--cancel-on-exit",
        "--poll",
        "0.1s",
        "--json"
      ])
      assert.strictEqual(await last.ended, 0, last.errors.join(""))
      const reader = Journal.layerReadOnly.pipe(Layer.provide(Sqlite.layer({ filename: journal, readOnly: true })))
      const { result, state } = await Effect.runPromise(
        Effect.all({ result: evidence.check(connection.url, connection.account.signerId), state: replay }).pipe(
          Effect.provide(Layer.mergeAll(reader, NodeHttpClient.layerUndici))
        )
      )
      const orphans = [...state.placements.values()].flatMap(({ orphans }) =>
        [...orphans.values()].filter((done) => !done)
      )
      assert.deepStrictEqual(orphans, [], "no spare order is left at the venue")
      process.stdout.write(`${edits} edits (seed ${seed}): ${JSON.stringify(result)}\n`)
    } catch (error) {
      throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
    } finally {
      await kill9(bot)
      await kill9(program)
    }
  })
})
