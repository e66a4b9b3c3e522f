/**
 * Reads YAML into plain nodes that remember their position. Every scalar stays source text (the failsafe schema), so a price keeps its
 * exact digits. Size, depth and number of nodes are bounded. Anchors, aliases, merge keys, tags, directives and further documents are
 * refused. It never throws and runs in linear time.
 */
import { Predicate, Result } from "effect"
import type { CST, Node, YAMLError } from "yaml"
import { Composer, isMap, isScalar, isSeq, Parser } from "yaml"
import { inOrder, lineAt, type Problem, place, quoted, type Report, report, type Sound, type Span } from "./Problem.ts"

export const mostCharacters = 256 * 1024
const maxDepth = 20
const maxNodes = 10_000
/** No user reads more. */
const maxProblems = 100
/** YAML allows none of these characters, and its parser uses some as its own marks. */
const controlCharacter = /(?![\t\n\r\u0085])\p{Cc}/u
/** Names with a meaning in JavaScript, which are dangerous as keys of any object. */
const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

export interface YamlScalar extends Span {
  readonly type: "scalar"
  /** Unquoted text exactly as written; quoted text with its escapes resolved. */
  readonly text: string
  readonly isQuoted: boolean
}

export interface YamlList extends Span {
  readonly type: "list"
  readonly items: ReadonlyArray<YamlNode>
}

export interface YamlMap extends Span {
  readonly type: "map"
  readonly entries: ReadonlyMap<string, YamlEntry>
}

export interface YamlEntry {
  readonly key: Span
  readonly value: YamlNode
}

export type YamlNode = YamlScalar | YamlList | YamlMap

export const isEmpty = (node: YamlNode): boolean => node.type === "scalar" && node.text === "" && !node.isQuoted

/** `undefined` if the node is not a mapping with this key. */
export const valueIn = (node: YamlNode | undefined, key: string): YamlNode | undefined =>
  node?.type === "map" ? node.entries.get(key)?.value : undefined

export const readYaml = (source: Report["source"]): Result.Result<YamlNode, ReadonlyArray<Problem>> => {
  const to: Report = { source, problems: [] }
  const node = checkCharacters(to) ? compose(to) : undefined
  return node === undefined || to.problems.length > 0 ? Result.fail(inOrder(to.problems)) : Result.succeed(node)
}

export const readFile = <A>(reader: (node: YamlNode, to: Report) => A | undefined, source: Report["source"]) => {
  const to: Report = { source, problems: [] }
  const yaml = readYaml(source)
  if (Result.isFailure(yaml)) to.problems.push(...yaml.failure)
  return { to, fields: Result.isFailure(yaml) ? undefined : reader(yaml.success, to) }
}

const checkCharacters = (to: Report): Sound => {
  const { text } = to.source
  if (text.length > mostCharacters)
    return report(to, { start: 0, end: 1 }, `the file has ${text.length} characters; the maximum is ${mostCharacters}`)
  const start = text.search(controlCharacter)
  if (start < 0) return true
  const code = text.charCodeAt(start).toString(16).padStart(4, "0")
  return report(to, { start, end: start + 1 }, `a control character (U+${code}) is not allowed in this file`)
}

const compose = (to: Report): YamlNode | undefined => {
  const { text } = to.source
  const composed = Result.try(() => {
    const tokens = [...new Parser().parse(text)]
    if (!checkTokens(to, tokens)) return undefined
    const composer = new Composer({
      version: "1.2",
      schema: "failsafe",
      uniqueKeys: false,
      logLevel: "silent",
      prettyErrors: false
    })
    return [...composer.compose(tokens, true, text.length)][0]
  })
  if (Result.isFailure(composed)) return report(to, { start: 0, end: 1 }, "this cannot be read as YAML")
  const document = composed.success
  if (document === undefined) return undefined
  const [error] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0])
  // Only the first error: most later ones follow from it.
  if (error !== undefined) return syntaxProblem(to, error)
  if (document.contents === null) return report(to, { start: 0, end: 1 }, "the file is empty")
  return toNode(to, document.contents, { start: 0, end: 1 })
}

