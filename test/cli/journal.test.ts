/** A journal is backed up while its bot runs, and moves to another machine: the old one cannot go on, the new one does. */
import { copyFileSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  assertSays,
  control,
  nowhere,
  ordersAt,
  runHere,
  startHere,
  startStill,
  workspace
} from "../world/processes/program.ts"

const config = ["--config", "config.yaml"]

describe("limitbot journal", () => {
  it("backs up while the bot runs, hands over, and continues from the same event", async () => {
    const sandbox = await startStill()
    const [old, fresh] = [workspace(sandbox), workspace(sandbox)]
    const bot = startHere(["run", "grid.yaml", ...config], { cwd: old })
    await bot.says("the order is open", 20)
    const copied = await runHere(["journal", "backup", "copy.sqlite", ...config, "--json"], { cwd: old })
    assert.strictEqual(copied.code, 0, copied.stderr)
    const { events, head } = JSON.parse(copied.stdout)
    assert.isAbove(events, 0)
    const busy = await runHere(["journal", "compact", ...config], { cwd: old })
    assertSays(busy, 1, /is in use by process/)
    copyFileSync(join(old, "copy.sqlite"), join(fresh, "copy.sqlite"))
    assertSays(
      await runHere(["journal", "restore", "copy.sqlite", ...config], { cwd: fresh }),
      1,
      /A bot \(process \d+\) runs with \S+journal\.sqlite, and \S*copy\.sqlite is a copy of it; only one may/
    )
    bot.signal("SIGTERM")
    assert.strictEqual((await bot.ended).code, 0)

    const verified = await runHere(["journal", "verify", "--head", head, ...config, "--json"], { cwd: old })
    assert.strictEqual(verified.code, 0, verified.stderr)
    assert.isAtLeast(JSON.parse(verified.stdout).events, events)
    const compacted = await runHere(["journal", "compact", ...config, "--json"], { cwd: old })
    assert.strictEqual(compacted.code, 0, compacted.stderr)
    assert.strictEqual(JSON.parse(compacted.stdout).head, JSON.parse(verified.stdout).head)

    const moved = await runHere(["journal", "backup", "moved.sqlite", "--move", ...config], { cwd: old })
    assert.strictEqual(moved.code, 0, moved.stderr)
    assertSays(
      await runHere(["run", "grid.yaml", ...config, "--for", "1s"], { cwd: old }),
      1,
      /was handed over as moved\.sqlite/
    )

    copyFileSync(join(old, "moved.sqlite"), join(fresh, "moved.sqlite"))
    const restored = await runHere(["journal", "restore", "moved.sqlite", ...config], { cwd: fresh })
    assert.strictEqual(restored.code, 0, restored.stderr)
    assertSays(
      await runHere(["journal", "restore", "moved.sqlite", ...config], { cwd: fresh }),
      1,
      /exists\. Move it away/
    )
    const next = startHere(["run", "grid.yaml", ...config], { cwd: fresh })
    await control(sandbox, "fill", { market: "BTC/USDC", side: "SELL", price: "61000", quantity: "0.002" })
    await next.says("FILL ")
    next.signal("SIGTERM")
    assert.strictEqual((await next.ended).code, 0)
    assert.isTrue(existsSync(join(fresh, "journal.sqlite")))
    // Nothing was placed a second time: what rested is the new bot's now.
    assert.lengthOf(await ordersAt(sandbox), 20)
    const status = JSON.parse((await runHere(["status", ...config, "--json"], { cwd: fresh })).stdout)
    assert.strictEqual(status.openOrders, 20)
    assert.isNull(status.journalGone)
    assert.deepStrictEqual(status.failing, [])
  })

  it("is not rebuilt from the venue while the archive of a lost journal is there", async () => {
    const cwd = workspace(nowhere)
    writeFileSync(join(cwd, "journal.sqlite.archive"), "", { mode: 0o600 })
    const refusal = await runHere(["journal", "recover", "grid.yaml", ...config], { cwd })
    assertSays(refusal, 1, /journal\.sqlite\.archive exists.*\.head and \.archive files/)
    assert.isFalse(existsSync(join(cwd, "journal.sqlite")))
  })
})
