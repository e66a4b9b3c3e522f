/** Reads a strategy file: YAML becomes a pure `Strategy`, or every mistake in the file is reported. */
import { createHash } from "node:crypto"
import { Result } from "effect"
import { formatWithSymbol } from "../domain/Amount.ts"
import type { Market } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import * as Read from "./Fields.ts"
import type { Kind, KindContext } from "./Kind.ts"
import { part } from "./kinds/PriceLevels.ts"
import { kinds } from "./kinds.ts"
import { budgetSchema, limitsSchema, readLimits } from "./LimitsSection.ts"
import { type Markets, marketNamed, markets } from "./Markets.ts"
import * as Period from "./modifiers/Period.ts"
import { rearming } from "./modifiers/Rearm.ts"
import { restarting } from "./modifiers/Restart.ts"
import { skimmedLook, skimming } from "./modifiers/Skim.ts"
import * as OwnKind from "./own/OwnKind.ts"
import { inOrder, type Problem, place, problemAt, quoted, type Report, report, sourceText } from "./Problem.ts"
import type { Behaviour, Strategy } from "./Strategy.ts"
import * as TermsSection from "./TermsSection.ts"
import { readYaml, valueIn, type YamlMap, type YamlNode } from "./YamlReader.ts"

/** The name is known even if the file has other mistakes. */
interface Reading {
  readonly name?: Read.Located<string> | undefined
  readonly strategy: Result.Result<Strategy, ReadonlyArray<Problem>>
}

/** `file` is the name as the user wrote it; problems and reasons show it. `known`: the kinds that the file may name. */
export const readingOf = (text: string, file: string, markets: Markets, known: Kinds = kinds): Reading => {
  const source = sourceText(file, text)
  return Result.match(readYaml(source), {
    onSuccess: (node) => ofNode(node, source, markets, known),
    onFailure: (problems): Reading => ({ strategy: Result.fail(problems) })
  })
}

export const parse = (...file: Parameters<typeof readingOf>): Reading["strategy"] => readingOf(...file).strategy

export const ofNode = (node: YamlNode, source: Report["source"], markets: Markets, known: Kinds = kinds): Reading => {
  const to = { source, problems: [], warnings: [] } satisfies Report
  const own = ownKindIn(node, to)
  const allKinds = own?.kind === undefined ? known : [...known.filter(({ name }) => name !== own.name), own.kind]
  const fields = fileFields(markets, allKinds, own?.name)(node, to)
  const strategy = fields && node.type === "map" ? readStrategy(node, fields, markets, allKinds, to) : undefined
  const isSound = strategy !== undefined && to.problems.length === 0
  return { name: fields?.name, strategy: isSound ? Result.succeed(strategy) : Result.fail(inOrder(to.problems)) }
}

type Kinds = ReadonlyArray<Kind>

/** Key of the user's code within the text of a file, so that a journal, a worker or a replay has the whole strategy in one text. */
const codeKey = "code"

export const codeIn = (text: string): { readonly path: string | undefined; readonly isHere: boolean } => {
  const yaml = Result.getOrUndefined(readYaml(sourceText("", text)))
  const kind = valueIn(yaml, "kind")
  const isPath = kind?.type === "scalar" && OwnKind.nameOfPath(kind.text) !== undefined
  return { path: isPath ? kind.text : undefined, isHere: valueIn(yaml, codeKey) !== undefined }
}

export const codeWanted = (text: string): string | undefined => {
  // This test is quick: files are read often, and few of them name code.
  if (!/\.(?:ts|mts|js|mjs)\b|\bnpm:/.test(text)) return undefined
  const { isHere, path } = codeIn(text)
  return isHere ? undefined : path
}

export const withCode = (text: string, code: string): string =>
  `${text}${text.endsWith("\n") ? "" : "\n"}${codeKey}: ${JSON.stringify(code)}\n`

