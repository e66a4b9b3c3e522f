/**
 * An account of confidential intents at the command line: orders, swaps and private balances, and ledgers that agree. Once with
 * the facts of the interface document, once with those of the deployed service.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { profileNames } from "../../src/venue/profile/Profiles.ts"
import { firstOf } from "../long.ts"
import {
  type Connection,
  configText,
  control,
  runHere,
  startHere,
  startStill,
  workspace
} from "../world/processes/program.ts"
import { recordingProxy } from "../world/processes/recordingProxy.ts"

interface Row {
  readonly asset: string | null
  readonly available: string
  readonly source: string
}

/** The interface document knows such accounts as well. */
const configOf = (sandbox: Connection): string =>
  configText(sandbox)
    .replace("  depositType: CONFIDENTIAL_INTENTS\n", "")
    .replace("key: { file: account.key }", "$&\n  depositType: CONFIDENTIAL_INTENTS")

describe("an account of confidential intents", () => {
  it.concurrent.each(firstOf(1, profileNames))(
    "trades, swaps, shows its private balances, and reconciles: %s",
    async (like) => {
      const sandbox = await startStill({ like })
      const cwd = workspace(sandbox, { "config.yaml": configOf(sandbox) })
      const config = ["--config", "config.yaml"]
      const balances = async () => {
        const { stderr, stdout } = await runHere(["money", "--at-venue", "--json", ...config], { cwd })
        assert.isNotEmpty(stdout, stderr)
        const all: ReadonlyArray<Row> = JSON.parse(stdout).balances
        const rows = all.filter(({ source }) => source === "private")
        return new Map(rows.map(({ asset, available }) => [asset, BigInt(available)]))
      }
      const before = await balances()
      // Later ones are compared with the balances of the first comparison.
      assert.strictEqual((await runHere(["reconcile", ...config], { cwd })).code, 0)
      const bot = startHere(["run", "grid.yaml", "--cancel-on-exit", "--json", ...config], { cwd })
      await bot.says('"DepositSeen"', 20)
      // The deployed service keeps its share of an order before it fills: the market has to go further.
      await control(sandbox, "prices", { "BTC/USDC": like === "document" ? 59_950 : 59_860 })
      await bot.says('"PaidOut"')
      bot.signal("SIGTERM")
      const traded = await bot.ended
      assert.strictEqual(traded.code, 0, traded.stderr)
      const events = traded.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      assert.lengthOf(
        events.filter(({ event }) => event === "FillSeen"),
        1
      )
      const paid = events.filter(({ event }) => event === "PaidOut")
      assert.lengthOf(paid, 1)

      const after = await balances()
      const status = JSON.parse((await runHere(["status", "--json", ...config], { cwd })).stdout) as {
        readonly money: ReadonlyArray<{ readonly asset: string; readonly place: string; readonly amount: string }>
      }
      for (const [asset, decimals, budget] of [["BTC", 8, 0.1] as const, ["USDC", 6, 6000] as const]) {
        const wallet = status.money.find((row) => row.asset === asset && row.place === "wallet")?.amount ?? ""
        const moved = (after.get(asset) ?? 0n) - (before.get(asset) ?? 0n)
        assert.strictEqual(Math.round((Number(wallet) - budget) * 10 ** decimals), Number(moved), asset)
      }

      const swapped = await runHere(["swap", "0.001", "BTC", "USDC", "--yes", "--json", ...config], { cwd })
      assert.strictEqual(swapped.code, 0, swapped.stderr)
      const { money, received } = JSON.parse(swapped.stdout.trimEnd().split("\n").at(-1) ?? "{}")
      const final = await balances()
      assert.strictEqual((final.get("USDC") ?? 0n) - (after.get("USDC") ?? 0n), BigInt(received))
      assert.strictEqual((after.get("BTC") ?? 0n) - (final.get("BTC") ?? 0n), BigInt(money.spent))
      const reconciled = await runHere(["reconcile", "--json", ...config], { cwd })
      assert.strictEqual(reconciled.code, 0, reconciled.stderr)
      assert.strictEqual(JSON.parse(reconciled.stdout).contradiction, 0)

      if (like === "document") return
      // Neither needs a hash of the settlement.
      const placement = String(paid[0]?.["placement"])
      const evidence = await runHere(["orders", placement, "--out", "evidence.json", ...config], { cwd })
      assert.strictEqual(evidence.code, 0, evidence.stderr)
      assert.include(readFileSync(join(cwd, "evidence.json"), "utf8"), placement)
      const exported = await runHere(["export", "--format", "csv", "--out", "books", ...config], { cwd })
      assert.strictEqual(exported.code, 0, exported.stderr)
      const refused = await runHere(["history", "account", ...config], { cwd })
      assert.match(refused.stderr, /^limitbot: .*invite-only.*$/m)
      // What only that history could name says so.
      const more = (path: string, body: string): string =>
        path === "/v0/account/balances" ? body.replace(/"available":"(?=\d)/g, '"available":"7') : body
      const credited = await recordingProxy(sandbox.url, "", 0, more)
      const file = join(cwd, "config.yaml")
      writeFileSync(file, readFileSync(file, "utf8").replaceAll(sandbox.url, credited.url))
      const unnamed = await runHere(["reconcile", "--json", ...config], { cwd })
      await credited.close()
      assert.strictEqual(unnamed.code, 1, unnamed.stderr)
      assert.include(
        JSON.parse(unnamed.stdout).missing,
        "account history: The venue refused to read the account history: http-403: History is invite-only for now"
      )
    }
  )
})