/** No recursion, so that no depth of nesting can exhaust the stack. */
const checkTokens = (to: Report, tokens: ReadonlyArray<CST.Token>): Sound => {
  const waiting = tokens.map((token) => ({ token, depth: 0 })).reverse()
  let nodes = 0
  let documents = 0
  for (let next = waiting.pop(); next !== undefined && to.problems.length < maxProblems; next = waiting.pop()) {
    const { token, depth } = next
    if (depth > maxDepth) return refuse(to, token, `nesting deeper than ${maxDepth} levels`)
    if (token.type === "document" && ++documents > 1) return refuse(to, token, "a second document after `---`")
    if ("value" in token || "items" in token || token.type.endsWith("scalar")) nodes += 1
    if (nodes > maxNodes) return refuse(to, token, `more than ${maxNodes} values in one file`)
    refuseSpecial(to, token)
    const childDepth = "items" in token ? depth + 1 : depth
    for (const child of childrenOf(token).toReversed()) waiting.push({ token: child, depth: childDepth })
  }
  return to.problems.length === 0 || undefined
}

const refuse = (to: Report, { offset }: CST.Token, what: string): undefined =>
  report(to, { start: offset, end: offset + 1 }, `${what}: not supported`)

const refused: Readonly<Record<string, string>> = {
  anchor: "anchors (`&name`)",
  alias: "aliases (`*name`)",
  tag: "tags (`!type`)",
  directive: "directives (`%`)",
  "directive-line": "directives (`%`)"
}

const refuseSpecial = (to: Report, token: CST.Token): void => {
  if (isUnclosed(token)) report(to, { start: token.offset, end: token.offset + 1 }, "this quote is never closed")
  const what = refused[token.type]
  if (what === undefined || !("source" in token)) return
  const hint =
    token.type === "tag" || token.type === "alias" ? "put the text in quotes if it is meant literally" : undefined
  report(to, { start: token.offset, end: token.offset + token.source.length }, `${what} are not supported`, hint)
}

const isUnclosed = (token: CST.Token): boolean => {
  const quote = token.type === "double-quoted-scalar" ? '"' : token.type === "single-quoted-scalar" ? "'" : undefined
  return quote !== undefined && "source" in token && (token.source.length < 2 || !token.source.endsWith(quote))
}

const childrenOf = (token: CST.Token): ReadonlyArray<CST.Token> => {
  if (token.type === "document") return [...token.start, ...(token.value === undefined ? [] : [token.value])]
  if (token.type === "block-scalar") return token.props
  if (!("items" in token)) return []
  return token.items.flatMap(({ start, key, sep, value }) =>
    [...start, key, ...(sep ?? []), value].filter(Predicate.isNotNullish)
  )
}

const phrases: ReadonlyArray<readonly [said: RegExp, message: string, hint: string]> = [
  [/^TAB_AS_INDENT/, "a tab is used as indentation", "indent with spaces"],
  [/^BLOCK_AS_IMPLICIT_KEY/, "a mapping cannot begin here", "one `key: value` per line, indented under its key"],
  [/^MULTILINE_IMPLICIT_KEY/, "this line is not `key: value`", "is a colon missing?"],
  [/^BAD_SCALAR_START/, "a value cannot begin with this character", "put it in quotes"],
  [/^BLOCK_IN_FLOW/, "a line of `key: value` inside brackets or braces", "is a closing one missing above?"],
  [/flow (map|sequence|collection)|^BAD_INDENT Flow/i, "brackets or braces are not closed", "add the closing one"],
  [/^BAD_INDENT/, "the indentation does not fit", "everything under one key starts in the same column"],
  [/^KEY_OVER_1024_CHARS/, "a key is longer than 1024 characters", "is a colon missing?"],
  [/block-seq-ind on same line/, "a list item cannot begin here", "put each `- item` on its own line"],
  [
    /flow-(map|seq)-start at node end/,
    "a bracket within a value inside braces",
    "put the value in quotes: 'close[1] > close'"
  ],
  [/flow-(map|seq)-end/, "a closing bracket or brace without an opening one", "remove it, or open one before"],
  [/scalar at node end/, "text after the end of a quoted value", "double a quote that is part of the text"],
  [/^BAD_DQ_ESCAPE/, "this backslash escape does not exist", "use single quotes to write a backslash"]
]

