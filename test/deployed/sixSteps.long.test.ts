/** From a key to an INTENTS order that is filled and paid, in the six steps of docs/deployed.md, at a stub of the deployed service. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { atEndOfFiles } from "../endOfFile.ts"
import { newFolder, runHere, startHere } from "../world/processes/program.ts"
import { startStub } from "./Stub.ts"

const prepare = async () => {
  const { stop, stub, url } = await startStub()
  atEndOfFiles(async () => void (await stop()))
  const cwd = newFolder()
  const surroundings = {
    cwd,
    environment: { LIMITBOT_API_KEY: stub.apiKey, LIMITBOT_INCIDENT_TOKEN: stub.incidentToken }
  }
  const limitbot = async (...words: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await runHere(words, surroundings)
    return { code, said: stdout + stderr, stdout }
  }
  const done = async (...words: ReadonlyArray<string>) => {
    const { code, said, stdout } = await limitbot(...words)
    assert.strictEqual(code, 0, `${words.join(" ")}: ${said}`)
    return stdout
  }
  const configure = (change: (text: string) => string) => {
    const file = join(cwd, "config/limitbot.yaml")
    writeFileSync(file, change(readFileSync(file, "utf8")))
  }
  const start = (...words: ReadonlyArray<string>) => startHere(words, surroundings)
  return { stub, url, cwd, limitbot, done, configure, start }
}

const withRpc = (url: string) => (text: string) => text.replace(/# facts: .*/, `facts: { saltFrom: "${url}/rpc" }`)

/** Steps 1 to 3. */
const setUp = async () => {
  const world = await prepare()
  const { configure, done, stub, url } = world
  const account = /[0-9a-f]{64}/.exec(await done("signer", "key", "--out", "account.key"))?.[0] ?? ""
  stub.give(account, "USDC", 100_000_000n)
  stub.give(account, "BTC", 200_000n)
  const init = ["init", "my-grid.yaml", "--venue", url, "--profile", "near-2026-11", "--key-file", "account.key"]
  const said = await done(...init, "--market", "BTC/USDC", "--kind", "grid", "--set", "size=5", "--yes")
  assert.notMatch(said, /--to confidential|CONFIDENTIAL/)
  configure(withRpc(url))
  return { ...world, account }
}

describe("the deployed service", () => {
  it("fills and pays an INTENTS order of an ordinary partner in six steps", async () => {
    const { account, done, limitbot, start, stub } = await setUp()
    assert.match(await done("money", "--at-venue"), /USDC +100 +public[\s\S]*Not shown: private money \(.*Invite-only/)
    await done("check")
    const canary = JSON.parse(await done("check", "--service", "--json"))
    assert.deepStrictEqual(
      canary.drift.filter((each: { readonly closesFunding: boolean }) => each.closesFunding),
      []
    )
    assert.match(await done("swap", "1", "USDC", "BTC", "--dry"), /DRY: a quote only/)
    const first = await done("first-order", "--yes")
    assert.match(first, /First order buy-[0-9a-f]{8}: settled[\s\S]*differences +none/)
    assert.strictEqual(stub.balance(account, { assetId: stub.orders[0]?.input.assetId ?? "" }), 100_000_000n)

    const plan = JSON.parse(await done("plan", "my-grid.yaml", "--json"))
    assert.isTrue(plan.balancesKnown)
    const bot = start(
      "run",
      "my-grid.yaml",
      "--config",
      "config/limitbot.yaml",
      "--cancel-on-exit",
      "--json",
      "--poll",
      "0.5s"
    )
    await bot.says('"DepositSeen"')
    const nearest = Math.max(
      ...stub.orders.filter(({ side, status }) => side === "BUY" && status === "OPEN").map(({ price }) => price)
    )
    stub.move(nearest * 0.997)
    await bot.says('"PaidOut"')
    bot.signal("SIGTERM")
    const { code, stderr } = await bot.ended
    assert.strictEqual(code, 0, stderr)
    assert.isAbove(stub.orders.filter(({ status }) => status === "FILLED").length, 0)
    const reconciled = await limitbot("reconcile", "--json")
    assert.strictEqual(reconciled.code, 0, reconciled.said)
    assert.isEmpty(stub.asked.filter((path) => path.includes("/v0/auth/refresh")))
  })

  it("holds what an incident names, waits for a quote with an amount, and names the smallest order", async () => {
    const { configure, done, limitbot, stub, url } = await setUp()
    const feed = `incidents: { url: "${url}/incident", token: { env: LIMITBOT_INCIDENT_TOKEN } }`
    configure((text) => text.replace("\n  apiKey:", `\n  ${feed}\n  apiKey:`))
    stub.incidents = [
      { scopeType: "token", scopeValue: "USDC", direction: "both", publicDescription: "USDC is delayed" }
    ]
    const held = await limitbot("first-order", "--yes")
    assert.match(held.said, /held while the venue has an incident: USDC is delayed/)
    stub.incidents = [
      { scopeType: "chain", scopeValue: "hood", direction: "deposit", publicDescription: "hood is delayed" }
    ]
    await done("first-order", "--yes")

    stub.quotesWithoutAmounts = 1_000
    assert.match(
      (await limitbot("book", "BTC/USDC")).said,
      /its quote has no amountOut: the venue has no price of this now/
    )
    stub.quotesWithoutAmounts = 0
    configure((text) => text.replace("\n  apiKey:", "\n  minOrderUsd: 50\n  apiKey:"))
    assert.match((await limitbot("plan", "my-grid.yaml")).said, /below the venue's minimum of 50 USD/)
  })
})
