/** Old events in a file beside the journal: everything that reads the journal says the same before and after. */
import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Ed25519 from "../../../src/signing/Ed25519.ts"
import { isLong } from "../../long.ts"
import {
  assertSays,
  control,
  newFolder,
  runHere,
  startHere,
  startStill,
  workspace
} from "../../world/processes/program.ts"

const verifier = resolve(import.meta.dirname, "../../../deploy/verify.mjs")
const config = ["--config", "config.yaml"]
const rowsIn = (file: string): number => {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare("SELECT count(*) AS count FROM journal").get()
  database.close()
  return Number(row?.["count"])
}

/** The placement of the first fill. */
const filledIn = (file: string): string => {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare("SELECT placement FROM journal WHERE event = 'FillSeen'").get()
  database.close()
  return String(row?.["placement"])
}

/** A grid that has filled once and left its orders resting. */
const traded = async () => {
  const sandbox = await startStill()
  const cwd = workspace(sandbox)
  const bot = startHere(["run", "grid.yaml", ...config], { cwd })
  await bot.says("the order is open", 20)
  await control(sandbox, "fill", { market: "BTC/USDC", side: "SELL", price: "61000", quantity: "0.002" })
  await bot.says("FILL ")
  bot.signal("SIGTERM")
  assert.strictEqual((await bot.ended).code, 0)
  const said = async (...words: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await runHere([...words, ...config], { cwd })
    assert.strictEqual(code, 0, `${words.join(" ")}: ${stderr}`)
    return stdout
  }
  return { cwd, file: (name: string) => join(cwd, name), sandbox, said }
}

const tomorrow = "2099-01-01"

describe("limitbot journal archive", () => {
  it.skipIf(!isLong)(
    "moves old events; profit, exports, the chain and the next run read both files as one",
    async () => {
      const { cwd, file, said } = await traded()
      let exports = 0
      const exported = async () => {
        exports += 1
        await said("export", "--format", "beancount", "--out", file(`books-${exports}`))
        return readFileSync(file(`books-${exports}`), "utf8")
      }
      // In a minute that has not ended, the price of this minute has the time of the reading.
      const withoutTime = (key: string, value: unknown) => (key === "markedAt" ? undefined : value)
      const reading = async () => [
        JSON.parse(await said("profit", "--json"), withoutTime),
        JSON.parse(await said("fills", "--json")),
        await exported(),
        JSON.parse(await said("journal", "verify", "--json")),
        await said("events", "--json", "--limit", "100000")
      ]
      const before = await reading()
      const all = rowsIn(file("journal.sqlite"))
      const told = JSON.parse(await said("journal", "archive", "--before", tomorrow, "--json"))
      assert.deepStrictEqual([told.archived, told.events], [all - 1, all])
      assert.deepStrictEqual([rowsIn(file("journal.sqlite")), rowsIn(file("journal.sqlite.archive"))], [1, all - 1])
      assert.strictEqual(statSync(file("journal.sqlite.archive")).mode & 0o777, 0o600)
      assert.deepStrictEqual(await reading(), before)
      // What others verify stands on the hashes of archived events as well.
      await said("orders", filledIn(file("journal.sqlite.archive")), "--proof", file("proof.json"))
      const [, account = ""] = /limitbot\.journal\/([0-9a-f]{64})/.exec(readFileSync(file("proof.json"), "utf8")) ?? []
      const key = Ed25519.format(Buffer.from(account, "hex"))
      assert.include(
        execFileSync(process.execPath, [verifier, file("proof.json"), key], { encoding: "utf8" }),
        "PROVEN"
      )

      // Nothing is left to move, and nothing is lost by asking again.
      assert.strictEqual(JSON.parse(await said("journal", "archive", "--before", tomorrow, "--json")).archived, 0)
      const next = startHere(["run", "grid.yaml", ...config, "--for", "1s"], { cwd })
      assert.strictEqual((await next.ended).code, 0)
      const again = JSON.parse(await said("journal", "archive", "--before", tomorrow, "--json"))
      assert.isAbove(again.archived, all)
      assert.strictEqual(JSON.parse(await said("journal", "verify", "--json")).events, again.events)
    }
  )

  it("says where the events of a fleet's account stay", async () => {
    const database = join(newFolder(), "database.url")
    writeFileSync(database, "postgres://limitbot@127.0.0.1:1/limitbot\n", { mode: 0o600 })
    const asked = ["journal", "archive", "--before", tomorrow, "--account", "anna", "--database-file", database]
    assertSays(
      await runHere(asked),
      2,
      /The journal of --account anna is not a file.*ALTER TABLE journal SET TABLESPACE/
    )
  })

  it("leaves each event counted once after a crash between archive and journal", async () => {
    const { file, said } = await traded()
    copyFileSync(file("journal.sqlite"), file("kept.sqlite"))
    await said("journal", "archive", "--before", tomorrow)
    const verified = await said("journal", "verify", "--json")
    copyFileSync(file("kept.sqlite"), file("journal.sqlite"))
    assert.strictEqual(await said("journal", "verify", "--json"), verified)
    await said("journal", "archive", "--before", tomorrow)
    assert.strictEqual(await said("journal", "verify", "--json"), verified)
  })

  it.skipIf(!isLong)(
    "is refused beside a bot or without a date; a journal without its archive does not open",
    async () => {
      const { cwd, file, said } = await traded()
      const archive = (before: string) => runHere(["journal", "archive", "--before", before, ...config], { cwd })
      assertSays(await archive("yesterday"), 2, /--before yesterday is not a date/)
      assert.match(await said("journal", "archive", "--before", "2020-01-01"), /no event before 2020-01-01/)
      const bot = startHere(["run", "grid.yaml", ...config], { cwd })
      await bot.says("dashboard ", 0)
      await bot.says("limitbot ")
      assertSays(await archive(tomorrow), 1, /is in use by process/)
      bot.signal("SIGTERM")
      await bot.ended
      await said("journal", "archive", "--before", tomorrow)
      renameSync(file("journal.sqlite.archive"), file("away.sqlite"))
      const missing = await runHere(["run", "grid.yaml", ...config], { cwd })
      assertSays(
        missing,
        1,
        /Events 1 to \d+ of the journal were archived, but the \.archive file beside it is missing: put it back/
      )
      // Somebody who changes an archived event is found by the chain.
      const away = new DatabaseSync(file("away.sqlite"))
      away.exec("DROP TRIGGER journal_is_append_only_update; UPDATE journal SET at = at + 1 WHERE sequence = 3")
      away.close()
      renameSync(file("away.sqlite"), file("journal.sqlite.archive"))
      assertSays(await runHere(["journal", "verify", ...config], { cwd }), 1, /event 3/)
    }
  )

  it.skipIf(!isLong)("makes a backup include the archive, and a restore puts back both", async () => {
    const { file, said, sandbox } = await traded()
    await said("journal", "archive", "--before", tomorrow)
    const { events } = JSON.parse(await said("journal", "backup", "copy.sqlite", "--json"))
    assert.isTrue(existsSync(file("copy.sqlite.archive")))
    const fresh = workspace(sandbox)
    for (const name of ["copy.sqlite", "copy.sqlite.archive"])
      writeFileSync(join(fresh, name), readFileSync(file(name)), { mode: 0o600 })
    const restored = await runHere(["journal", "restore", "copy.sqlite", ...config], { cwd: fresh })
    assert.strictEqual(restored.code, 0, restored.stderr)
    const { stdout } = await runHere(["journal", "verify", "--json", ...config], { cwd: fresh })
    assert.strictEqual(JSON.parse(stdout).events, events + 1)
  })
})
