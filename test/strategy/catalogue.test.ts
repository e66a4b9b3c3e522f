/**
 * The catalogue: every file is right, trades in a backtest, is named on the page and has its picture in the gallery.
 * `npm run gallery` draws the pictures anew.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as Generate from "../../src/candles/Generate.ts"
import * as Backtest from "../../src/lab/backtest/Backtest.ts"
import { noCosts } from "../../src/lab/backtest/kernel/FillPresets.ts"
import { picture } from "./picture.ts"
import { strategyOf } from "./support.ts"

const folder = "strategies/catalogue"
const gallery = "docs/gallery"
const draws = process.env["LIMITBOT_GALLERY"] === "write"
const files = readdirSync(folder).map((file) => [file.replace(".yaml", ""), readFileSync(`${folder}/${file}`, "utf8")])

/** Every file with what it says about itself, and its picture. */
const galleryPage = (): string => {
  const entries = files.map(([name = "", text = ""]) => {
    const about = /^# yaml-language-server[^\n]*\n# ([^\n]*)/.exec(text)?.[1] ?? ""
    return `## ${name}\n\n${about} [\`${name}.yaml\`](../../strategies/catalogue/${name}.yaml)\n\n![${name}](${name}.svg)\n`
  })
  return `# Gallery

Each file of the [catalogue](../strategies.md#catalogue) on the same three weeks of generated prices: the price, where orders rested
(green to buy, red to sell), and where they filled. What they earn there says nothing about your market. \`npm run gallery\` draws it.

${entries.join("\n")}`
}

if (draws) {
  mkdirSync(gallery, { recursive: true })
  writeFileSync(`${gallery}/README.md`, galleryPage())
}

/** Three weeks of five minutes around 2,000, the end of a month among them. */
const candles = Generate.generate({
  bars: 6_048,
  seed: 12,
  startMillis: Date.UTC(2021, 0, 20),
  stepMillis: 300_000,
  startPrice: 2_000
})
const input = { candles, indices: CrossingIndex.linearIndices(candles) }

/** The same weeks of BTC, for strategies that look at it. */
const btc = Generate.generate({
  bars: 6_048,
  seed: 13,
  startMillis: Date.UTC(2021, 0, 20),
  stepMillis: 300_000,
  startPrice: 32_000
})
const watched = { candles: btc, indices: CrossingIndex.linearIndices(btc) }

describe("the catalogue", () => {
  it("has at least thirty strategies, named like their files, each on the page", () => {
    assert.isAtLeast(files.length, 30)
    const page = readFileSync("docs/strategies.md", "utf8")
    for (const [name = "", text = ""] of files) {
      assert.include(text, `\nname: ${name}\n`)
      assert.match(text, /^# yaml-language-server[^\n]*\n# \S/, name)
      assert.include(page, `catalogue/${name}.yaml`)
      if (!draws) assert.isTrue(existsSync(`${gallery}/${name}.svg`), `${name} has no picture: npm run gallery`)
    }
  })

  it.each(files)("has a valid %s, which trades in a backtest", (name, text) => {
    const strategy = strategyOf(text ?? "")
    assert.isUndefined(strategy.warnings, name)
    assert.isUndefined(strategy.notLive, name)
    const options = { costs: noCosts, changes: {}, keepsOrders: draws }
    const others = (strategy.watched ?? []).map(() => ({ ...watched, options }))
    const { outcome } = Backtest.runAll(strategy, [{ ...input, options }, ...others], "optimistic")
    assert.isAbove(outcome.counts.placed, 0, `${name} placed nothing`)
    assert.isTrue(outcome.base >= 0n && outcome.quote >= 0n, name)
    if (draws) writeFileSync(`${gallery}/${name}.svg`, picture(name ?? "", candles, outcome))
  })
})
