/** The real processes, killed at random moments: the journal and the venue's own books must always come back together. */
import { join } from "node:path"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import * as evidence from "./evidence.ts"
import {
  type Connection,
  kill9,
  newFolder,
  pause,
  prepare,
  randomFrom,
  soonExpired,
  start,
  startSandbox
} from "./processes.ts"

const poll = ["--poll", "0.1s", "--json"]

/**
 * Runs on until every order is closed and its money back; ends by itself. Payments that the kill left unanswered are sent again
 * first: once their orders are withdrawn they would have to expire, which takes minutes.
 */
const settle = async (config: string, strategy: string): Promise<void> => {
  const last = start(["run", strategy, "--config", config, "--for", "6s", "--cancel-on-exit", ...poll])
  const code = await last.ended
  assert.strictEqual(code, 0, last.errors.join(""))
}

const check = (filename: string, { url, account }: Connection) => {
  const journal = Journal.layerReadOnly.pipe(Layer.provide(Sqlite.layer({ filename, readOnly: true })))
  return Effect.runPromise(
    evidence.check(url, account.signerId).pipe(Effect.provide(Layer.mergeAll(journal, NodeHttpClient.layerUndici)))
  )
}

/** A payload whose answer was lost for good is given up only after its own deadline, up to five minutes: hence the timeouts. */
describe("processes killed at random moments", () => {
  // How often, for longer campaigns: LIMITBOT_KILLS=1000.
  const kills = Number(process.env["LIMITBOT_KILLS"] ?? 12)

  it.concurrent("the bot is killed again and again: nothing is funded twice, both books agree", {
    timeout: 420_000 + kills * 4_000
  }, async () => {
    const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)
    const random = randomFrom(seed)
    const folder = newFolder()
    const { program, connection } = await startSandbox(["--port", "0", "--seed", "7", "--speed", "600", ...soonExpired])
    const { config, strategy, journal } = prepare(folder, connection)
    try {
      for (let done = 0; done < kills; done += 1) {
        const bot = start(["run", strategy, "--config", config, ...poll])
        // After so many events, plus a moment: most kills land between a request and its record.
        const events = Math.trunc(random(2, 40))
        await Promise.race([bot.line(() => bot.lines.length >= events), pause(3000)])
        await pause(random(0, 20))
        await kill9(bot)
      }
      await settle(config, strategy)
      const result = await check(journal, connection)
      assert.isAbove(result.funded, 10, "the bot got to work between the kills")
      process.stdout.write(`killed the bot ${kills} times (seed ${seed}): ${JSON.stringify(result)}\n`)
    } catch (error) {
      throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
    } finally {
      await kill9(program)
    }
  })

  it.concurrent("the sandbox is killed and its answers are lost: the same", { timeout: 420_000 }, async () => {
    const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)
    const random = randomFrom(seed + 1)
    const folder = newFolder()
    const state = join(folder, "sandbox.jsonl")
    const settings = ["--seed", "8", "--speed", "600", "--state", state, ...soonExpired]
    const sandboxArgs = [...settings, "--faults", "0.1"]
    let sandbox = await startSandbox(["--port", "0", ...sandboxArgs])
    const { connection } = sandbox
    const port = new URL(connection.url).port
    const { config, strategy, journal } = prepare(folder, connection)
    const bot = start(["run", strategy, "--config", config, ...poll])
    try {
      for (let done = 0; done < 7; done += 1) {
        const events = bot.lines.length + Math.trunc(random(2, 20))
        await Promise.race([bot.line(() => bot.lines.length >= events), pause(3000)])
        await pause(random(0, 200))
        await kill9(sandbox.program)
        await pause(random(0, 300))
        sandbox = await startSandbox(["--port", port, ...sandboxArgs])
      }
      await pause(2000)
      await kill9(bot)
      await kill9(sandbox.program)
      sandbox = await startSandbox(["--port", port, ...settings])
      await settle(config, strategy)
      const result = await check(journal, connection)
      assert.isAbove(result.funded, 5, "the bot got to work between the kills")
      process.stdout.write(`killed the sandbox 8 times (seed ${seed}): ${JSON.stringify(result)}\n`)
    } catch (error) {
      throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
    } finally {
      await kill9(bot)
      await kill9(sandbox.program)
    }
  })
})
