/** Credentials that expire: one clear message that names the setting, and exit code 1. (Sessions renew themselves: see `Session.test.ts`.) */
import { assert, describe, it } from "@effect/vitest"
import * as Keys from "../../src/sandbox/http/Keys.ts"
import { isLong } from "../long.ts"
import { assertSays, runHere, startHere, startSandbox, startStill, workspace } from "../world/processes/program.ts"
import { recordingProxy } from "../world/processes/recordingProxy.ts"

const config = ["--config", "config.yaml"]
const expiredJwt = (seed: number) =>
  Keys.issue(seed, { use: "partner", sub: Keys.partners[0], exp: Math.floor(Date.now() / 1000) - 60 })

describe.concurrent("credentials", () => {
  it.skipIf(!isLong)("that expire while the bot runs stop it with one message, and a new key continues", async () => {
    const sandbox = await startStill()
    const proxy = await recordingProxy(sandbox.url)
    const cwd = workspace({ ...sandbox, url: proxy.url })
    const bot = startHere(["run", "grid.yaml", ...config], { cwd })
    await bot.says("the order is open")
    proxy.expire(sandbox.apiKey)
    assertSays(
      await bot.ended,
      1,
      /^limitbot: The venue does not accept our credential for "[a-z ]+": expired\. Check venue\.apiKey: it may be wrong or have expired$/m
    )
    proxy.expire("another")
    const again = await runHere(["run", "grid.yaml", "--for", "1s", "--cancel-on-exit", ...config], { cwd })
    assert.strictEqual(again.code, 0, again.stderr)
    await proxy.close()
  })

  it.skipIf(!isLong)("that have expired stop history, swaps and the bot with one message that names them", async () => {
    const seed = 77
    const sandbox = await startSandbox({ seed })
    const cwd = workspace({ ...sandbox, partnerJwt: expiredJwt(seed) })
    const message = /Check venue\.partnerJwt( \(or venue\.apiKey\))?: it may be wrong or have expired$/m
    for (const command of [["history"], ["swap", "0.01", "BTC", "USDC", "--yes"], ["run", "grid.yaml"]]) {
      assertSays(await runHere([...command, ...config], { cwd }), 1, message)
    }
    const swaps = await runHere(["swap", "--list", ...config], { cwd })
    assert.include(swaps.stdout, "No swaps yet.")
  })
})
