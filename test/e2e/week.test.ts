/**
 * A week of a bot in twenty minutes (`npm run soak:week`): a market six hundred times as fast, kills at random times, and comparisons with
 * the venue, its history and the ledger all the while. Half of the journal is archived between two lives, and half of the rest at the end.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { saltFrom } from "../../src/sandbox/SandboxApi.ts"
import { kill9, newFolder, pause, prepare, randomFrom, start } from "../world/processes/processes.ts"
import { runHere, startSandbox } from "../world/processes/program.ts"
import { check, paidAt, settle } from "../world/processes/settle.ts"

const minutes = Number(process.env["LIMITBOT_WEEK"] ?? 0)
const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)

const figureIn = (file: string, query: string): number => {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare(`SELECT (${query}) AS figure`).get()
  database.close()
  return Number(row?.["figure"])
}
/** The time of the event in the middle of this file. */
const middle = "SELECT at FROM journal ORDER BY sequence LIMIT 1 OFFSET (SELECT count(*) / 2 FROM journal)"
const contradictions = "SELECT count(*) FROM journal WHERE event = 'Contradiction'"

describe.skipIf(minutes === 0)("a compressed week", () => {
  it("ends without a contradiction, also after half of its journal is archived", {
    timeout: minutes * 120_000
  }, async () => {
    const random = randomFrom(seed)
    const folder = newFolder()
    const sandbox = await startSandbox({ seed: 7, speed: 600 })
    const { config, journal, strategy } = prepare(folder, sandbox)
    const more = `  partnerJwt: { file: partner.jwt }\n  facts: { saltFrom: "${saltFrom(sandbox.url)}" }\n`
    const text = readFileSync(config, "utf8").replace(/^ {2}facts: .*\n/m, "")
    writeFileSync(config, `${text.replace("\naccount:", `\n${more}account:`)}reconcileEvery: 30s\n`)
    const said = async (...words: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await runHere([...words, "--json", "--config", config])
      assert.strictEqual(code, 0, `${words.join(" ")}: ${stdout}${stderr}`)
      return JSON.parse(stdout)
    }
    const archived = async () => {
      const before = new Date(figureIn(journal, middle)).toISOString()
      return Number((await said("journal", "archive", "--before", before)).archived)
    }

    const begunAt = Date.now()
    const passed = () => (Date.now() - begunAt) / (minutes * 60_000)
    let [lives, earlier] = [0, 0]
    for (; passed() < 1; lives += 1) {
      const bot = start(["run", strategy, "--config", config, "--poll", "0.3s", "--json", "--allow", "fee-floor"])
      await bot.line((line) => line.includes("BotStarted"))
      await pause(random(2_000, 40_000))
      assert.isNull(bot.child.exitCode, bot.errors.join(""))
      await kill9(bot)
      if (earlier === 0 && passed() > 0.5) earlier = await archived()
    }
    await settle(config, strategy, journal, paidAt(sandbox))
    const books = await check(journal, sandbox)
    const witnessed = async () => {
      const { findings, witnesses } = await said("reconcile")
      assert.includeMembers(witnesses, ["orders", "history", "public balances"])
      return findings.filter(({ verdict }: { readonly verdict: string }) => verdict === "contradiction")
    }
    assert.deepStrictEqual(await witnessed(), [])
    // What it holds is marked at the price of the moment.
    const earned = async () =>
      JSON.parse(JSON.stringify(await said("profit"), (key, value) => (key === "markedAt" ? 0 : value)))
    const profit = await earned()
    const later = await archived()
    assert.isAbove(later, earlier)
    assert.deepStrictEqual(await earned(), profit)
    assert.deepStrictEqual(await witnessed(), [])
    const { events } = await said("journal", "verify")
    for (const file of [journal, `${journal}.archive`]) assert.strictEqual(figureIn(file, contradictions), 0, file)
    process.stdout.write(
      `${lives} lives in ${minutes} minutes (seed ${seed}): ${events} events, ${later} archived, ${JSON.stringify(books)}\n`
    )
  })
})
