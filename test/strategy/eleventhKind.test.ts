/**
 * A kind is one declaration: an eleventh one, declared here alone, is read with the places of its mistakes, described to
 * editors and on the page, asked for by `init`, and searched by a sweep.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Result } from "effect"
import { parse as yaml } from "yaml"
import { mistakeIn, strategyText } from "../../src/app/init/InitText.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { hourMillis } from "../../src/domain/Durations.ts"
import type { Market } from "../../src/domain/Market.ts"
import * as SweepSpace from "../../src/lab/backtest/search/SweepSpace.ts"
import * as Read from "../../src/strategy/Fields.ts"
import { form, type Kind } from "../../src/strategy/Kind.ts"
import { tickPrice } from "../../src/strategy/kinds/PriceLevels.ts"
import { quantityAt, size } from "../../src/strategy/kinds/Size.ts"
import { kinds } from "../../src/strategy/kinds.ts"
import { report } from "../../src/strategy/Problem.ts"
import * as Ask from "../../src/strategy/Setup.ts"
import { parse, schema } from "../../src/strategy/StrategyFile.ts"
import { keyRows, tableLine } from "../../tools/reference/keyTable.ts"
import { decideAt, markets, price } from "./support.ts"

const keys = (market: Market) => ({
  side: Read.withDefault(Read.side, "BUY", "of the order"),
  price: Read.required(tickPrice(market), "where it rests"),
  size: Read.required(size(market), "of the order"),
  within: Read.withDefault(Read.ratioOrZero, Decimal.zero, "how far the price may move"),
  wait: Read.withDefault(Read.duration, hourMillis, "until it is placed"),
  least: Read.optional(Read.price, "places nothing below this price", "any price")
})

const pulse: Kind = {
  name: "pulse",
  about: "one order after a while",
  restsAtWrittenPrices: true,
  setup: (market) =>
    Ask.setupOf(keys(market), {
      asks: [Ask.total(market.quote, "that it may use in all"), "price", "size"],
      budget: (answer) => ({ quote: answer("budget") }),
      lines: {
        price: { ask: Ask.price(`Price, ${Ask.per(market)}`, () => 0.9), note: true },
        size: { ask: Ask.share(market.quote, "to spend", () => 1), is: Ask.quoteSize },
        wait: { is: "30m" },
        least: { hint: "50000" }
      }
    }),
  ...form(keys, (whole, { at, to }) => {
    const { market, side, least, wait } = whole
    if (least !== undefined && Decimal.isLess(whole.price, least)) report(to, at("least"), "least is above the price")
    const leg = { side, price: whole.price, quantity: quantityAt(market, whole.size, whole.price) }
    return {
      decide: ({ now }) => {
        const why = { code: "pulse", text: `after ${wait} ms`, source: whole.keys("wait") }
        const isDue = now >= wait
        return {
          desired: isDue ? [{ slot: "pulse", legs: [leg], cycle: false, why }] : [],
          absent: isDue ? [] : [{ slot: "pulse", why }],
          memory: null,
          reasons: [],
          until: { onFill: false, ...(isDue ? {} : { time: wait }) }
        }
      }
    }
  })
}

const eleven = [...kinds, pulse]
const file = `name: eleventh
market: BTC/USDC
kind: pulse
limits: { budget: { quote: 1000 } }
pulse:
  price: 50000
  size: { quote: 100 }
  wait: 2h
`

const problemsOf = (text: string): ReadonlyArray<string> => {
  const read = parse(text, "pulse.yaml", markets, eleven)
  return Result.isSuccess(read)
    ? []
    : read.failure.map(({ line, column, message, hint }) => `${line}:${column} ${message} | ${hint ?? ""}`)
}

describe("an eleventh kind", () => {
  it("is read with its defaults, decides, and its reasons point to its keys", () => {
    const strategy = Result.getOrThrow(parse(file, "pulse.yaml", markets, eleven))
    const early = decideAt(strategy, price("60000"))
    assert.deepStrictEqual([early.absent[0]?.why.source, early.until.time], ["pulse.yaml:8", 2 * hourMillis])
    const [slot] = decideAt(strategy, price("60000"), null, new Map(), 2 * hourMillis).desired
    assert.deepStrictEqual(slot?.legs, [{ side: "BUY", price: price("50000"), quantity: 200_000n }])
    assert.isTrue(strategy.restsAtWrittenPrices)
    assert.isUndefined(strategy.namesEverySlot)
  })

  it("reports mistakes with their places, across keys as well", () => {
    assert.deepStrictEqual(problemsOf(file.replace("  price: 50000\n", "")), [
      '6:3 missing key "price" | price: where it rests (a price above zero)'
    ])
    assert.deepStrictEqual(problemsOf(file.replace("wait: 2h", "wiat: 2h")), [
      '8:3 unknown key "wiat" | did you mean "wait"?'
    ])
    assert.deepStrictEqual(problemsOf(file.replace("50000", "50000.001").replace("2h", "2")), [
      "6:10 the price 50000.001 is between two steps: BTC/USDC trades in steps of 0.01 | take 50000 or 50000.01",
      '8:9 expected a duration such as 30s, 5m, 6h or 7d, found "2" | write 2s for seconds'
    ])
    assert.deepStrictEqual(problemsOf(`${file}  least: 50001\n`), ["9:10 least is above the price | "])
    assert.match(problemsOf(file.replace("kind: pulse", "kind: plse"))[0] ?? "", /^3:7 .*pulse, .*did you mean "pulse"/)
    assert.match(problemsOf(file.replace("kind: pulse", "kind: grid"))[1] ?? "", /^5:1 the section "pulse" does not/)
  })

  it("is described to editors", () => {
    const takes = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema(eleven))
    assert.isTrue(takes(yaml(file)))
    assert.isFalse(takes(yaml(file.replace("wait", "wiat"))))
    assert.isFalse(takes(yaml(file.replace("  price: 50000\n", ""))))
    assert.isFalse(takes(yaml(file.replace("kind: pulse", "kind: grid"))))
  })

  it("has a row for each key on the page", () => {
    assert.deepStrictEqual(keyRows(pulse.schema()).map(tableLine), [
      "| `side` | buy | of the order |",
      "| `price` | required | where it rests |",
      "| `size` | required | of the order |",
      "| `within` | nothing | how far the price may move |",
      "| `wait` | 1h | until it is placed |",
      "| `least` | any price | places nothing below this price |"
    ])
  })

  it("is offered by init, and what that writes can be read", () => {
    const { market } = Result.getOrThrow(parse(file, "pulse.yaml", markets, eleven))
    const answers = new Map([["name", "my-pulse"]])
    for (const step of pulse.setup(market).steps) {
      const question = step((key) => answers.get(key) ?? "")
      assert.isDefined(question)
      const answer = { budget: "500", price: "52000" }[question.key] ?? question.fallback ?? ""
      assert.isUndefined(mistakeIn(question, answer))
      answers.set(question.key, answer)
    }
    assert.deepStrictEqual([...answers.keys()], ["name", "budget", "price", "size"])
    const text = strategyText(market, pulse, answers, "")
    assert.include(
      text.replace(/ +#/g, " #"),
      `pulse:
  price: 52000 # where it rests
  size: { quote: 500 }
  wait: 30m # until it is placed
 # least: 50000 # places nothing below this price
`
    )
    assert.deepStrictEqual(problemsOf(text), [])
  })

  it("is searched by its keys", () => {
    const space = [Result.getOrThrow(SweepSpace.dimension("pulse.wait=1h,3h"))]
    const template = Result.getOrThrow(SweepSpace.template(file, space))
    const times = ["1h", "3h"].map((wait) => {
      const strategy = Result.getOrThrow(parse(template.text([wait]), "pulse.yaml", markets, eleven))
      return decideAt(strategy, price("60000")).until.time
    })
    assert.deepStrictEqual(times, [hourMillis, 3 * hourMillis])
  })
})
