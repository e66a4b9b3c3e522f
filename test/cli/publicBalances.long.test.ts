/** An account of ordinary intents at the deployed service: an RPC address of its ledger shows the money that pays for its orders. */
import { assert, describe, it } from "@effect/vitest"
import { configText, control, runHere, startHere, startStill, workspace } from "../world/processes/program.ts"

interface Row {
  readonly asset: string | null
  readonly available: string
  readonly source: string
}

describe("public balances", () => {
  it("are shown, planned with and compared with the journal, without an invitation", async () => {
    const sandbox = await startStill({ like: "near-2026-11" })
    const config = configText(sandbox).replace("  depositType: CONFIDENTIAL_INTENTS\n", "")
    const cwd = workspace(sandbox, { "config.yaml": config })
    const told = async (...words: ReadonlyArray<string>) => {
      const { stderr, stdout } = await runHere([...words, "--json", "--config", "config.yaml"], { cwd })
      assert.isNotEmpty(stdout, stderr)
      return JSON.parse(stdout)
    }
    const publicOf = async () => {
      const rows: ReadonlyArray<Row> = (await told("money", "--at-venue")).balances
      return new Map(rows.flatMap(({ asset, available, source }) => (source === "public" ? [[asset, available]] : [])))
    }
    const before = await publicOf()
    assert.isAbove(Number(before.get("USDC")), 0)
    assert.isTrue((await told("plan", "grid.yaml")).balancesKnown)
    const bot = startHere(["run", "grid.yaml", "--cancel-on-exit", "--json", "--config", "config.yaml"], { cwd })
    await bot.says('"DepositSeen"', 20)
    await control(sandbox, "prices", { "BTC/USDC": 59_860 })
    await bot.says('"PaidOut"')
    bot.signal("SIGTERM")
    assert.strictEqual((await bot.ended).code, 0)
    const first = await told("reconcile")
    assert.include(first.witnesses, "public balances")
    const after = await publicOf()
    assert.isAbove(Number(after.get("BTC")), Number(before.get("BTC")))
    const second = await told("reconcile")
    const ofBalances = second.findings.filter(({ kind }: { readonly kind: string }) => kind === "balance")
    assert.isTrue(ofBalances.every(({ verdict }: { readonly verdict: string }) => verdict !== "contradiction"))
  })
})
