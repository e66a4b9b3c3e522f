/** Writes the files of `limitbot init --kind code`: a strategy file, its code, and a test of it, for the user to continue. */
import { Console, Effect, FileSystem, Path } from "effect"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as OwnKind from "../../strategy/own/OwnKind.ts"
import { commandFailed } from "../CommandFailed.ts"

interface Named {
  readonly name: string
  readonly market: string
}

const strategyText = ({ market, name }: Named): string => `name: ${name}
market: ${market}
kind: ./${name}.ts  # the code beside this file

limits:
  budget: { quote: 100 }  # the most that it may use

${name}:
  size: { quote: 50 }  # of each purchase
  away: 1%
`

const codeText =
  (): string => `/** Buys \`away\` below the highest mid that it has seen, and sells what it bought as far above: again and again. */
import type { Own } from "limitbot/strategy"

const keys = {
  size: { is: "size", says: "of each purchase" },
  away: { is: "ratio", otherwise: "1%", says: "how far from the middle it buys and sells" }
} as const

export default {
  about: "buys below and sells above",
  keys,
  decide: (view, { size, away }, memory) => {
    const slot = "one"
    // Alternates between a purchase and a sale. While it holds what it bought, the prices stay.
    const isHolding = view.slot(slot).done.legs % 2 === 1
    // The strategy knows its last answer only from its memory.
    const last = typeof memory === "number" ? memory : view.mid
    const middle = !isHolding && view.mid > last * (1 + away / 2) ? view.mid : last
    const legs = [
      { side: "buy", price: middle * (1 - away), size },
      { side: "sell", price: middle * (1 + away) }
    ] as const
    return {
      orders: [{ slot, legs, cycle: true, why: \`\${(away * 100).toFixed(2)}% from \${middle.toFixed(2)}\` }],
      memory: middle,
      // The answer holds until this time, so the bot does not call the strategy earlier.
      until: isHolding ? { fill: true } : { above: middle * (1 + away / 2), fill: true }
    }
  }
} satisfies Own<typeof keys>
`

const testText = ({ name }: Named): string => `// node --test ${name}.test.mts
import assert from "node:assert"
import { join } from "node:path"
import { test } from "node:test"
import { trialOf } from "limitbot/strategy"

const trial = trialOf(join(import.meta.dirname, "${name}.yaml"))

test("the bot would take it", () => {
  assert.deepStrictEqual(trial.problems, [])
})

test("it buys below the mid", () => {
  const { orders, until } = trial.decide({ mid: 100 })
  assert.deepStrictEqual(
    orders.flatMap(({ legs }) => legs.map(({ side, price }) => [side, price])),
    [
      ["buy", "99"],
      ["sell", "101"]
    ]
  )
  assert.deepStrictEqual(until, { above: "100.5", fill: true })
})
`

export const fileExists = (file: string) =>
  commandFailed(`${file} exists, nothing was written: name another file, or add --overwrite`)

export const write = Effect.fn("CodeFiles.write")(function* (file: string, market = "BTC/USDC", overwrite: boolean) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const name = path.basename(file).replace(/\.ya?ml$/, "")
  if (OwnKind.nameOfPath(`./${name}.ts`) === undefined)
    return yield* wrongUsage(
      `${name} cannot name a strategy of your own: begin with a small letter, and use letters, digits and dashes`
    )
  const strategyFacts = { name: name.toLowerCase(), market }
  const texts = [
    [file, strategyText(strategyFacts)],
    [path.join(path.dirname(file), `${strategyFacts.name}.ts`), codeText()],
    [path.join(path.dirname(file), `${strategyFacts.name}.test.mts`), testText(strategyFacts)]
  ] as const
  for (const [each] of texts) if (!overwrite && (yield* fileSystem.exists(each))) return yield* fileExists(each)
  for (const [each, text] of texts) yield* fileSystem.writeFileString(each, text)
  yield* Console.log(`Wrote ${texts.map(([each]) => each).join(", ")}.`)
  yield* Console.log(`Next: limitbot check ${file}`)
})
