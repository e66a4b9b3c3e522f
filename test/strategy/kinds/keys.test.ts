/** A reason points to the key that decided, in every kind: the line of that key in the file. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { completed, decideAt, price, type Slots, strategyOf } from "../support.ts"

interface Case {
  readonly about: string
  readonly text: string
  readonly at?: string
  readonly slots?: Slots
  readonly slot: string
  /** How the line begins that decided. */
  readonly line: string
}

const file = (kind: string, section: string, budget = "{ base: 1, quote: 60000 }"): string =>
  `name: s\nmarket: BTC/USDC\nkind: ${kind}\nlimits:\n  budget: ${budget}\n${kind}:\n${section}`

const grid = "  levels: [50000, 55000, 60000, 65000, 70000]\n  size: { base: 0.1 }\n"
const deals =
  "  size: { quote: 100 }\n  when: mid < 55000\n  safety: { orders: 2, size: { quote: 100 }, distance: 2% }\n  takeProfit: 2%\n  times: 3\n"
const rule =
  "  orders:\n    dip:\n      side: buy\n      when: mid < 55000\n      price: mid\n      size: { base: 0.1 }\n      times: 1\n"
const bracket = "  side: buy\n  size: { base: 0.1 }\n  entry: 57000\n  takeProfit: 63000\n  stop: 54000\n"

const cases: ReadonlyArray<Case> = [
  { about: "grid", text: file("grid", `${grid}  fundNearest: 1\n`), slot: "cell-00", line: "fundNearest:" },
  { about: "grid", text: file("grid", grid), slot: "cell-00", line: "levels:" },
  { about: "grid", text: file("grid", grid, "{ quote: 60000 }"), slot: "cell-03", line: "budget:" },
  {
    about: "dca",
    text: file("dca", "  every: 1h\n  size: { base: 0.1 }\n  times: 3\n"),
    slot: "purchase-001",
    line: "every:"
  },
  {
    about: "dca",
    text: file("dca", "  every: 1h\n  size: { base: 0.1 }\n  times: 3\n  pauseAbove: 59000\n"),
    slot: "purchase-000",
    line: "pauseAbove:"
  },
  { about: "deals", text: file("deals", deals), slot: "base", line: "when:" },
  { about: "deals", text: file("deals", deals), at: "54000", slot: "safety-01", line: "size:" },
  { about: "rules", text: file("rules", rule), slot: "dip", line: "when:" },
  { about: "bracket", text: file("bracket", bracket), slot: "position", line: "entry:" },
  {
    about: "bracket",
    text: file("bracket", bracket),
    at: "53000",
    slots: new Map([["position", completed(1, 10_000_000n)]]),
    slot: "position",
    line: "stop:"
  },
  {
    about: "market-making",
    text: file("market-making", "  levels: 1\n  spread: 1%\n  size: 0.1\n"),
    slot: "bid-00",
    line: "spread:"
  },
  { about: "rebalance", text: file("rebalance", "  target: 50%\n  band: 5%\n"), slot: "buy", line: "band:" },
  {
    about: "iceberg",
    text: file("iceberg", "  side: sell\n  price: 61000\n  total: { base: 1 }\n  visible: { base: 0.1 }\n"),
    slot: "iceberg",
    line: "price:"
  },
  {
    about: "ladder",
    text: file("ladder", "  side: buy\n  from: 59000\n  to: 50000\n  rungs: 3\n  total: { base: 0.3 }\n"),
    slot: "rung-00",
    line: "rungs:"
  },
  {
    about: "twap",
    text: file("twap", "  side: sell\n  total: { base: 1 }\n  over: 1h\n  slices: 4\n  limit: 50000\n"),
    slot: "slice-01",
    line: "slices:"
  }
]

describe("a reason points to the key that decided", () => {
  it.each(cases.map((each) => [`${each.about} ${each.slot}: ${each.line}`, each] as const))("in %s", (_, each) => {
    const { text, slot, line, slots, at = "60000" } = each
    const strategy = strategyOf(text)
    const first = decideAt(strategy, price("60000"))
    const decision = at === "60000" && slots === undefined ? first : decideAt(strategy, price(at), first.memory, slots)
    const why = [...decision.desired, ...decision.absent].find((other) => other.slot === slot)?.why
    assert.isDefined(why, [...decision.desired, ...decision.absent].map((other) => other.slot).join(" "))
    const number = Number(/:(\d+)$/.exec(why?.source ?? "")?.[1])
    assert.isTrue(
      text.split("\n")[number - 1]?.trim().startsWith(line),
      `${why?.text}: ${text.split("\n")[number - 1]}`
    )
  })

  it("in every file that comes with the program", () => {
    for (const kind of new Set(cases.map(({ about }) => about))) {
      const text = readFileSync(`strategies/${kind}.yaml`, "utf8")
      const { desired, absent, reasons } = decideAt(strategyOf(text), price("60000"))
      for (const { source } of [...desired.map(({ why }) => why), ...absent.map(({ why }) => why), ...reasons]) {
        assert.match(text.split("\n")[Number(source?.split(":").at(-1)) - 1] ?? "", /^\s*(- )?[\w-]+:|^\s*- /, source)
      }
    }
  })
})
