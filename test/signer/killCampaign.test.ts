/**
 * Bot and signer as two processes, each killed at random moments: nothing is funded twice, both books agree at the end, and the
 * signer's own record tells of every payment that the journal knows. `npm run signer:campaign` kills 60 times.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isLong } from "../long.ts"
import { signerText } from "../profile.ts"
import * as evidence from "../world/bot/evidence.ts"
import { kill9, newFolder, pause, prepare, randomFrom, start } from "../world/processes/processes.ts"
import { startHere, startSandbox } from "../world/processes/program.ts"
import { check, paidAt, settle, witnesses } from "../world/processes/settle.ts"

const kills = Number(process.env["LIMITBOT_KILLS"] ?? 4)
const poll = ["--poll", "0.3s", "--json", "--allow", "fee-floor"]

interface Entry {
  readonly what: string
  readonly depositAddress?: string
  readonly validUntil?: number
  readonly at: number
  readonly reason?: string
}

const isPayment = (line: string): boolean => line.includes('"event":"FundingSigned"')

describe("bot and signer that are killed at random times", () => {
  it.skipIf(!isLong)(
    "fund nothing twice, and both books and the signer's record agree",
    {
      timeout: 600_000 + kills * 4_000
    },
    async () => {
      const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)
      const random = randomFrom(seed)
      const folder = newFolder()
      const connection = await startSandbox({ seed: 7, speed: 600 })
      const { config, strategy, journal } = prepare(folder, connection)
      const { signerId } = connection.account
      const socket = join(folder, "signer.sock")
      const text = readFileSync(config, "utf8")
      writeFileSync(
        config,
        text.replace("key: { file: account.key }", `signerId: ${signerId}\n  signer: { socket: signer.sock }`)
      )
      const signerFile = join(folder, "signer.yaml")
      writeFileSync(signerFile, signerText(connection, { BTC: 100, USDC: 10_000_000 }))
      const startSigner = async () => {
        const signer = start(["signer", "--socket", socket, "--config", signerFile])
        await signer.line((line) => line.startsWith("signs for"))
        return signer
      }
      /** Each of two kills is of the other one: both die whatever the dice say. */
      const signerFirst = random(0, 1) < 0.5
      const signerDies = (done: number) => (done % 2 === 0) === signerFirst
      let signer = await startSigner()
      let bot = start(["run", strategy, "--config", config, ...poll])
      try {
        for (let done = 0; done < kills; done += 1) {
          const seen = bot.lines.length
          const events = seen + Math.trunc(random(2, 40))
          const isSaid = bot.line(() => bot.lines.length >= events)
          // On a busy machine all later lives may end before they pay; and once all rests, a bot may have nothing to say.
          if (done === 0) await Promise.all([isSaid, bot.line(() => bot.lines.filter(isPayment).length > 5)])
          await bot.line((line) => line.includes("BotStarted"))
          await Promise.race([isSaid, pause(3000)])
          await pause(random(0, 20))
          if (signerDies(done)) {
            await kill9(signer)
            await pause(random(0, 300))
            signer = await startSigner()
          } else {
            await kill9(bot)
            bot = start(["run", strategy, "--config", config, ...poll])
          }
        }
        await kill9(bot)
        const swapped = await startHere(["swap", "0.001", "BTC", "USDC", "--yes", "--json", "--config", config]).ended
        assert.strictEqual(swapped.code, 0, swapped.stderr)
        assert.include(swapped.stdout, '"outcome":"paid"', "a swap by hand asks the signer as well")
        await settle(config, strategy, journal, paidAt(connection))
        const result = await check(journal, connection)
        assert.isAbove(result.funded, 5, "the bot got to work between the kills")
        const events = await Effect.runPromise(Effect.provide(evidence.readAll, witnesses(journal)))
        const entries = readFileSync(join(folder, "signer.log"), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Entry)
        const recorded = entries.flatMap((entry) => (entry.what === "signed" ? [entry.depositAddress] : []))
        for (const { event } of events) {
          if (event._tag === "FundingSigned") assert.include(recorded, event.depositAddress)
        }
        const refused = entries.filter(({ what }) => what === "refused").map(({ reason }) => reason)
        process.stdout.write(
          `killed bot or signer ${kills} times (seed ${seed}): ${JSON.stringify(result)}, ${recorded.length} signed, refused ${JSON.stringify(refused)}\n`
        )
      } catch (error) {
        throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
      } finally {
        await Promise.all([kill9(bot), kill9(signer)])
      }
    }
  )
})
