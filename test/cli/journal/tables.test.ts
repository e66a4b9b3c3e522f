/** Before another version opens a journal, `doctor` says what that would change about it, and changes nothing itself. */
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { gunzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { isLong } from "../../long.ts"
import { assertSays, nowhere, runHere, workspace } from "../../world/processes/program.ts"

const kept = resolve(import.meta.dirname, "../../fixtures/releases/0.1.0/journal.gz")

it.skipIf(!isLong)("doctor reports tables that the next start changes, and tables of a newer program", async () => {
  const folder = workspace(nowhere)
  const journal = join(folder, "journal.sqlite")
  writeFileSync(journal, gunzipSync(readFileSync(kept)), { mode: 0o600 })
  const change = (statement: string) => {
    const database = new DatabaseSync(journal)
    database.exec(statement)
    database.close()
  }
  const said = async () => (await runHere(["check", "--config", join(folder, "config.yaml")])).stdout
  assert.notInclude(await said(), "tables")
  change("DELETE FROM effect_sql_migrations WHERE migration_id = 9; DROP TABLE seen_candles")
  assert.match(
    await said(),
    /the next start changes the journal's tables \(create seen candles\)[\s\S]*limitbot journal backup FILE first/
  )
  assert.include(await said(), "create seen candles", "it is as it was")
  change("INSERT INTO effect_sql_migrations (migration_id, name) VALUES (99, 'later')")
  assert.match(await said(), /a newer version of limitbot made the journal's tables/)
  const started = await runHere(["run", join(folder, "grid.yaml"), "--config", join(folder, "config.yaml")])
  assertSays(
    started,
    1,
    /^limitbot: Cannot write the journal: a newer limitbot wrote it \(its tables have a newer format\) than this one, 0\.1\.0: use the newer one, or a backup/
  )
})
