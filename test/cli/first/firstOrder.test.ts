/**
 * The first real order: checked, shown, agreed to by a typed word, placed, read back, cancelled, refunded and told, over the real
 * HTTP path. Nothing is paid where a check fails, and nothing is paid twice, wherever the process dies.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type ProfileName, profileNames } from "../../../src/venue/profile/Profiles.ts"
import { assertSays, type Connection, configText, ordersAt, runHere, startSandbox, workspace } from "../program.ts"

/** Orders of the deployed service are paid from the confidential account. */
const configOf = (like: ProfileName, sandbox: Connection): string =>
  configText(sandbox)
    .replaceAll("omft.native", `omft.${sandbox.ledger}`)
    .replace(/url:.*/, `$&\n  profile: ${like}\n  facts: { saltFrom: "${sandbox.url}/sandbox/rpc" }`)
    .replace("key: { file: account.key }", like === "document" ? "$&" : "$&\n  depositType: CONFIDENTIAL_INTENTS")

const prepare = async (like: ProfileName, change: (text: string) => string = (text) => text) => {
  const sandbox = await startSandbox({ like })
  const cwd = workspace(sandbox, { "config.yaml": change(configOf(like, sandbox)) })
  const limitbot = (...words: ReadonlyArray<string>) => runHere([...words, "--config", "config.yaml"], { cwd })
  return { sandbox, cwd, limitbot }
}

interface Report {
  readonly outcome: string
  readonly order: { readonly id: string }
  readonly cost: ReadonlyArray<{ readonly asset: string; readonly amount: string }>
  readonly compared: ReadonlyArray<{ readonly what: string; readonly isAsExpected: boolean }>
  readonly differences: ReadonlyArray<string>
}

const reportIn = (cwd: string): Report => {
  const name = readdirSync(cwd).find((file) => /^journal\.first-order-.*\.json$/.test(file)) ?? ""
  return JSON.parse(readFileSync(join(cwd, name), "utf8"))
}

describe("limitbot first-order", () => {
  it.concurrent.each(profileNames)(
    "places the smallest order, reads it back, cancels it, follows the refund and tells: %s",
    { timeout: 120_000 },
    async (like) => {
      const { cwd, limitbot, sandbox } = await prepare(like)
      const done = await limitbot("first-order", "--confirm", "place")
      assert.strictEqual(done.code, 0, `${done.stdout}\n${done.stderr}`)
      assert.match(done.stdout, /^ok +key: signs for /m)
      assert.match(done.stdout, /^order +BUY .*BTC at /m)
      assert.match(done.stdout, /nothing is paid yet\..*\n +0\.02 USDC for the refund/)
      assert.match(done.stdout, /cost +0\.02 USDC/)
      assert.match(done.stdout, /differences +none/)
      const { compared, cost, differences, order, outcome } = reportIn(cwd)
      assert.deepStrictEqual([outcome, differences], ["settled", []])
      assert.deepStrictEqual(cost, [{ asset: "USDC", amount: "0.02" }])
      assert.includeMembers(
        compared.map(({ what }) => what),
        ["terms of the order", "deposited", "status at the end", "fills", "refunded", "app fees in its echo"]
      )
      assert.isTrue(compared.every(({ isAsExpected }) => isAsExpected))
      const orders = await ordersAt(sandbox)
      assert.deepStrictEqual(
        orders.map(({ status }) => status),
        ["CANCELED"]
      )
      assert.include(JSON.stringify(await (await fetch(`${sandbox.url}/sandbox/books`)).json()), order.id)

      // It is an order of this journal like any other.
      const reconciled = await limitbot("reconcile", "--json")
      assert.strictEqual(reconciled.code, 0, reconciled.stdout)
      const evidence = await limitbot("status", "--json")
      assert.strictEqual(evidence.code, 0, evidence.stderr)
    }
  )

  it("moves nothing without the word", { timeout: 60_000 }, async () => {
    const { cwd, limitbot, sandbox } = await prepare("document")
    assertSays(await limitbot("first-order"), 2, /--confirm place/)
    assertSays(await limitbot("first-order", "--confirm", "yes"), 2, /the word is "place"/)
    const shown = await limitbot("first-order", "--dry")
    assert.strictEqual(shown.code, 0, shown.stderr)
    assert.match(shown.stdout, /^order +BUY/m)
    assert.deepStrictEqual(await ordersAt(sandbox), [])
    assert.isFalse(existsSync(join(cwd, "journal.sqlite")))
  })
})
