/** Words the questions of `limitbot init` that every kind shares, and the commented files that the answers make. */
import { type Asset, formatWithSymbol } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
import type { SecretSource } from "../../files/secrets/SecretSource.ts"
import * as Read from "../../strategy/Fields.ts"
import type { Kind } from "../../strategy/Kind.ts"
import { kinds } from "../../strategy/kinds.ts"
import { usualLines } from "../../strategy/LimitsSection.ts"
import { type Report, sourceText } from "../../strategy/Problem.ts"
import type { Answers, Question } from "../../strategy/Setup.ts"
import type { Budget } from "../../strategy/Strategy.ts"
import { factsOf, ledgerOf, type ProfileName, verifierOf } from "../../venue/profile/Profiles.ts"

export const readAnswer = <A>(read: Read.Reader<A>, answer: string) => {
  const to: Report = { source: sourceText("", answer), problems: [] }
  const value = read({ type: "scalar", text: answer, isQuoted: false, start: 0, end: answer.length }, to)
  return { value, problem: to.problems[0] }
}

export const mistakeIn = ({ read }: Question, answer: string): string | undefined => {
  const { problem } = readAnswer(read, answer)
  return problem === undefined
    ? undefined
    : [problem.message, problem.hint].filter((part) => part !== undefined).join("; ")
}

export const back = "<"

export const kindLines: ReadonlyArray<string> = [
  "Kinds of strategies:",
  ...kinds.map(({ about, name }) => `  ${name.padEnd(15)}${about}`),
  `An empty answer takes the value in brackets; ${back} returns to the previous question.`
]

export const kindQuestion: Question = {
  key: "kind",
  text: "Which kind",
  fallback: kinds[0].name,
  read: Read.oneOf(...kinds.map(({ name }) => name))
}

export const kindOf = (answers: Answers): Kind => kinds.find(({ name }) => name === answers.get("kind")) ?? kinds[0]

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

export const strategyText = (
  market: Market,
  { about, name: kind, setup }: Kind,
  answers: Answers,
  schema: string
): string => {
  const answer = (key: string): string => answers.get(key) ?? ""
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
${usualLines()}

${kind}:${section(answer)}
`)
}

const reference = (source: SecretSource): string =>
  "env" in source ? `{ env: ${source.env} }` : `{ file: ${JSON.stringify(source.file)} }`

export interface ConfigParts {
  readonly url: string
  readonly apiKey: SecretSource
  readonly key: SecretSource
  readonly assets: ReadonlyArray<Asset>
  readonly journal: string
  readonly profile: ProfileName | undefined
  readonly schema: string
}

/** Comments for a deployment that differs from the interface document. */
const linesOf = (profile: ProfileName | undefined) => {
  if (profile === undefined) return { venue: "", account: "" }
  const { login, movesBetweenAccounts } = factsOf(profile, verifierOf(ledgerOf(profile)))
  const rpc =
    '  # facts: { saltFrom: "https://…" }  # an RPC address of its ledger: public balances, and the salt of logins\n'
  return {
    venue: `  profile: ${profile}  # all of it: limitbot check --profile\n${login.nonce === "started" ? rpc : ""}`,
    account: movesBetweenAccounts
      ? "  # depositType: CONFIDENTIAL_INTENTS  # by invitation: needs its own partnerJwt, saltFrom, and limitbot swap --to confidential\n"
      : ""
  }
}

export const configText = ({ apiKey, assets, journal, key, profile, schema, url }: ConfigParts): string =>
  aligned(`${schema}venue:
  url: ${url}
${linesOf(profile).venue}  # Never put secrets in this file: { env: NAME } or { file: PATH } (mode 0600).
  apiKey: ${reference(apiKey)}
  # minOrderUsd: 10  # smallest order that the venue takes

account:
  key: ${reference(key)}  # ed25519: and base58 of a 32-byte seed or 64-byte key
${linesOf(profile).account}
# What may be traded. A wrong number of decimals is found at start, before anything is sent.
assets:
${assets.map(({ symbol, id, decimals }) => `  ${symbol}: { id: ${JSON.stringify(id)}, decimals: ${decimals} }`).join("\n")}

journal: ${journal}  # everything the bot did and saw; relative to this file

dashboard: {}  # a page on this machine while the bot runs: limitbot status --dashboard prints its address
`)

export const budgetText = ({ base, quote }: Market, budget: Budget): string =>
  [
    ...(budget.base > 0n ? [formatWithSymbol(budget.base, base)] : []),
    ...(budget.quote > 0n ? [formatWithSymbol(budget.quote, quote)] : [])
  ].join(" and ")
