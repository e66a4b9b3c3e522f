/** The questions of `limitbot init` that every kind shares, and the commented files that the answers make. */
import { type Asset, formatWithSymbol } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
import * as Read from "../../strategy/Fields.ts"
import type { Kind } from "../../strategy/Kind.ts"
import { grid } from "../../strategy/kinds/grid.ts"
import { kinds } from "../../strategy/kinds.ts"
import { type Report, sourceText } from "../../strategy/Problem.ts"
import type { Answers, Question } from "../../strategy/Setup.ts"

/** What is wrong with an answer, in the words of the reader that reads the file. */
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

/** Without a configuration: where the venue is, and the two assets to trade. */
export const venueQuestions: ReadonlyArray<Question> = [
  { key: "url", text: "Address of the venue (https://…)", read: Read.text },
  { key: "market", text: "Market, as BASE/QUOTE", fallback: "BTC/USDC", read: symbols }
]

export const assetQuestions = (name: string): ReadonlyArray<Question> =>
  name.split("/").flatMap((symbol) => [
    { key: `${symbol} id`, text: `The venue's identifier of ${symbol}`, read: Read.text },
    { key: `${symbol} decimals`, text: `Decimal places of ${symbol}`, read: Read.integer(0, 36) }
  ])

/** The choices, one per line. */
export const kindLines: ReadonlyArray<string> = [
  "Kinds of strategies:",
  ...kinds.map(({ about, name }) => `  ${name.padEnd(15)}${about}`)
]

export const kindQuestion: Question = {
  key: "kind",
  text: "Which kind",
  fallback: grid.name,
  read: Read.oneOf(...kinds.map(({ name }) => name))
}

export const kindOf = (answers: Answers): Kind => kinds.find(({ name }) => name === answers.get("kind")) ?? grid

export const nameQuestion = (fallback: string): Question => ({
  key: "name",
  text: "Name of the strategy",
  fallback,
  read: Read.name
})

/** Comments after settings start in one column. */
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

export const strategyText = (market: Market, answers: Answers, schema: string): string => {
  const answer = (key: string): string => answers.get(key) ?? ""
  const { about, name: kind, setup } = kindOf(answers)
  const { budget, section } = setup(market)
  const { base = "0", quote = "0" } = budget(answer)
  const parts = [
    ...(base === "0" ? [] : [`    base: ${base}  # ${market.base.symbol}`]),
    ...(quote === "0" ? [] : [`    quote: ${quote}  # ${market.quote.symbol}`])
  ]
  return aligned(`${schema}# ${answer("name")}: ${about}.
# Check it:  limitbot check FILE     What it would do:  limitbot plan FILE     All settings: docs/strategies.md
name: ${answer("name")}
market: ${market.name}  # prices are ${market.quote.symbol} per one ${market.base.symbol}
kind: ${kind}

limits:
  budget:  # all that this strategy may use
${parts.join("\n")}
  maxPriceDeviation: 5%  # refuse an order that gives away more than this against the price
  staleAfter: 30s  # decide nothing on a price older than this

${kind}:${section(answer)}
`)
}

export const configText = (answers: Answers, assets: ReadonlyArray<Asset>, schema: string): string =>
  aligned(`${schema}venue:
  url: ${answers.get("url")}
  # Never put secrets in this file: { env: NAME } or { file: PATH } (mode 0600).
  apiKey: { env: LIMITBOT_API_KEY }
  # minOrderUsd: 10  # smallest order that the venue takes

account:
  key: { env: LIMITBOT_ACCOUNT_KEY }  # ed25519: and base58 of a 32-byte seed or 64-byte key

# What may be traded. A wrong number of decimals is found at start, before anything is sent.
assets:
${assets.map(({ symbol, id, decimals }) => `  ${symbol}: { id: ${JSON.stringify(id)}, decimals: ${decimals} }`).join("\n")}

journal: limitbot.sqlite  # everything the bot did and saw; relative to this file
`)

/** What the money in the file adds up to, for the last words. */
export const budgetText = (
  { base, quote }: Market,
  budget: { readonly base: bigint; readonly quote: bigint }
): string =>
  [
    ...(budget.base > 0n ? [formatWithSymbol(budget.base, base)] : []),
    ...(budget.quote > 0n ? [formatWithSymbol(budget.quote, quote)] : [])
  ].join(" and ")
