/** What people read about the venue's signature under its prices. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { configText, ordersAt, runHere, startHere, startStill, workspace } from "../world/processes/program.ts"

/** Somebody's public key, but not this venue's. */
const anothers = "ed25519:4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS"

describe("prices", () => {
  it("with another signature than the configured one are not used, and every command says so", async () => {
    const sandbox = await startStill({ like: "document" })
    const withKey = (key: string) => configText(sandbox).replace("venue:\n", `venue:\n  quoteKey: ${key}\n`)
    const saltless = configText(sandbox).replace("venue:\n", "venue:\n  profile: near-2026-11\n")
    const folder = workspace(sandbox, {
      "config.yaml": withKey(anothers),
      "signed.yaml": withKey(sandbox.quoteKey),
      "saltless.yaml": saltless
    })
    const config = ["--config", join(folder, "config.yaml")]
    const bot = startHere(["run", join(folder, "grid.yaml"), ...config, "--poll", "0.3s", "--json"])
    await bot.says('"PriceDoubted"')

    const status = JSON.parse((await runHere(["status", "--json", ...config])).stdout)
    assert.strictEqual(status.prices, "signed")
    assert.strictEqual(status.pricesRefused[0].market, "BTC/USDC")
    const why = "The venue's quote cannot be trusted: its signature is not the one of venue.quoteKey"
    assert.strictEqual(status.pricesRefused[0].why, why)
    const shown = (await runHere(["status", ...config])).stdout
    assert.match(shown, /^Prices are signed\.$/m)
    assert.include(shown, `BTC/USDC: No price for `)

    const doctor = await runHere(["check", ...config])
    assert.strictEqual(doctor.code, 1)
    assert.include(doctor.stdout, `WRONG  prices: ${why}`)
    const well = await runHere(["check", "--config", join(folder, "signed.yaml")])
    assert.match(well.stdout, /^ok {5}prices: signed/m)
    assert.match(well.stdout, /^ok {5}login: needs no salt$/m)
    const without = await runHere(["check", "--config", join(folder, "saltless.yaml")])
    assert.match(without.stdout, /^warn {3}login: no login without the salt of \S+: private balances/m)
    assert.include(without.stdout, "→ set venue.facts.saltFrom")

    bot.signal("SIGTERM")
    const { code, stderr } = await bot.ended
    assert.strictEqual(code, 0, stderr)
    assert.isEmpty(await ordersAt(sandbox))
  })
})
