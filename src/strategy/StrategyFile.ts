/**
 * A strategy file: YAML in, a pure `Strategy` out, or every mistake in it. The keys are those of `fileFields` and one
 * section named like the kind.
 */
import { createHash } from "node:crypto"
import { Result } from "effect"
import type { Market } from "../domain/Market.ts"
import * as Read from "./Fields.ts"
import type { Behaviour, Kind, KindContext } from "./Kind.ts"
import { kinds } from "./kinds.ts"
import { readLimits } from "./LimitsSection.ts"
import { type Markets, market } from "./Markets.ts"
import { inOrder, type Problem, type Report, report, sourceText } from "./Problem.ts"
import type { Strategy } from "./Strategy.ts"
import { readYaml, type YamlMap, type YamlNode } from "./YamlReader.ts"

/** `file` is the name as the user wrote it: it goes into problems and reasons. */
export const parse = (
  text: string,
  file: string,
  markets: Markets
): Result.Result<Strategy, ReadonlyArray<Problem>> => {
  const source = sourceText(file, text)
  const yaml = readYaml(source)
  if (Result.isFailure(yaml)) return Result.fail(yaml.failure)
  const to: Report = { source, problems: [] }
  const strategy = readStrategy(yaml.success, markets, to)
  return strategy === undefined || to.problems.length > 0 ? Result.fail(inOrder(to.problems)) : Result.succeed(strategy)
}

const kindNames = kinds.map(({ name }) => name)

const readStrategy = (node: YamlNode, markets: Markets, to: Report): Strategy | undefined => {
  const read = Read.fields(
    {
      name: Read.required(Read.name),
      market: Read.required(market(markets)),
      kind: Read.required(kind),
      limits: Read.required((limits) => limits)
    },
    kindNames
  )(node, to)
  if (read === undefined || node.type !== "map") return undefined
  const traded = read.market?.value ?? anyMarket
  const before = to.problems.length
  const limits = read.limits === undefined ? undefined : readLimits(traded)(read.limits.value, to)
  const context = { market: traded, budget: to.problems.length > before ? undefined : limits?.budget, to }
  const behaviour = read.kind === undefined ? readSections(node, context) : readSection(node, read.kind, context)
  if (read.name === undefined || read.kind === undefined || limits === undefined || behaviour === undefined)
    return undefined
  return {
    name: read.name.value,
    kind: read.kind.value.name,
    file: to.source.file,
    hash: createHash("sha256").update(to.source.text).digest("hex"),
    market: traded,
    limits,
    ...behaviour
  }
}

/** Stands in for a market that could not be read, so that the rest of the file is still checked. */
const anyMarket: Market = {
  name: "BASE/QUOTE",
  base: { symbol: "BASE", id: "", decimals: 40 },
  quote: { symbol: "QUOTE", id: "", decimals: 40 }
}

const kind: Read.Reader<Kind> = (node, to) => {
  const name = Read.oneOf(...kindNames)(node, to)
  return kinds.find((candidate) => candidate.name === name)
}

const readSection = (node: YamlMap, kind: Read.Located<Kind>, context: KindContext): Behaviour | undefined => {
  const { name, read } = kind.value
  for (const other of kindNames) {
    const entry = node.entries.get(other)
    if (entry === undefined || other === name) continue
    report(context.to, entry.key, `the section "${other}" does not belong to a strategy of kind ${name}`)
  }
  const section = node.entries.get(name)
  if (section === undefined) return report(context.to, kind, `the section "${name}:" of this kind is missing`)
  return read(section.value, context)
}

/** Without a readable kind, whatever sections there are still get checked. */
const readSections = (node: YamlMap, context: KindContext): undefined => {
  for (const { name, read } of kinds) {
    const section = node.entries.get(name)
    if (section !== undefined) read(section.value, context)
  }
}
