/** The schemas for editors: current, right about every shipped file, and refusing what is wrong in itself. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { parse } from "yaml"
import * as ConfigFile from "../../src/files/ConfigFile.ts"
import { schema } from "../../src/strategy/StrategyFile.ts"
import { goodGrid, goodLadder, goodThirds, type WrongFile, wrongFiles } from "./wrongFiles.ts"

const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: false })
const isStrategy = ajv.compile(schema())
const isConfig = ajv.compile(ConfigFile.schema())

const textOf = (file: string): string => readFileSync(file, "utf8")

describe("the JSON Schema", () => {
  it("in the repository is what the program prints: limitbot init --schema strategy|config", () => {
    const stored = (name: string): unknown => JSON.parse(textOf(`config/schema/${name}.schema.json`))
    assert.deepStrictEqual(stored("strategy"), JSON.parse(JSON.stringify(schema())))
    const config: unknown = JSON.parse(JSON.stringify(ConfigFile.schema()))
    assert.deepStrictEqual(stored("config"), config, "print it again: limitbot init --schema config")
  })

  it.each(readdirSync("strategies").filter((file) => file.endsWith(".yaml")))(
    "accepts strategies/%s, which names it",
    (name) => {
      const text = textOf(`strategies/${name}`)
      assert.match(text, /^# yaml-language-server: \$schema=\.\.\/config\/schema\/strategy\.schema\.json\n/)
      isStrategy(parse(text))
      assert.deepStrictEqual(isStrategy.errors ?? [], [])
    }
  )

  it("accepts the example configuration, which names it", () => {
    const text = textOf("config/example.yaml")
    assert.match(text, /^# yaml-language-server: \$schema=schema\/config\.schema\.json\n/)
    isConfig(parse(text))
    assert.deepStrictEqual(isConfig.errors ?? [], [])
  })

  it("refuses what is wrong about a strategy without knowledge of prices and assets", () => {
    assert.isTrue(isStrategy(parse(goodGrid)) && isStrategy(parse(goodLadder)))
    const visible = /^\d+:\d+ (unknown key|missing key|expected |"\w+" has no value|the section|the list is empty)/
    // Numbers that YAML itself reads, sums of days, expressions, and which assets there are, are beyond a schema.
    const hidden = /: (1e3|0x10|9{50,}|99999d)/
    const isOfAssets = ({ file, says }: WrongFile) => file === goodThirds && / unknown key/.test(says[0] ?? "")
    const shown = wrongFiles
      .filter(({ says }) => says.some((each) => visible.test(each)))
      .filter((wrong) => !hidden.test(wrong.is) && !wrong.file.includes("kind: rules") && !isOfAssets(wrong))
    const missed = shown.filter(({ file, was, is }) =>
      isStrategy(
        parse(
          file.replace(was, () => is),
          { uniqueKeys: false }
        )
      )
    )
    assert.isTrue(shown.length > 80, `${shown.length} wrong files`)
    assert.deepStrictEqual(
      missed.map(({ is, says }) => `${is}: ${says[0]}`),
      []
    )
  })

  it.each([
    ["a secret in the file", "apiKey: { env: LIMITBOT_API_KEY }", "apiKey: abcdef"],
    ["an unknown key", "ledger: native", "legder: native"],
    ["a wrong choice", "depositType: INTENTS", "depositType: CASH"],
    ["a number out of range", "decimals: 18", "decimals: 81"],
    ["a missing part", "assets:\n", "asset:\n"],
    ["a price of zero", "tick: 0.01", "tick: 0"]
  ])("refuses %s in a configuration", (_, was, is) => {
    const text = textOf("config/example.yaml")
    assert.include(text, was)
    assert.isFalse(isConfig(parse(text.replace(was, is))))
  })
})
