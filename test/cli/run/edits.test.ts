/** Strategy files that change, vanish or are locked out while the bot runs, and what the next start makes of that. */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { firstOf, isLong } from "../../long.ts"
import {
  assertSays,
  gridText,
  ordersAt,
  run,
  runHere,
  startHere,
  startStill,
  workspace
} from "../../world/processes/program.ts"

const ladder = (total: number, budget = total) => `name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { quote: ${budget} }, maxPriceDeviation: 90% }
ladder: { side: buy, from: 40000, to: 50000, rungs: 2, total: { quote: ${total} } }
`

/** `flows.csv`, the plain-text books and `profit` agree about the capital that a removed strategy returns. */
const saysOneThing = async (cwd: string, budget: number) => {
  const ofProgram = async (...args: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await runHere([...args, "--config", "config.yaml"], { cwd })
    assert.strictEqual(code, 0, stderr)
    return stdout
  }
  interface Row {
    readonly strategy: string
    readonly asset: string
    readonly amount: string
    readonly slot?: string
  }
  const { notCounted, orders, strategies }: Readonly<Record<string, ReadonlyArray<Row>>> = JSON.parse(
    await ofProgram("money", "--json")
  )
  const [back] = notCounted ?? []
  assert.deepStrictEqual([back?.strategy, back?.asset, notCounted?.length], ["ladder", "USDC", 1])
  // Its refunds may still be on their way; until then they count.
  const amount = Number(back?.amount)
  assert.isAtLeast(amount, budget - 1_000)
  const underWay = [
    ...(strategies ?? []).filter(({ strategy }) => strategy === "ladder"),
    ...(orders ?? []).filter(({ slot }) => slot?.startsWith("ladder/"))
  ].reduce((sum, row) => sum + Number(row.amount), 0)
  assert.approximately(amount + underWay, budget, 1e-6)
  const words = `Not counted: ${back?.amount} USDC that ladder returned to the account; it is not running`
  assert.include(await ofProgram("money"), words)
  assert.include(await ofProgram("status"), words)
  assert.deepStrictEqual(JSON.parse(await ofProgram("status", "--json")).notCounted, notCounted)
  await ofProgram("export", "--format", "csv", "--out", "tables")
  await ofProgram("export", "--format", "hledger", "--out", "books.hledger")
  const flows = readFileSync(join(cwd, "tables", "flows.csv"), "utf8")
    .trim()
    .split("\r\n")
    .slice(1)
  const capital = flows.map((row) => row.split(",")).filter(([, strategy]) => strategy === "ladder")
  const left = budget - amount
  const sum = capital.reduce((total, [, , , moved]) => total + Number(moved), 0)
  assert.approximately(sum, left, 1e-6, flows.join("\n"))
  const books = readFileSync(join(cwd, "books.hledger"), "utf8")
  const closing = (account: string) => new RegExp(`^ +${account} .*= (\\S+) USDC$`, "m").exec(books)?.[1]
  assert.approximately(Number(closing("equity:limitbot:capital:ladder")), -left, 1e-6)
  assert.strictEqual(Number(closing("assets:limitbot:wallet:ladder")), 0)
  const { USDC } = JSON.parse(await ofProgram("profit", "--by", "strategy", "--json"))
  const ladderRow = USDC.groups.find(({ strategy }: Row) => strategy === "ladder")
  assert.approximately(Number(ladderRow.flows), left, 1e-6)
}

