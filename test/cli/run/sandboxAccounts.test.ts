/** A sandbox with several accounts: each has money, and a configuration that leads to it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { newFolder, runHere, startHere } from "../../world/processes/program.ts"

it("limitbot sandbox --accounts 3 funds three accounts, and writes a configuration for each", async () => {
  const folder = newFolder()
  const file = (name: string) => join(folder, name)
  const words = ["sandbox", "--port", "0", "--accounts", "3", "--write-config", file("bot.yaml"), "--json"]
  const sandbox = startHere(words)
  await sandbox.says('"url"')
  const { account, others, url } = JSON.parse(sandbox.stdout())
  const accounts: ReadonlyArray<{ readonly signerId: string }> = [account, ...others]
  assert.strictEqual(new Set(accounts.map(({ signerId }) => signerId)).size, 3)
  const books = await (await fetch(`${url}/sandbox/books`)).json()
  for (const [index, { signerId }] of accounts.entries()) {
    assert.isAbove(Object.keys(books.accounts[signerId]).length, 0)
    const config = file(index === 0 ? "bot.yaml" : `bot-${index + 1}.yaml`)
    const doctor = await runHere(["check", "--json", "--config", config])
    assert.strictEqual(doctor.code, 0, doctor.stdout)
    assert.include(doctor.stdout, `signs for ${signerId}`)
    assert.include(readFileSync(config, "utf8"), `journal: bot${index === 0 ? "" : `-${index + 1}`}.sqlite`)
  }
  sandbox.signal("SIGTERM")
  assert.strictEqual((await sandbox.ended).code, 0)
})
