/** Strategy files edited while orders fill and the bot is killed: no orphan, no double, no lost state of a slot. */
import { join } from "node:path"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import * as edits from "./edits.ts"
import * as evidence from "./evidence.ts"
import { kill9, newFolder, type Program, pause, prepare, randomFrom, start, startSandbox } from "./processes.ts"

const wanted = Number(process.env["LIMITBOT_EDITS"] ?? 6)

describe("reload", () => {
  it(`${wanted} edits while orders fill`, { timeout: 60_000 + wanted * 5_000 }, async () => {
    const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)
    const random = randomFrom(seed)
    const folder = newFolder()
    const { program, connection } = await startSandbox(["--port", "0", "--seed", "11", "--speed", "600"])
    const { config, strategy: grid, journal } = prepare(folder, connection)
    const files = { grid, ladder: join(folder, "ladder.yaml") }
    const run = (...flags: ReadonlyArray<string>): Program =>
      start(["run", files.grid, files.ladder, "--config", config, "--poll", "0.1s", "--json", ...flags])
    edits.writeGood(files)
    let bot = run()
    const seen: Record<string, number> = {}
    const note = (what: string) => {
      seen[what] = (seen[what] ?? 0) + 1
    }
    try {
      await bot.line((line) => line.includes('"event":"DepositSeen"'))
      for (let index = 0; index < wanted; index += 1) {
        note(await edits.edit(files, random))
        await pause(random(200, 1500))
        assert.isNull(bot.child.exitCode, `the bot runs on: ${bot.errors.join("")}`)
        if (random(0, 1) > 0.05) continue
        note("killed")
        edits.writeGood(files)
        await pause(random(0, 1500))
        await kill9(bot)
        bot = run()
        await bot.line((line) => line.includes('"event":"StrategyLoaded"'))
      }
      edits.writeGood(files)
      await pause(1_200)
      assert.isNull(bot.child.exitCode, `the bot runs on: ${bot.errors.join("")}`)
      bot.child.kill("SIGTERM")
      assert.strictEqual(await bot.ended, 0, bot.errors.join(""))
      bot = run("--for", "0.5s", "--cancel-on-exit")
      assert.strictEqual(await bot.ended, 0, bot.errors.join(""))
      const reader = Journal.layerReadOnly.pipe(Layer.provide(Sqlite.layer({ filename: journal, readOnly: true })))
      const books = Effect.all({
        result: evidence.check(connection.url, connection.account.signerId),
        events: evidence.readAll,
        state: replay
      })
      const { result, events, state } = await Effect.runPromise(
        books.pipe(Effect.provide(Layer.mergeAll(reader, NodeHttpClient.layerUndici)))
      )
      const orphans = [...state.placements.values()].flatMap(({ orphans }) =>
        [...orphans.values()].filter((done) => !done)
      )
      assert.deepStrictEqual(orphans, [], "no spare order is left at the venue")
      const counts = edits.checkEdits(events)
      const { fills, orders, funded } = result
      const figures = { ...seen, ...counts, fills, orders, funded, events: events.length }
      process.stdout.write(`${wanted} edits (seed ${seed}): ${JSON.stringify(figures)}\n`)
    } catch (error) {
      throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
    } finally {
      await kill9(bot)
      await kill9(program)
    }
  })
})
