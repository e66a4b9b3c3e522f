/** The questions of `limitbot init` and the commented files that their answers make. */
import { type Asset, format, formatWithSymbol, fromDecimal } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import type { Market } from "../domain/Market.ts"
import * as Read from "../strategy/Fields.ts"
import { type Report, sourceText } from "../strategy/Problem.ts"

export interface Question {
  readonly key: string
  readonly text: string
  /** Taken for an empty answer. */
  readonly fallback?: string
  readonly read: Read.Reader<unknown>
}

export type Answers = ReadonlyMap<string, string>

/** What is wrong with an answer: the words of the very reader that reads the file. */
export const mistakeIn = ({ read }: Question, answer: string): string | undefined => {
  const to: Report = { source: sourceText("", answer), problems: [] }
  read({ type: "scalar", text: answer, isQuoted: false, start: 0, end: answer.length }, to)
  const [problem] = to.problems
  return problem === undefined
    ? undefined
    : [problem.message, problem.hint].filter((part) => part !== undefined).join("; ")
}

const symbols = Read.scalar("a market of two assets such as BTC/USDC", (text) => {
  const [, base, quote] = /^([A-Za-z0-9.]{1,20})\/([A-Za-z0-9.]{1,20})$/.exec(text) ?? []
  return base === quote ? undefined : text
})

/** Without a configuration: where the venue is, and the two assets that it is to trade. */
export const venueQuestions: ReadonlyArray<Question> = [
  { key: "url", text: "Address of the venue (https://…)", read: Read.text },
  { key: "market", text: "Market, as BASE/QUOTE", fallback: "BTC/USDC", read: symbols }
]

export const assetQuestions = (name: string): ReadonlyArray<Question> =>
  name.split("/").flatMap((symbol) => [
    { key: `${symbol} id`, text: `The venue's identifier of ${symbol}`, read: Read.text },
    { key: `${symbol} decimals`, text: `Decimal places of ${symbol}`, read: Read.integer(0, 36) }
  ])

export const kinds = ["grid", "ladder", "dca"] as const
export type InitKind = (typeof kinds)[number]

export const kindQuestion: Question = {
  key: "kind",
  text: "What should it do? grid: buy low, sell higher, again and again; ladder: orders between two prices; dca: the same again and again",
  fallback: "grid",
  read: Read.oneOf(...kinds)
}

export const nameQuestion = (fallback: string): Question => ({
  key: "name",
  text: "Name of the strategy",
  fallback,
  read: Read.name
})

export const questionsOf: Readonly<Record<InitKind, (market: Market) => ReadonlyArray<Question>>> = {
  grid: ({ base, quote }) => [
    { key: "lower", text: `Lowest price, ${quote.symbol} per ${base.symbol}`, read: Read.price },
    { key: "upper", text: "Highest price", read: Read.price },
    { key: "levels", text: "How many price levels", fallback: "21", read: Read.integer(2, 1000) },
    { key: "size", text: `${quote.symbol} for each purchase`, read: Read.amount(quote) },
    {
      key: "base",
      text: `${base.symbol} that it may sell from the start`,
      fallback: "0",
      read: Read.amount(base, { zero: true })
    }
  ],
  ladder: ({ base, quote }) => [
    { key: "side", text: "buy or sell", fallback: "buy", read: Read.oneOf("buy", "sell") },
    { key: "from", text: `Price of the first order, ${quote.symbol} per ${base.symbol}`, read: Read.price },
    { key: "to", text: "Price of the last order", read: Read.price },
    { key: "rungs", text: "How many orders", fallback: "5", read: Read.integer(2, 1000) },
    { key: "total", text: `Total of them: ${quote.symbol} to buy for, or ${base.symbol} to sell`, read: Read.price }
  ],
  dca: ({ quote }) => [
    { key: "size", text: `${quote.symbol} for each purchase`, read: Read.amount(quote) },
    { key: "every", text: "How often, such as 6h or 1d", fallback: "1d", read: Read.duration },
    { key: "times", text: "How many times in all", fallback: "30", read: Read.integer(1, 1000) }
  ]
}

/** Comments behind a setting begin in one column. */
const aligned = (text: string): string =>
  text
    .split("\n")
    .map((line) => {
      const cut = line.lastIndexOf("  # ")
      return line.slice(0, Math.max(0, cut)).trim() === ""
        ? line
        : `${line.slice(0, cut).trimEnd().padEnd(31)} ${line.slice(cut + 2)}`
    })
    .join("\n")