const ownKindIn = (node: YamlNode, to: Report) => {
  const [kind, code] = [valueIn(node, "kind"), valueIn(node, codeKey)]
  const name = kind?.type === "scalar" ? OwnKind.nameOfPath(kind.text) : undefined
  if (kind?.type !== "scalar" || name === undefined) return undefined
  if (code?.type !== "scalar") {
    const npm = OwnKind.packageName(kind.text)
    const hint = npm && `npm install ${npm}, in the folder of this file or above it`
    return { name, kind: report(to, kind, `its code ${quoted(kind.text)} cannot be read`, hint) }
  }
  const kindOrProblems = OwnKind.kindOf(name, kind.text, code.text)
  if ("name" in kindOrProblems) return { name, kind: kindOrProblems }
  to.problems.push(...kindOrProblems)
  return { name, kind: undefined }
}

const namesOf = (known: Kinds) => known.map(({ name }) => name)

const kindOf = (known: Kinds): Read.Reader<Kind> => {
  const listed = Read.mapped(Read.oneOf(...namesOf(known)), (name) =>
    known.find((candidate) => candidate.name === name)
  )
  return Read.described(
    (node, to) => {
      const own = node.type === "scalar" ? OwnKind.nameOfPath(node.text) : undefined
      return own === undefined ? listed(node, to) : known.find(({ name }) => name === own)
    },
    () => ({
      anyOf: [Read.schemaOf(listed), { type: "string", pattern: "^(?:\\.{0,2}/.+\\.(?:ts|mts|js|mjs)|npm:.+)$" }]
    })
  )
}

const fileFields = (offered: Markets, known: Kinds, ownName?: string) =>
  Read.fields(
    {
      name: Read.required(Read.strategyName, "unique among the strategies that run together"),
      market: Read.required(markets(offered)),
      kind: Read.required(kindOf(known), "kind of strategy; the section of the same name has its settings"),
      limits: Read.required((limits: YamlNode) => limits, "budget and loss limits"),
      rearm: Read.optional(
        part(Read.ratio),
        "an order that filled is placed again only when the price has moved this far from the fill",
        "at once"
      ),
      skim: Read.optional(skimNode, "quote above this is set aside and never used again", "nothing is"),
      ...Period.keys,
      restart: Read.optional(Read.duration, "it begins again this long after a stop or target of the whole", "never"),
      terms: Read.optional(
        TermsSection.readerAt(offered),
        "terms of its orders; one left out is as in the configuration"
      ),
      candles: Read.optional(
        Read.text,
        "source of volumes and of candles before the bot's start: a CSV file or glob, recorded, journal:FILE, ccxt:EXCHANGE:SYMBOL"
      )
    },
    [...namesOf(known), codeKey, ...(ownName === undefined ? [] : [ownName])]
  )

const skimNode: Read.Reader<YamlNode> = Read.described(
  (node) => node,
  () => Read.schemaOf(Read.amount(Read.anyMarket.quote, { zero: false }))
)

type FileFields = NonNullable<ReturnType<ReturnType<typeof fileFields>>>

