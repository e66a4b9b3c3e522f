/** The operator's word on money that only they can know of: without a bot, and taken up by a running one. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { writeDoubtful } from "../../world/bot/doubtful.ts"
import { assertSays, runHere, startHere, startStill, workspace } from "../../world/processes/program.ts"

const config = ["--config", "config.yaml"]

describe("limitbot resolve", () => {
  it("lists unclear payments and records the operator's resolution, with and without a running bot", async () => {
    const cwd = workspace(await startStill())
    await writeDoubtful(join(cwd, "journal.sqlite"), 2)

    const listed = await runHere(["resolve", "--json", ...config], { cwd })
    const { problems } = JSON.parse(listed.stdout)
    assert.deepStrictEqual(
      problems.map(({ evidence, since, ...problem }: Record<string, unknown>) => problem),
      ["p1", "p2"].map((placement, index) => ({
        kind: "in-doubt",
        placement,
        slot: `grid/old-${index + 1}`,
        asset: "USDC",
        amount: "100"
      }))
    )
    assert.include(problems[0].evidence, "intent hash hash-1")
    const shown = (await runHere(["resolve", ...config], { cwd })).stdout
    assert.include(shown, "limitbot resolve p1 --paid | --not-paid | --forget\n", "the words that are accepted")
    const money = async () => JSON.parse((await runHere(["status", "--json", ...config], { cwd })).stdout).money
    const place = (rows: ReadonlyArray<Record<string, string>>, name: string) =>
      rows.find(({ asset, place }) => asset === "USDC" && place === name)?.["amount"]
    assert.strictEqual(place(await money(), "in doubt"), "200")

    assertSays(
      await runHere(["resolve", "p1", ...config], { cwd }),
      2,
      /Use one of --paid, --not-paid, --adopt, --forget/
    )
    assertSays(await runHere(["resolve", "p9", "--paid", ...config], { cwd }), 1, /p9 has no problem/)
    assertSays(await runHere(["resolve", "p1", "--adopt", ...config], { cwd }), 1, /not a contradiction/)
    const word = await runHere(["resolve", "p1", "--not-paid", "--json", ...config], { cwd })
    assert.deepStrictEqual(JSON.parse(word.stdout), { resolved: "p1", word: "not-paid", by: "journal" })
    assert.strictEqual(place(await money(), "in doubt"), "100")
    assert.strictEqual(place(await money(), "wallet"), "900")

    const bot = startHere(["run", "grid.yaml", ...config], { cwd })
    await bot.says("the order is open")
    const handed = await runHere(["resolve", "p2", "--forget", "--because", "seen on the explorer", ...config], { cwd })
    assert.include(handed.stdout, "p2: taken as written off: its money counts as lost, by the running bot")
    assert.strictEqual(place(await money(), "lost"), "100")
    const beside = await runHere(["swap", "0.001", "BTC", "USDC", "--yes", ...config], { cwd })
    assertSays(beside, 1, /A bot \(process \d+\) works with .*only one may pay from it/)
    bot.signal("SIGINT")
    await bot.ended
    await runHere(["kill", "test", ...config], { cwd })
    assertSays(await runHere(["swap", "0.001", "BTC", "USDC", "--yes", ...config], { cwd }), 1, /kill switch is on/)
    assert.include(
      (await runHere(["resolve", ...config], { cwd })).stdout,
      "Nothing is in doubt, frozen or contradictory."
    )
  })
})
