/**
 * Strategy files edited while orders fill and the bot is killed: no orphan, no double, no lost state of a slot, and in the end
 * a certificate that every decision is what the files of its moment say, and books that other programs accept.
 */
import { join } from "node:path"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findingNames } from "../../src/engine/planning/ahead/PlanFindings.ts"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import { isLong } from "../long.ts"
import * as evidence from "../world/bot/evidence.ts"
import { kill9, newFolder, type Program, pause, prepare, randomFrom, start } from "../world/processes/processes.ts"
import { runHere, startSandbox } from "../world/processes/program.ts"
import { certificate, checkBooks } from "./books.ts"
import * as edits from "./edits.ts"

/** `LIMITBOT_MINUTES=60` goes on for an hour, with edits and kills further apart and a market that moves ten times slower. */
const minutes = Number(process.env["LIMITBOT_MINUTES"] ?? 0)
const wanted = minutes > 0 ? Math.ceil(minutes * 3) : Number(process.env["LIMITBOT_EDITS"] ?? 6)
const calm = minutes > 0 ? 15 : 1
const speed = Number(process.env["LIMITBOT_SPEED"] ?? (minutes > 0 ? 60 : 600))
/** Edits are drawn at random: what a plan would ask about is part of them. */
const allowed = findingNames.flatMap((name) => ["--allow", name])

describe("reload", () => {
  it.skipIf(!isLong)(
    `keeps the books right through ${wanted} edits while orders fill`,
    { timeout: 600_000 + wanted * 5_000 + minutes * 90_000 },
    async () => {
      const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)
      const random = randomFrom(seed)
      const folder = newFolder()
      const connection = await startSandbox({ seed: 11, speed })
      const { config, strategy: grid, journal } = prepare(folder, connection)
      const files = { grid, ladder: join(folder, "ladder.yaml") }
      const run = (...flags: ReadonlyArray<string>): Program =>
        start([
          "run",
          files.grid,
          files.ladder,
          "--config",
          config,
          "--poll",
          minutes > 0 ? "1s" : "0.1s",
          "--json",
          ...allowed,
          ...flags
        ])
      edits.writeGood(files)
      let bot = run()
      const seen: Record<string, number> = {}
      const note = (what: string) => {
        seen[what] = (seen[what] ?? 0) + 1
      }
      try {
        await bot.line((line) => line.includes('"event":"DepositSeen"'))
        const until = Date.now() + minutes * 60_000
        for (let index = 0; index < wanted || Date.now() < until; index += 1) {
          note(await edits.edit(files, random))
          await pause(calm * random(200, 1500))
          assert.isNull(bot.child.exitCode, `the bot runs on: ${bot.errors.join("")}`)
          if (random(0, 1) > (minutes > 0 ? 0.15 : 0.05)) continue
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
        // Everything is back before an order that nobody paid is cancelled: whoever goes on with the journal does that.
        const spare = Effect.map(replay, ({ placements }) =>
          [...placements.values()].flatMap(({ spares }) => [...spares.values()].filter((done) => !done))
        ).pipe(Effect.provide(reader))
        if ((await Effect.runPromise(spare)).length > 0) {
          assert.strictEqual((await runHere(["kill", "--config", config])).code, 0)
          bot = run("--for", "20s", "--cancel-on-exit")
          assert.strictEqual(await bot.ended, 0, bot.errors.join(""))
        }
        const books = Effect.all({
          result: evidence.check(connection.url, connection.account.signerId),
          events: evidence.readAll,
          spare
        })
        const {
          result,
          events,
          spare: left
        } = await Effect.runPromise(books.pipe(Effect.provide(Layer.mergeAll(reader, NodeHttpClient.layerUndici))))
        assert.deepStrictEqual(left, [], "no spare order is left at the venue")
        const counts = edits.checkEdits(events)
        const { orders, funded } = result
        const proof = { ...(await certificate(config)), ...(await checkBooks(folder, config)) }
        const figures = { ...seen, ...counts, orders, funded, events: events.length, ...proof }
        process.stdout.write(`${wanted} edits (seed ${seed}): ${JSON.stringify(figures)}\n`)
      } catch (error) {
        throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
      } finally {
        await kill9(bot)
      }
    }
  )
})
