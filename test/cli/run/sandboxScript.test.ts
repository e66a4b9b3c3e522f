/** `limitbot sandbox --script FILE`: prices, fills and time as a file says, and its mistakes with their places. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../../long.ts"
import { assertSays, gridText, newFolder, type Program, runHere, startHere } from "../../world/processes/program.ts"

interface Market {
  readonly at: number
  readonly prices: Readonly<Record<string, number>>
}

const inFolder = (script: string) => {
  const cwd = newFolder()
  writeFileSync(join(cwd, "path.yaml"), script)
  return cwd
}

/** A sandbox that plays the script, and its address. */
const play = async (script: string, ...more: ReadonlyArray<string>) => {
  const cwd = inFolder(script)
  const program = startHere(["sandbox", "--port", "0", "--script", "path.yaml", ...more], { cwd })
  await program.says(/Sandbox at (\S+):/)
  return { cwd, program, url: /Sandbox at (\S+):/.exec(program.stdout())?.[1] ?? "" }
}

const market = async (url: string): Promise<Market> => (await fetch(`${url}/sandbox/market`)).json()

const end = async (program: Program) => {
  program.signal("SIGINT")
  return program.ended
}

const wrong = [
  [
    "- prices: { BTC/DOGE: 1 }",
    /path\.yaml:1:13: expected a market of the sandbox such as BTC\/USDC, found "BTC\/DOGE"/
  ],
  ["- prices: { BTC/USDC: 59,400 }", /path\.yaml:1:25: "400"? has no value|path\.yaml:1:\d+: /],
  [
    "- wait: 10",
    /path\.yaml:1:9: expected a duration such as 30s, 5m, 6h or 7d, found "10"\n[\s\S]*= write 10s for seconds/
  ],
  ["- at: 1m\n- price: { BTC/USDC: 1 }", /path\.yaml:2:3: unknown key "price"\n[\s\S]*did you mean "prices"\?/],
  ["- fill: { side: BUY }", /path\.yaml:1:17: expected buy or sell, found "BUY"/],
  ["- {}", /path\.yaml:1:3: an empty step/],
  ["prices: { BTC/USDC: 1 }", /path\.yaml:1:1: expected a list, found a mapping/],
  ["- fill: {", /path\.yaml:1:\d+: brackets or braces are not closed/]
] as const

describe.concurrent("limitbot sandbox --script", () => {
  it("plays its steps in order, prints each, and leaves prices at the last step", async () => {
    const { cwd, program, url } = await play(
      "- prices: { BTC/USDC: 61000, SOL/USDC: 140.5 }\n- wait: 1s\n  prices: { BTC/USDC: 59000 }\n- advance: 2h\n"
    )
    await program.says("this was the last step")
    const { at, prices } = await market(url)
    assert.deepStrictEqual([prices["BTC"], prices["SOL"], prices["ETH"]], [59_000, 140.5, 2_500])
    assert.approximately(at - Date.now(), 2 * 3_600_000, 60_000)
    const { code, stdout, stderr } = await end(program)
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.deepStrictEqual(stdout.split(`${cwd}/`).slice(1), [
      "path.yaml:1: prices: { BTC/USDC: 61000, SOL/USDC: 140.5 }\n",
      "path.yaml:2: wait: 1s prices: { BTC/USDC: 59000 }\n",
      "path.yaml:4: advance: 2h\n",
      "path.yaml: this was the last step; prices stay as they are\n"
    ])
  })

  it.for(wrong)("%s: is refused with line and column", async ([script, message]) => {
    assertSays(await runHere(["sandbox", "--script", "path.yaml"], { cwd: inFolder(script) }), 1, message)
  })

  it("is refused with a state file, and if the script is missing", async () => {
    const cwd = inFolder("- advance: 1h\n")
    const both = await runHere(["sandbox", "--script", "path.yaml", "--state", "state"], { cwd })
    assertSays(both, 2, /--script and --state exclude each other/)
    assertSays(await runHere(["sandbox", "--script", "no.yaml"], { cwd }), 1, /no\.yaml cannot be read/)
  })

  it.skipIf(!isLong)("fills a bot's orders in part and in full once they are there", async () => {
    const { cwd, program } = await play(
      `- prices: { BTC/USDC: 60050 }
- orders: 20
- fill: { market: BTC/USDC, side: buy, price: 59500, quantity: 0.002 }
- fill: { market: BTC/USDC, side: sell, price: 61000 }
`,
      "--write-config",
      "config.yaml"
    )
    writeFileSync(join(cwd, "grid.yaml"), gridText)
    const bot = startHere(
      ["run", "grid.yaml", "--allow", "fee-floor", "--config", "config.yaml", "--poll", "0.3s", "--json"],
      { cwd }
    )
    await bot.says('"event":"FillSeen"', 2)
    bot.signal("SIGINT")
    assert.strictEqual((await bot.ended).code, 0)
    const said = await runHere(["fills", "--config", "config.yaml", "--json"], { cwd })
    const fills: ReadonlyArray<Record<"slot" | "side" | "price" | "paid" | "received", string>> = JSON.parse(
      said.stdout
    )
    assert.deepStrictEqual(
      // Both are seen in one poll or in two, so their order is not certain.
      fills
        .map(({ paid, price, received, side, slot }) => [slot, side, price, paid, received])
        .toSorted(([one = ""], [other = ""]) => one.localeCompare(other)),
      [
        ["grid/cell-05", "BUY", "59500", "119", "0.002"],
        ["grid/cell-19", "SELL", "61000", "0.005", "305"]
      ]
    )
    assert.strictEqual((await end(program)).code, 0)
  })
})