const readStrategy = (
  node: YamlMap,
  fields: FileFields,
  offered: Markets,
  allKinds: Kinds,
  to: Report
): Strategy | undefined => {
  // An unreadable list does not show which assets it meant.
  if (fields.market === undefined && valueIn(node, "market")?.type === "list") return undefined
  const [market, ...others] = fields.market?.value ?? [Read.anyMarket]
  if (others.length > 0 && fields.kind?.value.tradesSeveral !== true) {
    // An unknown kind has already been reported.
    if (fields.kind === undefined) return undefined
    const text = `a strategy of kind ${quoted(fields.kind.value.name)} trades one market`
    return report(to, fields.market ?? node, text, "a file for each market")
  }
  const before = to.problems.length
  const limits = fields.limits === undefined ? undefined : readLimits([market, ...others])(fields.limits.value, to)
  const budget = to.problems.length > before ? undefined : limits?.budget
  const within = { ...to, ...present({ maxPriceDeviation: limits?.maxPriceDeviation }) }
  const context = { market, others, budget, limits, marketNamed: marketNamed(offered), root: node, to: within }
  const ofKind =
    fields.kind === undefined
      ? readSections(node, allKinds, context)
      : readSection(node, fields.kind, allKinds, context)
  const modify = fields.kind === undefined ? undefined : modifierOf(fields, fields.kind.value, context)
  const during = Period.periodOf(fields, timeframeIn(node, fields.kind?.value.name), context)
  if (fields.name === undefined || fields.kind === undefined || limits === undefined || ofKind === undefined)
    return undefined
  const modified = modify === undefined ? ofKind : modify(ofKind)
  const inPeriod = during === undefined ? modified : during(modified)
  const { equity, restart } = fields
  const mayEnd = equity !== undefined || modified.mayEnd === true
  if (restart !== undefined && !mayEnd)
    report(to, restart, "restart has no effect here: nothing ends the whole strategy", "give equity, or remove this")
  const behaviour =
    restart === undefined
      ? inPeriod
      : restarting(restart.value, place(to.source, restart.start), limits.budget)(inPeriod)
  const { name: kind, mayLackOrders, namesEverySlot, restsAtWrittenPrices } = fields.kind.value
  return {
    name: fields.name.value,
    kind,
    file: to.source.file,
    hash: createHash("sha256").update(to.source.text).digest("hex"),
    text: to.source.text,
    market,
    limits,
    initialMemory: null,
    ...present({
      others: others.length === 0 ? undefined : others,
      notSearched: searchProblem(to.source, fields.kind, others.length === 0 ? undefined : fields.market, behaviour),
      notLive: missingVolume(behaviour.volumes, market, fields.candles, offered),
      candleSource: fields.candles,
      terms: fields.terms?.value,
      mayLackOrders,
      // With a period, the strategy plans no slot before its beginning.
      namesEverySlot: during === undefined && restart === undefined ? namesEverySlot : undefined,
      restsAtWrittenPrices,
      warnings: to.warnings?.length === 0 ? undefined : to.warnings && inOrder(to.warnings)
    }),
    ...behaviour
  }
}

/** Expressions of `when` at the top of the file use the candles of the kind's section. */
const timeframeIn = (node: YamlMap, kind = ""): string => {
  const written = valueIn(valueIn(node, kind), "timeframe")
  return written?.type === "scalar" && Read.isTimeframe(written.text) ? written.text : Read.usualTimeframe.fallback
}

/** Applies `rearm` and `skim` to a strategy. A key without effect is a mistake. */
const modifierOf = (
  { rearm, restart, skim }: Pick<FileFields, "rearm" | "restart" | "skim">,
  { name, repeats, compounds }: Kind,
  { market, budget, to }: KindContext
): ((behaviour: Behaviour) => Behaviour) => {
  if (rearm !== undefined && repeats !== true)
    report(to, rearm, `rearm has no effect here: a strategy of kind ${name} places no filled order again by itself`)
  if (skim !== undefined && compounds !== true)
    report(to, skim, `skim has no effect here: orders of kind ${name} have fixed sizes and never use their profit`)
  if (skim !== undefined && restart !== undefined)
    report(to, skim, "after a restart the next run would use what skim has set aside", "remove one of the two keys")
  const ceiling = skim === undefined ? undefined : Read.amount(market.quote)(skim.value, to)
  if (skim !== undefined && ceiling !== undefined && budget !== undefined && ceiling < budget.quote) {
    const [low, high] = [ceiling, budget.quote].map((amount) => formatWithSymbol(amount, market.quote))
    report(to, skim, `${low} is less than the budget of ${high}: a part of it would never be used`)
  }
  return (behaviour) => {
    // `stands` does not know the modifiers, so it is left out.
    const { stands: _, ...changed } = behaviour
    const { decide, inputs } = behaviour
    if (rearm !== undefined) return { ...changed, decide: rearming(decide, rearm.value, place(to.source, rearm.start)) }
    if (skim === undefined || ceiling === undefined || budget === undefined) return behaviour
    const own = { ceiling, budget: budget.quote, source: place(to.source, skim.start) }
    return { ...changed, decide: skimming(own, decide), ...present({ inputs: inputs && skimmedLook(own, inputs) }) }
  }
}