describe.concurrent("strategy files of a running bot", () => {
  it.skipIf(!isLong)("are reloaded after the database is locked for seven seconds", async () => {
    const cwd = workspace(await startStill(), { "ladder.yaml": ladder(1000) })
    const bot = startHere(["run", "ladder.yaml", "--config", "config.yaml", "--json"], { cwd })
    await bot.says('"DepositSeen"')
    const database = new DatabaseSync(join(cwd, "journal.sqlite"), { timeout: 5_000 })
    database.exec("BEGIN IMMEDIATE")
    writeFileSync(join(cwd, "ladder.yaml"), ladder(900))
    await pause(7_000)
    database.exec("ROLLBACK")
    database.close()
    await bot.says('"amount":"900000000"')
    // A reduction of limits that is saved later is taken as well.
    writeFileSync(join(cwd, "ladder.yaml"), ladder(500))
    await bot.says('"amount":"500000000"')
    bot.signal("SIGTERM")
    assert.strictEqual((await bot.ended).code, 0)
  })

  it.skipIf(!isLong)("stay in status as a rejected edit until they are fixed", async () => {
    const cwd = workspace(await startStill(), { "ladder.yaml": ladder(1000) })
    const bot = startHere(["run", "ladder.yaml", "--config", "config.yaml", "--json"], { cwd })
    const rejectedEdit = async () =>
      JSON.parse((await runHere(["status", "--json", "--config", "config.yaml"], { cwd })).stdout).rejectedEdit
    await bot.says('"DepositSeen"')
    writeFileSync(join(cwd, "ladder.yaml"), ladder(1000).replace("rungs: 2", "rungs: two"))
    await bot.says('"StrategiesRefused"')
    assert.include((await rejectedEdit()).join(), "rungs")
    writeFileSync(join(cwd, "ladder.yaml"), ladder(1000))
    await bot.says('"EditMended"')
    assert.isNull(await rejectedEdit())
    bot.signal("SIGTERM")
    await bot.ended
  })

  it.skipIf(!isLong)(
    "that are removed while the bot runs are skipped by the next start, and their orders cancelled",
    async () => {
      const cwd = workspace(await startStill(), { "ladder.yaml": ladder(1000, 1200), "grid.yaml": gridText })
      const both = ["run", "grid.yaml", "ladder.yaml", "--config", "config.yaml"]
      const bot = startHere([...both, "--json"], { cwd })
      await bot.says(/"DepositSeen".*"ladder"/)
      rmSync(join(cwd, "ladder.yaml"))
      await bot.says(/"StrategiesRefused".*ladder\.yaml is gone: unless it is back soon/)
      writeFileSync(join(cwd, "ladder.yaml"), ladder(1000, 1200))
      await bot.says('"EditMended"')
      assert.notInclude(bot.stdout(), '"StrategyRemoved"')
      assert.notInclude(bot.stdout(), '"CancelRequested"')
      rmSync(join(cwd, "ladder.yaml"))
      await bot.says('"StrategyRemoved"')
      bot.signal("SIGTERM")
      await bot.ended
      const again = await startHere([...both, "--for", "6s"], { cwd }).ended
      assert.include(again.stderr, "ladder.yaml: was removed while the bot ran; it is skipped")
      assert.strictEqual(again.code, 0, again.stderr)
      const orders = JSON.parse((await runHere(["orders", "--json", "--config", "config.yaml"], { cwd })).stdout)
      assert.deepStrictEqual(
        orders.filter(
          ({ slot, state }: { slot: string; state: string }) => slot.startsWith("ladder") && state === "open"
        ),
        []
      )
      await saysOneThing(cwd, 1_200)
      const wrong = await runHere(["run", "grid.yaml", "never.yaml", "--config", "config.yaml"], { cwd })
      assertSays(wrong, 1, /never\.yaml/)
    }
  )

  it.skipIf(!isLong)(
    "with a mistake are skipped by the next start, and the orders of all files are still tracked",
    async () => {
      const cwd = workspace(await startStill(), { "ladder.yaml": ladder(1000), "grid.yaml": gridText })
      const both = ["run", "grid.yaml", "ladder.yaml", "--config", "config.yaml", "--json"]
      const bot = startHere(both, { cwd })
      await bot.says(/"DepositSeen".*"ladder"/)
      bot.signal("SIGTERM")
      await bot.ended
      writeFileSync(join(cwd, "ladder.yaml"), ladder(1000).replace("rungs: 2", "rungs: two"))
      const again = startHere(both, { cwd })
      await again.says(/"StrategiesRefused".*rungs/)
      await again.says('"Decided"')
      const strategies = again.stdout().match(/"event":"StrategyLoaded"[^\n]*/g) ?? []
      assert.strictEqual(strategies.length, 2)
      writeFileSync(join(cwd, "ladder.yaml"), ladder(500))
      await again.says('"amount":"500000000"')
      again.signal("SIGTERM")
      const { code, stderr } = await again.ended
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, "the last ones keep running")
    }
  )

  it("do not stop the kill switch, nor does a configuration with a mistake", async () => {
    const cwd = workspace(await startStill(), { "ladder.yaml": ladder(1000) })
    const config = join(cwd, "config.yaml")
    const bot = startHere(["run", "ladder.yaml", "--config", "config.yaml", "--json"], { cwd })
    await bot.says('"DepositSeen"')
    const good = readFileSync(config, "utf8")
    for (const mistake of ["decimals: many", "decimals: [8"]) {
      writeFileSync(config, good.replace("decimals: 8", mistake))
      const said = await runHere(["kill", "--config", "config.yaml"], { cwd })
      assert.strictEqual(said.code, 0, said.stderr)
    }
    await bot.says('"CancelRequested"')
    writeFileSync(config, good.replace("journal: journal.sqlite", "journal: elsewhere.sqlite\nunknown: 1"))
    assertSays(await runHere(["kill", "--config", "config.yaml"], { cwd }), 1, /unknown/)
    bot.signal("SIGTERM")
    await bot.ended
  })

  for (const [what, change] of firstOf(1, [
    ["is gone", (file: string) => rmSync(file)],
    ["has a mistake", (file: string) => writeFileSync(file, "name: [")],
    ["has the name of another", (file: string) => writeFileSync(file, gridText)]
  ] as const))
    it(`do not stop the kill switch if one ${what}`, async () => {
      const cwd = workspace(await startStill(), { "ladder.yaml": ladder(1000), "grid.yaml": gridText })
      const files = ["ladder.yaml", "grid.yaml", "--config", "config.yaml"]
      const bot = startHere(["run", ...files, "--json"], { cwd })
      // A payment that the end of the bot interrupts stays in doubt until its time is over: here all are answered before.
      await bot.says('"DepositSeen"', 22)
      bot.signal("SIGTERM")
      await bot.ended
      change(join(cwd, "ladder.yaml"))
      assert.strictEqual((await runHere(["kill", "--config", "config.yaml"], { cwd })).code, 0)
      const last = await startHere(["run", ...files, "never.yaml", "--for", "1s", "--cancel-on-exit"], { cwd }).ended
      assert.strictEqual(last.code, 0, last.stderr)
      const orders: ReadonlyArray<{ readonly state: string }> = JSON.parse(
        (await runHere(["orders", "--json", "--config", "config.yaml"], { cwd })).stdout
      )
      assert.deepStrictEqual(
        orders.filter(({ state }) => state !== "settled"),
        []
      )
    })

  it.skipIf(!isLong)("that plan refuses are refused at a start and as an edit, until allowed by name", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox, { "ladder.yaml": ladder(1000, 2_000_000) })
    const live = ["run", "ladder.yaml", "--config", "config.yaml", "--json"]
    assertSays(await runHere(live, { cwd }), 1, /over-commit: ladder needs? 2000000 USDC/)
    assert.deepStrictEqual(await ordersAt(sandbox), [])
    const allowed = startHere([...live, "--allow", "over-commit"], { cwd })
    await allowed.says('"DepositSeen"')
    allowed.signal("SIGTERM")
    await allowed.ended
    // Nobody may be there to allow it again: a file that ran as it is goes on.
    const again = startHere(live, { cwd })
    await again.says('"Decided"')
    writeFileSync(join(cwd, "ladder.yaml"), ladder(1000, 3_000_000))
    await again.says(/"StrategiesRefused".*limitbot reload --allow over-commit/)
    await runHere(["reload", "--allow", "over-commit", "--config", "config.yaml"], { cwd })
    await again.says('"amount":"3000000000000"')
    again.signal("SIGTERM")
    assert.strictEqual((await again.ended).code, 0)
  })

  it("are not traded while certificates are not verified", async () => {
    const cwd = workspace(await startStill())
    const environment = { NODE_TLS_REJECT_UNAUTHORIZED: "0" }
    const live = await run(["run", "grid.yaml", "--config", "config.yaml"], { cwd, environment })
    assert.match(live.stderr, /NODE_TLS_REJECT_UNAUTHORIZED is 0/)
    assert.strictEqual(live.code, 1)
  })
})