/** So many times an amount, as text. */
const times = (asset: Asset, amount: string, count: number): string => {
  const units = fromDecimal(Decimal.parse(amount) ?? Decimal.zero, asset.decimals) ?? 0n
  return format(units * BigInt(count), asset.decimals)
}

export const strategyText = (kind: InitKind, market: Market, answers: Answers, schema: string): string => {
  const answer = (key: string): string => answers.get(key) ?? ""
  return aligned(`${schema}# Check it:  limitbot check FILE     What it would do:  limitbot plan FILE     All settings: docs/strategies.md
name: ${answer("name")}
market: ${market.name}  # prices are ${market.quote.symbol} per one ${market.base.symbol}
kind: ${kind}

limits:
${sections[kind](market, answer)}`)
}

const closing = `  maxPriceDeviation: 5%  # refuse an order that gives away more than this against the price
  staleAfter: 30s  # decide nothing on a price older than this
`

const sections: Readonly<Record<InitKind, (market: Market, answer: (key: string) => string) => string>> = {
  grid: ({ base, quote }, answer) => `  budget:  # all that this strategy may use
    base: ${answer("base")}
    quote: ${times(quote, answer("size"), Number(answer("levels")) - 1)}
${closing}
grid:
  lower: ${answer("lower")}
  upper: ${answer("upper")}
  levels: ${answer("levels")}  # ${Number(answer("levels")) - 1} cells: each buys at one level and sells at the next
  spacing: geometric  # equal ratios; arithmetic: equal differences
  size: { quote: ${answer("size")} }  # ${quote.symbol} per cell; or { base: … } in ${base.symbol}
  # fundNearest: 5  # keep only so many nearest buys and sells funded
`,
  ladder: ({ base, quote }, answer) => {
    const isBuy = answer("side") === "buy"
    const key = isBuy ? "quote" : "base"
    return `  budget: { ${key}: ${answer("total")} }  # all that this strategy may use, in ${(isBuy ? quote : base).symbol}
${closing}
ladder:
  side: ${answer("side")}
  from: ${answer("from")}
  to: ${answer("to")}
  rungs: ${answer("rungs")}
  profile: flat  # sizes alike; linear: 1, 2, 3 parts; geometric: each half as much again
  total: { ${key}: ${answer("total")} }  # all orders together
  # takeProfit: 4%  # each filled order places the opposite one this far away, once
`
  },
  dca: (
    { quote },
    answer
  ) => `  budget: { quote: ${times(quote, answer("size"), Number(answer("times")))} }  # all that this strategy may use, in ${quote.symbol}
${closing}
dca:
  every: ${answer("every")}  # moments that pass while the bot is off are skipped
  size: { quote: ${answer("size")} }  # for each purchase
  times: ${answer("times")}
  # reach: 0.1%  # a purchase may pay this much more than the mid
  # drop: 5%  # buy also when the price is this far below the last purchase
`
}

export const configText = (answers: Answers, assets: ReadonlyArray<Asset>, schema: string): string =>
  aligned(`${schema}venue:
  url: ${answers.get("url")}
  # Secrets never stand in this file: { env: NAME } or { file: PATH } (mode 0600).
  apiKey: { env: LIMITBOT_API_KEY }
  # minOrderUsd: 10  # smallest order that the venue takes

account:
  key: { env: LIMITBOT_ACCOUNT_KEY }  # ed25519: and base58 of a 32-byte seed or 64-byte key

# What may be traded. A wrong number of decimals is found at start, before anything is sent.
assets:
${assets.map(({ symbol, id, decimals }) => `  ${symbol}: { id: ${JSON.stringify(id)}, decimals: ${decimals} }`).join("\n")}

journal: limitbot.sqlite  # everything the bot did and saw; relative to this file
`)

/** What the money of the file comes to, for the last words. */
export const budgetText = (
  { base, quote }: Market,
  budget: { readonly base: bigint; readonly quote: bigint }
): string =>
  [
    ...(budget.base > 0n ? [formatWithSymbol(budget.base, base)] : []),
    ...(budget.quote > 0n ? [formatWithSymbol(budget.quote, quote)] : [])
  ].join(" and ")
