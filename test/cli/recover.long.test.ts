/** A lost journal: what the venue can prove is there again, and nothing is placed or funded a second time. */
import { renameSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  assertSays,
  nowhere,
  ordersAt,
  runHere,
  runUntil,
  startHere,
  startStill,
  workspace
} from "../world/processes/program.ts"

const config = ["--config", "config.yaml"]

describe("limitbot journal recover", () => {
  it("restores the same open orders and balances, and says what it cannot know", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox)
    const first = await runUntil('"DepositSeen"', 20, ["run", "grid.yaml", ...config, "--json"], { cwd }, startHere)
    assert.strictEqual(first.code, 0, first.stderr)
    const json = async <A>(command: string): Promise<A> =>
      JSON.parse((await runHere([command, ...config, "--json"], { cwd })).stdout)
    const slots = async () =>
      (await json<ReadonlyArray<{ slot: string; orderId: string; state: string }>>("orders"))
        .filter(({ state }) => state === "open")
        .map(({ slot, orderId }) => `${slot} ${orderId}`)
        .sort()
    const before = await slots()
    const money = async () => (await json<{ places: ReadonlyArray<unknown> }>("money")).places
    /** Each amount once, even if an ended order has returned it and the next one holds it. */
    const saysTheMoney = async (recovered: { money: ReadonlyArray<unknown>; notCounted: ReadonlyArray<unknown> }) => {
      const { notCounted, places } = await json<{ places: ReadonlyArray<unknown>; notCounted: unknown }>("money")
      assert.deepStrictEqual([recovered.money, recovered.notCounted], [places, notCounted])
    }
    const places = await money()
    assert.lengthOf(before, 20)
    assert.lengthOf(await ordersAt(sandbox), 20)
    assertSays(
      await runHere(["journal", "recover", "grid.yaml", ...config], { cwd }),
      1,
      /a journal has more than the venue/
    )

    const lose = (copy: string) => {
      for (const end of ["", "-wal", "-shm"]) {
        try {
          renameSync(join(cwd, `journal.sqlite${end}`), join(cwd, `${copy}.sqlite${end}`))
        } catch {
          // Not every file is there once the program has ended.
        }
      }
    }
    lose("lost")
    const recovered = await runHere(["journal", "recover", "grid.yaml", ...config, "--json"], { cwd })
    assert.strictEqual(recovered.code, 0, recovered.stderr)
    const said = JSON.parse(recovered.stdout)
    assert.lengthOf(said.orders, 20)
    assert.isAbove(said.unknown.length, 0)
    assert.deepStrictEqual(await slots(), before)
    assert.deepStrictEqual(await money(), places, "the same money in the same places")
    await saysTheMoney(said)
    assert.deepStrictEqual((await json<{ frozen: ReadonlyArray<unknown> }>("status")).frozen, [])
    const verified = await runHere(["journal", "verify", ...config], { cwd })
    assert.strictEqual(verified.code, 0, verified.stderr)

    const again = await runHere(["run", "grid.yaml", ...config, "--for", "4s"], { cwd })
    assert.strictEqual(again.code, 0, again.stderr)
    assert.deepStrictEqual(await slots(), before)
    assert.lengthOf(await ordersAt(sandbox), 20, "nothing was created anew")

    // With `--beside` the other bot's orders stay its own.
    lose("other")
    const beside = await runHere(["journal", "recover", "grid.yaml", ...config, "--beside", "other.sqlite", "--json"], {
      cwd
    })
    assert.strictEqual(beside.code, 0, beside.stderr)
    const { orders: taken, ofOthers } = JSON.parse(beside.stdout)
    assert.deepStrictEqual([taken, ofOthers], [[], 20])

    // Without files every order is tracked under another name; its fees are known again once it has ended.
    lose("again")
    const bare = JSON.parse((await runHere(["journal", "recover", ...config, "--json"], { cwd })).stdout)
    const ids = (all: ReadonlyArray<string>) => all.map((each) => each.split(" ")[1] ?? "").sort()
    assert.deepStrictEqual(bare.orders.map(({ order }: { order: string }) => order).sort(), ids(before))
    assert.strictEqual(bare.money.find(({ place }: { place: string }) => place === "in order") !== undefined, true)
    // Another account of the API key has none of these orders.
    const stranger = { cwd: workspace(sandbox, { "account.key": `${nowhere.account.key}\n` }) }
    const foreign = await runHere(["journal", "recover", ...config, "--json"], stranger)
    assert.strictEqual(foreign.code, 0, foreign.stderr)
    const { finished, orders, unfunded } = JSON.parse(foreign.stdout)
    assert.deepStrictEqual([finished, orders, unfunded], [0, [], []])
    const ended = await runHere(["run", "grid.yaml", ...config, "--for", "1s", "--cancel-on-exit"], { cwd })
    assert.strictEqual(ended.code, 0, ended.stderr)
    const fees = async () => (await json<{ fees: ReadonlyArray<{ kind: string }> }>("money")).fees
    lose("ended")
    const last = JSON.parse((await runHere(["journal", "recover", ...config, "--json"], { cwd })).stdout)
    assert.deepStrictEqual(last.orders, [])
    await saysTheMoney(last)
    assert.deepStrictEqual(
      last.notCounted.map(({ strategy }: { strategy: string }) => strategy),
      ["ended", "ended"]
    )
    assert.deepStrictEqual(
      last.money.map(({ place }: { place: string }) => place),
      ["fees", "fees"]
    )
    assert.isAtLeast(last.finished, 20)
    assert.isAbove((await fees()).filter(({ kind }) => kind === "paid").length, 0)
  })
})
