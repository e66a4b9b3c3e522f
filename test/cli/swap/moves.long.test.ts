/**
 * Moving an asset between the public and the confidential account: `swap --to`. It is no sale: the books show its
 * fee, and the private balance moves by what arrived.
 */
import { assert, describe, it } from "@effect/vitest"
import { configText, runHere, startHere, startSandbox, workspace } from "../../world/processes/program.ts"

const like = "near-2026-11"

const prepare = async () => {
  const sandbox = await startSandbox({ like })
  const cwd = workspace(sandbox, { "config.yaml": `${configText(sandbox)}dashboard: {}\n` })
  return { cwd, limitbot: (...words: ReadonlyArray<string>) => runHere([...words, "--config", "config.yaml"], { cwd }) }
}

const privateBtc = (stdout: string): bigint => {
  const { balances } = JSON.parse(stdout) as { readonly balances: ReadonlyArray<Record<string, string>> }
  return BigInt(balances.find(({ asset }) => asset === "BTC")?.["available"] ?? "0")
}

interface Booked {
  readonly BTC: Readonly<Record<"fees" | "total" | "realised" | "gridProfit", string>>
}

describe("swap --to", () => {
  it("moves an asset between both accounts, and the books show only the fee", async () => {
    const { limitbot } = await prepare()
    const first = await limitbot("reconcile")
    assert.strictEqual(first.code, 0, first.stderr)
    const before = privateBtc((await limitbot("money", "--at-venue", "--json")).stdout)

    const looked = await limitbot("swap", "--to", "confidential", "0.1", "BTC", "--dry")
    assert.match(looked.stdout, /fee +0\.00001\d* BTC/)
    const shielded = await limitbot("swap", "--to", "confidential", "0.1", "BTC", "--yes", "--json")
    assert.strictEqual(shielded.code, 0, shielded.stderr)
    const arrived = BigInt(JSON.parse(shielded.stdout.trimEnd().split("\n").at(-1) ?? "{}").received)
    assert.isTrue(arrived > 0n && arrived < 10_000_000n)
    const between = privateBtc((await limitbot("money", "--at-venue", "--json")).stdout)
    assert.strictEqual(between - before, arrived)

    const unshielded = await limitbot("swap", "--to", "public", "0.05", "BTC", "--yes")
    assert.strictEqual(unshielded.code, 0, unshielded.stderr)
    assert.match(unshielded.stdout, /fee +0\.000005\d* BTC/)
    const after = privateBtc((await limitbot("money", "--at-venue", "--json")).stdout)
    assert.strictEqual(between - after, 5_000_000n)

    const reconciled = await limitbot("reconcile", "--json")
    assert.strictEqual(reconciled.code, 0, reconciled.stdout)
    assert.strictEqual(JSON.parse(reconciled.stdout).contradiction, 0)

    const { BTC }: Booked = JSON.parse((await limitbot("profit", "--json")).stdout)
    const fee = Number(BTC.fees)
    // One basis point, and the share of the settlement, of 0.15 BTC.
    assert.approximately(fee, 0.15 * 0.0001 * 1.01, 2e-8)
    assert.deepStrictEqual(
      [Number(BTC.total), Number(BTC.realised), Number(BTC.gridProfit)],
      [-fee, 0, 0],
      JSON.stringify(BTC)
    )
    assert.strictEqual((await limitbot("fills")).stdout.includes("BTC/BTC"), false)
    const books = await limitbot("export", "--format", "beancount", "--out", "books")
    assert.strictEqual(books.code, 0, books.stderr)
  })

  it("is refused in plain words if the service has one kind of account", async () => {
    const sandbox = await startSandbox({ like: "document" })
    const cwd = workspace(sandbox)
    for (const side of ["confidential", "public"]) {
      const refused = await runHere(["swap", "0.1", "BTC", "--to", side, "--yes", "--config", "config.yaml"], { cwd })
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /^limitbot: .*no confidential accounts.*venue\.profile.*$/m)
    }
  })

  it("is refused while the bot runs, and says so", async () => {
    const { cwd, limitbot } = await prepare()
    const bot = startHere(["run", "grid.yaml", "--config", "config.yaml", "--json"], { cwd })
    await bot.says('"Bound"')
    const refused = await limitbot("swap", "--to", "confidential", "0.1", "BTC", "--yes")
    bot.signal("SIGTERM")
    await bot.ended
    assert.notStrictEqual(refused.code, 0)
    assert.match(refused.stderr, /running bot.*between accounts.*stop it/)
  })
})
