/** Plans and explanations at the command line, against a venue and a journal that a bot has written. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  assertSays,
  gridText,
  nowhere,
  runHere,
  runUntil,
  startHere,
  startStill,
  workspace
} from "../../world/processes/program.ts"

const config = ["--config", "config.yaml"]

interface Plan {
  readonly refused: ReadonlyArray<string>
  readonly summary: Readonly<Record<"keep" | "cancel" | "create" | "defer", number>>
  readonly findings: ReadonlyArray<{ readonly name: string; readonly allowed: boolean }>
  readonly journal: string | null
}

interface Explanation {
  readonly slot: string
  readonly verdict: string
  readonly rule: string
  readonly ruleText: string | null
  readonly inputs: { readonly mid: string; readonly priceAgeMillis: number }
  readonly guards: ReadonlyArray<{ readonly guard: string; readonly verdict: string; readonly text: string }>
  readonly wouldChange: ReadonlyArray<string>
}

const json = <A>(stdout: string): A => JSON.parse(stdout)

const tinyText = `name: tiny
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.0001, quote: 20 } }
grid: { lower: 59000, upper: 59100, levels: 101, size: { base: 0.000001 } }
`

describe.concurrent("limitbot plan and explain", () => {
  it("plan without a journal, then against one; explain now and the past", async () => {
    const cwd = workspace(await startStill(), { "tiny.yaml": tinyText })
    const first = await runHere(["plan", "grid.yaml", ...config, "--json"], { cwd })
    assert.strictEqual(first.code, 0, first.stderr)
    const fresh = json<Plan>(first.stdout)
    assert.strictEqual(fresh.journal, null)
    assert.deepStrictEqual(fresh.summary, { create: 20, keep: 0, cancel: 0, defer: 0 })
    assert.deepStrictEqual(fresh.refused, [])

    const ran = await runUntil("the order is open", 20, ["run", "grid.yaml", ...config], { cwd }, startHere)
    assert.strictEqual(ran.code, 0, ran.stderr)
    const second = await runHere(["plan", "grid.yaml", "tiny.yaml", ...config], { cwd })
    assertSays(second, 1, /Plan rejected: .*fee-floor.*--allow fee-floor/)
    const lines = (sign: string) => second.stdout.split("\n").filter((line) => line.startsWith(`  ${sign} cell-`))
    const kept = Array.from({ length: 20 }, (_, cell) => {
      const [side, level] = cell <= 10 ? ["BUY", 59_000 + 100 * cell] : ["SELL", 59_100 + 100 * cell]
      return new RegExp(`^ {2}= cell-${String(cell).padStart(2, "0")} +${side} +0\\.005 BTC +at +${level} +locks `)
    })
    for (const [index, line] of lines("=").entries()) assert.match(line, kept[index] ?? /^$/)
    assert.lengthOf(lines("="), 20)
    for (const line of lines("+")) assert.match(line, /^ {2}\+ cell-\d\d +BUY +0\.000001 BTC/)
    assert.lengthOf(lines("+"), 100)
    assert.match(second.stdout, /! UNSAFE {2}fee-floor: 100 of 100 cycles earn less than their fees: cell-/)
    assert.match(second.stdout, /One payout costs about /)
    const allowed = await runHere(["plan", "grid.yaml", "tiny.yaml", ...config, "--json", "--allow", "fee-floor"], {
      cwd
    })
    assert.strictEqual(allowed.code, 0, allowed.stderr)
    assert.isTrue(json<Plan>(allowed.stdout).findings.every((finding) => finding.allowed))

    const now = await runHere(["explain", "grid/cell-00", ...config, "--json"], { cwd })
    const [cell] = json<ReadonlyArray<Explanation>>(now.stdout)
    assert.match(cell?.verdict ?? "", /^has BUY 0\.005 BTC at 59000, /)
    assert.strictEqual(cell?.rule, `${join(cwd, "grid.yaml")}:5`)
    assert.isTrue(cell?.guards.some(({ guard, verdict }) => guard === "budget" && verdict === "passes"))
    assert.approximately(Number(cell?.inputs.mid), 60_020, 0.05)
    // Another file now: what was is in the journal.
    writeFileSync(join(cwd, "grid.yaml"), gridText.replace("59000", "58000"))
    const then = await runHere(["explain", "grid/cell-00", ...config, "--at", new Date().toISOString(), "--json"], {
      cwd
    })
    const [past] = json<ReadonlyArray<Explanation>>(then.stdout)
    assert.deepStrictEqual([past?.rule, past?.ruleText?.slice(0, 21)], [cell?.rule, "grid: { lower: 59000,"])
    assert.deepStrictEqual(
      past?.guards.map(({ verdict }) => verdict),
      cell?.guards.map(({ verdict }) => verdict)
    )
    const before = await runHere(["explain", "grid/cell-00", ...config, "--at", "1d"], { cwd })
    assertSays(before, 1, /At .* UTC there is no data: the journal begins at .* UTC/)
    const never = await runHere(["explain", ...config, "--at", "2021-02-31"], { cwd })
    assertSays(never, 2, /--at 2021-02-31 is not a time/)
    const wrong = await runHere(["explain", ...config, "--at", "noon"], { cwd })
    assertSays(wrong, 2, /--at noon is not a time\. Write 2026-/)
  })

  it("explain an order that a limit denies, and the number that would change it", async () => {
    const text = gridText.replace("limits: { ", "limits: { maxOpenOrders: 3, ")
    const cwd = workspace(await startStill(), { "grid.yaml": text })
    const ran = await runUntil("the order is open", 3, ["run", "grid.yaml", ...config], { cwd }, startHere)
    assert.strictEqual(ran.code, 0, ran.stderr)
    const all = json<ReadonlyArray<Explanation>>((await runHere(["explain", ...config, "--json"], { cwd })).stdout)
    const empty = all.filter(({ verdict, guards }) => verdict === "has no order" && guards.length > 0)
    assert.lengthOf(empty, 17)
    for (const { guards, wouldChange } of empty) {
      const refusing = guards.filter(({ verdict }) => verdict === "refuses").map(({ guard }) => guard)
      assert.include(refusing, "open-orders")
      assert.include(wouldChange, "fewer than 3 open orders, for the limit open-orders")
    }
    const plan = json<Plan>((await runHere(["plan", "grid.yaml", ...config, "--json"], { cwd })).stdout)
    assert.deepStrictEqual(plan.summary, { create: 0, keep: 3, cancel: 0, defer: 17 })
  })

  it("name mistakes of the files before they ask the venue", async () => {
    const cwd = workspace(nowhere, { "twin.yaml": gridText, "wrong.yaml": gridText.replace("levels", "lvels") })
    const wrong = await runHere(["plan", "grid.yaml", "twin.yaml", "wrong.yaml", ...config], { cwd })
    assertSays(wrong, 1, /wrong\.yaml:5:\d+: unknown key "lvels"[\s\S]*the strategy name "grid" is taken by grid\.yaml/)
  })
})