const syntaxProblem = (to: Report, { code, message, pos: [start, end] }: YAMLError): undefined => {
  const firstLine = message.split("\n")[0] ?? code
  const [, text, hint] = phrases.find(([pattern]) => pattern.test(`${code} ${firstLine}`)) ?? []
  return report(to, { start, end }, text ?? `not valid YAML: ${firstLine}`, hint)
}

const spanOf = (node: Node, fallback: Span): Span => {
  const [start, end] = node.range ?? [fallback.start, fallback.end]
  return { start, end }
}

const toNode = (to: Report, node: Node | null | undefined, fallback: Span): YamlNode => {
  const nothing = { type: "scalar", text: "", isQuoted: false, ...fallback } as const
  if (node === null || node === undefined) return nothing
  const span = spanOf(node, fallback)
  if (isScalar(node)) {
    const isQuoted = node.type !== "PLAIN"
    return { type: "scalar", text: typeof node.value === "string" ? node.value : "", isQuoted, ...span }
  }
  if (isSeq<Node>(node)) return { type: "list", items: node.items.map((item) => toNode(to, item, span)), ...span }
  if (!isMap<Node, Node | null>(node)) return nothing
  const entries = new Map<string, YamlEntry>()
  for (const { key, value } of node.items) addEntry(to, entries, key, value, span)
  return { type: "map", entries, ...span }
}

const addEntry = (to: Report, entries: Map<string, YamlEntry>, keyNode: Node, value: Node | null, fallback: Span) => {
  const key = keyNode === null ? fallback : spanOf(keyNode, fallback)
  const name = isScalar(keyNode) && typeof keyNode.value === "string" ? keyNode.value : undefined
  const entry = { key, value: toNode(to, value, { start: key.end, end: key.end }) }
  const first = name === undefined ? undefined : entries.get(name)
  if (name === undefined || name === "") report(to, key, "a key must be a plain word")
  else if (name === "<<") report(to, key, "merge keys (`<<`) are not supported")
  else if (forbiddenKeys.has(name)) report(to, key, `the key ${quoted(name)} is not allowed`)
  else if (first !== undefined) report(to, key, `the key ${quoted(name)} is given twice`, firstSeen(to, first))
  else entries.set(name, entry)
}

const firstSeen = (to: Report, { key }: YamlEntry): string =>
  `first on line ${lineAt(to.source, key.start)}; keep one of them`

/**
 * The place of a key by its path, such as `safety.active`: explanations send the reader there. `K` are the keys of the section, so that no
 * explanation names another.
 */
export type KeyPlaces<K extends string = string> = (path: K | `${K}.${string}` | `limits.${string}`) => string

/** Paths start in the section; paths under `limits` start in the file. A missing key has the place of its parent. */
export const keyPlaces = (section: YamlNode, root: YamlNode, { source }: Report): KeyPlaces => {
  const placeByPath = new Map<string, string>()
  const find = (path: string): string => {
    const parts = path.split(".")
    let node = parts[0] === "limits" ? root : section
    let { start } = section
    for (const part of parts) {
      const entry = node.type === "map" ? node.entries.get(part) : undefined
      if (entry === undefined) break
      node = entry.value
      start = entry.key.start
    }
    return place(source, start)
  }
  return (path) => {
    const before = placeByPath.get(path)
    if (before !== undefined) return before
    const text = find(path)
    placeByPath.set(path, text)
    return text
  }
}
