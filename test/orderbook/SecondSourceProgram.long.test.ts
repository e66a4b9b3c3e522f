/** A second source of prices that is a program of the owner's: what its answers mean, and that its silence concludes nothing. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import * as SecondSourceProgram from "../../src/orderbook/SecondSourceProgram.ts"
import { firstOf, isLong } from "../long.ts"
import { type Badness, badScripts, program } from "../world/processes/badPrograms.ts"
import { configText, newFolder, runHere, start, startStill, workspace } from "../world/processes/program.ts"
import { until } from "../world/processes/runningBot.ts"

const usdc = { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
const market = { name: "BTC/USDC", base: { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 }, quote: usdc }

/** What it says, and what the log says of it. */
const asked = (script: string, times = 1) =>
  Effect.gen(function* () {
    const said: Array<unknown> = []
    const heard = Logger.layer([Logger.make(({ message }) => void said.push(...[message].flat()))])
    const source = SecondSourceProgram.layer({ program: program(script), args: [] }).pipe(
      Layer.provide(NodeServices.layer)
    )
    const ask = Effect.gen(function* () {
      const ownPrices = yield* SecondSourceProgram.OwnPrices
      return yield* Effect.forEach(Array.from({ length: times }), () => ownPrices(market))
    })
    const listed = yield* Effect.provide(ask, Layer.merge(source, heard))
    return { listed: listed.at(-1), said: said.join("\n") }
  })

const now = new Date().toISOString()
const old = new Date(Date.now() - 16 * 60_000).toISOString()

describe("a price program", () => {
  it.live("gets the market as one line, and returns a price with its time", () =>
    Effect.gen(function* () {
      const file = join(newFolder(), "asked")
      const { listed, said } = yield* asked(`cat > ${file}; echo '{"price": "60123.45", "at": "${now}"}'`)
      assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8")), {
        version: 1,
        market: "BTC/USDC",
        base: "BTC",
        quote: "USDC"
      })
      assert.deepStrictEqual(listed, { mid: 60123.45, at: Date.parse(now), by: "your price program" })
      assert.strictEqual(said, "")
    })
  )

  const answers: ReadonlyArray<readonly [name: string, answer: string, mid: number | undefined, said: RegExp]> = [
    ["a number", '{"price": 0.5, "more": true}', 0.5, /^$/],
    ["no price of this market", '{"price": null}', undefined, /^$/],
    ["an old price", `{"price": "1", "at": "${old}"}`, undefined, /^$/],
    ["zero", '{"price": 0}', undefined, /printed no \{"price": …/],
    ["a price below zero", '{"price": "-3"}', undefined, /printed no \{"price": …/],
    ["no price", '{"price": "many"}', undefined, /printed no \{"price": …/],
    ["too large a number", '{"price": 1e999}', undefined, /printed no \{"price": …/],
    ["a bare number", "60000", undefined, /printed no \{"price": …/],
    ["an invalid time", '{"price": 1, "at": "yesterday"}', undefined, /printed an invalid time: yesterday/]
  ]
  it.live.each(answers)("that returns %s", ([, answer, mid, said]) =>
    Effect.gen(function* () {
      const found = yield* asked(`echo '${answer}'`)
      assert.strictEqual(found.listed?.mid, mid)
      assert.match(found.said, said)
    })
  )

  /** The same for all: no price, and one line that says that the token list serves meanwhile. */
  it.live.each(firstOf(2, Object.keys(badScripts) as ReadonlyArray<Badness>))("that %s returns no price", (badness) =>
    Effect.gen(function* () {
      const { listed, said } = yield* asked(badScripts[badness])
      assert.isUndefined(listed)
      assert.match(
        said,
        /program\.sh (printed|did not end|ended|was ended).*; the token list replaces it as the second source of prices/
      )
    })
  )

  it.live("runs once for quick repeated reads, and its failure is reported once", () =>
    Effect.gen(function* () {
      const file = join(newFolder(), "tries")
      const { said } = yield* asked(`echo >> ${file}; exit 1`, 3)
      assert.strictEqual(readFileSync(file, "utf8"), "\n")
      assert.lengthOf(said.split("\n"), 1)
    })
  )

  it("that disagrees keeps a market without a price; one that agrees or fails does not", async () => {
    const sandbox = await startStill()
    const shown = async (script: string) => {
      const folder = workspace(sandbox, {
        "config.yaml": `${configText(sandbox)}prices: { command: [${program(script)}] }\n`
      })
      const { stderr, stdout } = await runHere(["book", "BTC/USDC", "--config", join(folder, "config.yaml")])
      return stdout + stderr
    }
    const doubt = /your price program/
    assert.match(await shown("echo '{\"price\": 1}'"), /its price of \S+ is \S+ % above your price program's/)
    const price = /(\d{5})[.\d]* /.exec(await shown("exit 1"))?.[1] ?? ""
    assert.notMatch(await shown("exit 1"), doubt)
    assert.notMatch(await shown(`echo '{"price": "${price}"}'`), doubt)
  })

  it.skipIf(!isLong)("that disagrees stops a running bot's payments, until it agrees", async () => {
    const sandbox = await startStill()
    const folder = workspace(sandbox, {
      "config.yaml": `${configText(sandbox)}prices: { within: 9%, command: [cat, answer.json] }\n`
    })
    const answer = (text: string) => writeFileSync(join(folder, "answer.json"), text)
    answer('{"price": 1}')
    const config = ["--config", join(folder, "config.yaml")]
    const bot = start(["run", join(folder, "grid.yaml"), ...config, "--poll", "0.3s"], { cwd: folder })
    await bot.says(/BTC\/USDC has no price, .* above your price program's/)
    assert.strictEqual((await runHere(["orders", ...config])).stdout.match(/grid\/cell/), null)
    answer('{"price": 60000}')
    await until("orders rest", async () => /cell-\d+/.test((await runHere(["orders", ...config])).stdout))
    bot.signal("SIGTERM")
    await bot.ended
  })
})
