/** `limitbot reconcile` after runs of every deposit type: nothing contradicts, and something does when money is really missing. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { writeDoubtfulAt } from "../journal/doubtful.ts"
import { configText, run, startSandbox, workspace } from "../program.ts"

const config = ["--config", "config.yaml"]

const accounts: Readonly<Record<string, string>> = {
  INTENTS: "",
  CONFIDENTIAL_INTENTS: "\n  depositType: CONFIDENTIAL_INTENTS",
  ORIGIN_CHAIN: `
  depositType: ORIGIN_CHAIN
  wallet: { sandbox: true }
  recipients: { BTC: bc1qtheirs, USDC: usdc-address }
  refundTo: { BTC: bc1qours, USDC: usdc-refunds }`
}

interface Reconciled {
  readonly contradiction: number
  readonly witnesses: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
  readonly findings: ReadonlyArray<{ readonly verdict: string; readonly kind: string; readonly text: string }>
}

interface Problem {
  readonly kind: string
  readonly placement: string
}

const reconcile = async (cwd: string) => {
  const { code, stderr, stdout } = await run(["reconcile", "--json", ...config], { cwd })
  const said: Reconciled = JSON.parse(stdout)
  return { code, stderr, ...said }
}

describe.concurrent("reconcile", () => {
  it.each(Object.entries(accounts))("an account of %s", { timeout: 120_000 }, async (depositType, lines) => {
    const sandbox = await startSandbox({ speed: 2000 })
    const text = configText(sandbox).replace("key: { file: account.key }", `$&${lines}`)
    const cwd = workspace(sandbox, { "config.yaml": text })
    const first = await reconcile(cwd)
    assert.strictEqual(first.contradiction, 0)
    const traded = await run(["run", "grid.yaml", "--for", "3s", "--cancel-on-exit", ...config], { cwd })
    assert.strictEqual(traded.code, 0, traded.stderr)

    const after = await reconcile(cwd)
    assert.strictEqual(after.code, 0, JSON.stringify(after.findings.filter(({ verdict }) => verdict !== "agrees")))
    assert.isAbove(after.findings.filter(({ kind }) => kind === "order").length, 0)
    const keys = new Set(after.findings.map((finding) => Object.keys(finding).sort().join()))
    assert.strictEqual(keys.size, 1, "what is not there is null")
    const isPrivate = depositType === "CONFIDENTIAL_INTENTS"
    assert.deepStrictEqual(after.witnesses, ["orders", "history", ...(isPrivate ? ["private balances"] : [])])
    assert.lengthOf(after.missing, isPrivate ? 0 : 1, "it says which witness it has not")

    if (depositType === "INTENTS") {
      // A journal in which the payment of one of these orders is in doubt, and one to an address that nobody knows.
      const elsewhere = workspace(sandbox, { "config.yaml": text })
      const paid = new DatabaseSync(join(cwd, "journal.sqlite"), { readOnly: true })
        .prepare(
          "SELECT body ->> 'depositAddress' AS address FROM journal WHERE event = 'Bound' AND placement IN (SELECT placement FROM journal WHERE event = 'Settled') LIMIT 1"
        )
        .get()
      await writeDoubtfulAt(join(elsewhere, "journal.sqlite"), [String(paid?.["address"]), "nowhere"])
      const problems = async () => JSON.parse((await run(["resolve", "--json", ...config], { cwd: elsewhere })).stdout)
      assert.lengthOf((await problems()).problems, 2)
      const proof = JSON.parse((await run(["reconcile", "--resolve", "--json", ...config], { cwd: elsewhere })).stdout)
      assert.deepStrictEqual(
        proof.proven.map(({ placement, word }: { placement: string; word: string }) => [placement, word]),
        [["p1", "paid"]]
      )
      // It waits for its deposit now, for as long as that takes.
      const left = (await problems()).problems.map(({ kind, placement }: Problem) => `${placement} ${kind}`)
      assert.deepStrictEqual(left, ["p1 stuck", "p2 in-doubt"])
    }

    // Another journal of the same account leaves an order that rests.
    const other = workspace(sandbox, {
      "config.yaml": text,
      "high.yaml": `name: high
market: BTC/USDC
kind: ladder
limits: { budget: { base: 0.01 } }
ladder: { side: sell, from: 90000, to: 91000, rungs: 2, total: { base: 0.01 } }
`
    })
    const taken = await run(["run", "high.yaml", "--for", "3s", ...config], { cwd: other })
    assert.strictEqual(taken.code, 0, taken.stderr)
    const missing = await reconcile(cwd)
    assert.strictEqual(missing.code, 1)
    const texts = missing.findings.filter(({ verdict }) => verdict === "contradiction").map(({ text: why }) => why)
    assert.match(texts[0] ?? "", /holds money of this account/)
    if (isPrivate) assert.match(texts.at(-1) ?? "", /^moved by -\d+, the journal explains 0$/)
  })
})