/** A bot's journal has the prices that it saw, and no volumes. */
const hasVolumes = (source: string | undefined): boolean =>
  source !== undefined && source !== "recorded" && !source.startsWith("journal:")

const missingVolume = (
  volumes: Behaviour["volumes"] = new Map(),
  market: Market,
  own: Read.Located<string> | undefined,
  { sources }: Markets
): Problem | undefined =>
  [...volumes].find(([name]) => {
    const defaultSource = sources?.get(name)?.source
    return !hasVolumes(name === market.name ? (own?.value ?? defaultSource) : defaultSource)
  })?.[1]

/** A search replays the prices of one market only. */
const searchProblem = (
  source: Report["source"],
  kind: Read.Located<unknown>,
  market: Read.Located<unknown> | undefined,
  { signals, watched }: Behaviour
): Problem | undefined => {
  if (signals !== undefined) {
    const names = [...signals.keys()].join(", ")
    const text = `only prices are replayed here; this strategy also uses signals: ${names}`
    return problemAt(source, kind, text, "use limitbot backtest --signals FILE")
  }
  const does =
    watched === undefined ? "trades several" : `also watches ${watched.map(({ market }) => market.name).join(", ")}`
  const [at, text] = [watched ? kind : market, `prices of one market are replayed here; this strategy ${does}`]
  return at && problemAt(source, at, text, "use limitbot backtest with --data MARKET=CSV for each")
}

/** For editors. Of the kinds' sections, it has only the section that `kind` names. */
export const schema = (known: Kinds = kinds): Read.JsonSchema => {
  const { properties, ...file } = Read.schemaOf(fileFields({ assets: [], ticks: new Map() }, known))
  const sections = Object.fromEntries(known.map(({ name, schema }) => [name, schema()]))
  const names = namesOf(known)
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "A strategy of limitbot",
    ...file,
    properties: { ...Object(properties), limits: limitsSchema(), ...sections },
    allOf: [
      when({ market: { type: "array" } }, ofLimits(budgetSchema.ofSeveral), ofLimits(budgetSchema.ofOneMarket)),
      ...names.map((name) => {
        const others = names.filter((other) => other !== name)
        const none = Object.fromEntries(others.map((other) => [other, false]))
        return when({ kind: { const: name } }, { required: [name], properties: none })
      })
    ]
  }
}

const ofLimits = (budget: Read.JsonSchema): Read.JsonSchema => ({
  properties: { limits: { type: "object", properties: { budget } } }
})

const when = (
  properties: Readonly<Record<string, Read.JsonSchema>>,
  then: Read.JsonSchema,
  otherwise?: Read.JsonSchema
): Read.JsonSchema => ({ if: { required: Object.keys(properties), properties }, then, ...present({ else: otherwise }) })

const readSection = (node: YamlMap, kind: Read.Located<Kind>, known: Kinds, context: KindContext) => {
  const { name, read } = kind.value
  for (const other of namesOf(known)) {
    const entry = node.entries.get(other)
    if (entry === undefined || other === name) continue
    report(context.to, entry.key, `the section "${other}" does not belong to a strategy of kind ${name}`)
  }
  const section = node.entries.get(name)
  if (section === undefined) return report(context.to, kind, `the section "${name}:" of this kind is missing`)
  return read(section.value, context)
}

const readSections = (node: YamlMap, known: Kinds, context: KindContext): undefined => {
  for (const { name, read } of known) {
    const section = node.entries.get(name)
    if (section !== undefined) read(section.value, context)
  }
}
