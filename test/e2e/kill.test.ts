/**
 * The real processes, killed at the moments that matter and at random ones: the journal and the venue's own books must always come
 * back together.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import {
  kill9,
  newFolder,
  type Program,
  pause,
  prepare,
  randomFrom,
  soonExpired,
  start,
  startSandbox
} from "../world/processes/processes.ts"
import { startSandbox as startSandboxHere } from "../world/processes/program.ts"
import { check, paidAt, settle } from "../world/processes/settle.ts"
import { type Cut, cuttingProxy } from "./cuttingProxy.ts"

/** The configuration has no credential of a partner, so the cells of the grid earn less than the fees of the schedule. */
const poll = ["--poll", "0.3s", "--json", "--allow", "fee-floor"]

/** A life ends in the middle of each of these, which are the ones between a record and what it is about; or after some event. */
const moments: ReadonlyArray<Cut | "any"> = [
  { path: /submit-intent/, at: "answer" },
  { path: /submit-intent/, at: "request" },
  { path: /^\/v0\/orders$/, at: "answer" },
  "any"
]

const isPayment = (line: string): boolean => line.includes('"event":"FundingSigned"')

describe("a bot that is killed at random times", () => {
  // How often, for longer campaigns: LIMITBOT_KILLS=1000.
  const kills = Number(process.env["LIMITBOT_KILLS"] ?? (isLong ? moments.length : 2))
  /** On a busy machine all later lives may end before they pay, so the first one has paid for some orders. */
  const hasWorked = (bot: Program) => bot.line(() => bot.lines.filter(isPayment).length > 5)

  it.concurrent("funds nothing twice, and both books agree", {
    timeout: 600_000 + kills * 4_000
  }, async () => {
    const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)
    const random = randomFrom(seed)
    const folder = newFolder()
    const connection = await startSandboxHere({ seed: 7, speed: 600 })
    const proxy = await cuttingProxy(connection.url)
    const { config, strategy, journal } = prepare(folder, { ...connection, url: proxy.url })
    try {
      for (let done = 0; done < kills; done += 1) {
        const bot = start(["run", strategy, "--config", config, ...poll])
        const moment = moments[done % moments.length] ?? "any"
        // After so many events, plus a moment: most kills land between a request and its record.
        // Few where a request is aimed at: later all may rest, and none is made.
        const events = Math.trunc(random(2, moment === "any" ? 40 : 12))
        const isSaid = bot.line(() => bot.lines.length >= events)
        // Only a later life may find nothing to do.
        if (done === 0) await Promise.all([isSaid, hasWorked(bot)])
        await bot.line((line) => line.includes("BotStarted"))
        await Promise.race([isSaid, pause(3000)])
        if (moment === "any") await pause(random(0, 20))
        else await Promise.race([proxy.cut(moment), pause(3000)])
        await kill9(bot)
      }
      await settle(config, strategy, journal, paidAt(connection))
      const result = await check(journal, connection)
      assert.isAbove(result.funded, kills, "the bot got to work between the kills")
      process.stdout.write(`killed the bot ${kills} times (seed ${seed}): ${JSON.stringify(result)}\n`)
    } catch (error) {
      throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
    } finally {
      await proxy.close()
    }
  })

  const inLong = isLong ? it.concurrent : it.skip
  inLong("funds nothing twice if the sandbox is killed and its answers are lost", async () => {
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
    const sandboxKills = Math.ceil(kills / 2)
    try {
      for (let done = 0; done < sandboxKills; done += 1) {
        const events = bot.lines.length + Math.trunc(random(8, 40))
        const isSaid = bot.line(() => bot.lines.length >= events)
        // Once all rests, a bot may have nothing to say.
        await (done === 0 ? Promise.all([isSaid, hasWorked(bot)]) : Promise.race([isSaid, pause(3000)]))
        await pause(random(0, 200))
        await kill9(sandbox.program)
        await pause(random(0, 300))
        sandbox = await startSandbox(["--port", port, ...sandboxArgs])
      }
      await pause(1000)
      await kill9(bot)
      await kill9(sandbox.program)
      sandbox = await startSandbox(["--port", port, ...settings])
      await settle(config, strategy, journal, paidAt(connection))
      const result = await check(journal, connection)
      assert.isAbove(result.funded, 5, "the bot got to work between the kills")
      process.stdout.write(`killed the sandbox ${sandboxKills + 1} times (seed ${seed}): ${JSON.stringify(result)}\n`)
    } catch (error) {
      throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
    } finally {
      await kill9(bot)
      await kill9(sandbox.program)
    }
  })
})
