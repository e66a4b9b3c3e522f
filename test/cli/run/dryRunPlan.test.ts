/** What the page of a dry run plans is the dry run's own: its journal, not that of the live bot beside it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { configText, startHere, startStill, workspace } from "../../world/processes/program.ts"

it("a dry run's plan keeps the orders of the dry run", async () => {
  const sandbox = await startStill()
  const cwd = workspace(sandbox, { "config.yaml": `${configText(sandbox)}dashboard: { port: 0 }\n` })
  const bot = startHere(["run", "grid.yaml", "--config", "config.yaml", "--dry-run"], { cwd })
  await bot.says("the order is open", 20)
  const [, url = "", file = ""] = /dashboard (http:\S+) {2}token in (\S+)/.exec(bot.stdout()) ?? []
  const headers = { authorization: `Bearer ${readFileSync(file, "utf8").trim()}` }
  const plan = await (await fetch(`${url}/api/v1/plan`, { headers })).json()
  assert.strictEqual(`${plan.journal}.token`, file)
  const actions = plan.changes.map(({ action }: { readonly action: string }) => action)
  assert.deepStrictEqual(actions, Array(20).fill("keep"))
  assert.notStrictEqual(plan.journal, join(cwd, "journal.sqlite"))
  bot.signal("SIGTERM")
  await bot.ended
})
