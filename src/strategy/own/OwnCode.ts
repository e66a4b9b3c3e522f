/**
 * From the TypeScript of an own strategy to JavaScript that can do nothing but compute, in so many steps. Types are taken out in
 * place, so positions stay; what could look or act outside, keep state or never end is refused where it stands; and each loop and
 * function counts its steps, so a decision ends the same way wherever and whenever it is made. Steps are counted, not time: a replay
 * must find what the bot found.
 */
import { stripTypeScriptTypes } from "node:module"
import { type AnyNode, type Program, parse } from "acorn"
import { messageOf } from "../../domain/Text.ts"
import { type Problem, problemAt, type SourceText } from "../Problem.ts"

/** Names in the code that the program gives it; no code may use them itself. */
const reserved = { step: "__step__", kind: "__kind__" } as const

/** What is there beside the code's own names. */
const globals: ReadonlySet<string> = new Set([
  ..."Math Number String Boolean Array Object Map Set JSON BigInt Error RangeError TypeError".split(" "),
  ..."Float64Array Int32Array NaN Infinity undefined isFinite isNaN parseFloat parseInt".split(" ")
])

const absent: Readonly<Record<string, string>> = {
  Date: "the only clock is view.now",
  process: "it sees its view, its settings and its memory, and nothing else",
  require: "it imports nothing but types",
  fetch: "it sees its view, its settings and its memory, and nothing else",
  console: "what it wants to say goes into `why`",
  globalThis: "it sees its view, its settings and its memory, and nothing else"
}

type Found = {
  readonly at: { readonly start: number; readonly end: number }
  readonly message: string
  readonly hint?: string
}

const children = (node: AnyNode): ReadonlyArray<AnyNode> =>
  Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]).filter(isNode))

const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const walk = (
  node: AnyNode,
  visit: (node: AnyNode, parents: ReadonlyArray<AnyNode>) => void,
  parents: ReadonlyArray<AnyNode> = []
): void => {
  visit(node, parents)
  for (const child of children(node)) walk(child, visit, [...parents, node])
}

/** Every name that the code itself gives something, wherever. A name of another scope is found to be missing when it runs. */
const namesGiven = (program: Program): ReadonlySet<string> => {
  const given = new Set<string>()
  const take = (pattern: AnyNode | null | undefined): void => {
    if (pattern === null || pattern === undefined) return
    if (pattern.type === "Identifier") given.add(pattern.name)
    else if (pattern.type === "Property") take(pattern.value)
    else if (pattern.type === "AssignmentPattern") take(pattern.left)
    else for (const child of children(pattern)) take(child)
  }
  walk(program, (node) => {
    if (node.type === "VariableDeclarator") take(node.id)
    if (
      node.type === "FunctionDeclaration" ||
      node.type === "FunctionExpression" ||
      node.type === "ArrowFunctionExpression"
    ) {
      if (node.id) given.add(node.id.name)
      for (const parameter of node.params) take(parameter)
    }
    if (node.type === "ClassDeclaration" && node.id) given.add(node.id.name)
    if (node.type === "CatchClause") take(node.param)
  })
  return given
}

/** Whether a name stands for something here, and is not the key of a property. */
const isReference = (node: AnyNode, parent: AnyNode | undefined): boolean => {
  if (parent === undefined) return true
  if (parent.type === "MemberExpression") return parent.object === node || parent.computed
  if (parent.type === "Property") return parent.value === node || parent.computed
  return (
    parent.type !== "MethodDefinition" &&
    parent.type !== "PropertyDefinition" &&
    parent.type !== "LabeledStatement" &&
    parent.type !== "BreakStatement" &&
    parent.type !== "ContinueStatement"
  )
}

/** What of a piece of code may not be, by what it is. */
const refusalOf = (
  node: AnyNode,
  parents: ReadonlyArray<AnyNode>,
  given: ReadonlySet<string>
): Omit<Found, "at"> | undefined => {
  const parent = parents.at(-1)
  switch (node.type) {
    case "ImportDeclaration":
    case "ImportExpression":
    case "ExportAllDeclaration":
      return { message: "it may import types and nothing else", hint: 'import type { Own } from "limitbot/strategy"' }
    case "ExportNamedDeclaration":
      return { message: "it exports its strategy by default, and nothing else" }
    case "AwaitExpression":
      return { message: "a decision waits for nothing" }
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return node.async === true ? { message: "a decision waits for nothing: no function is async" } : undefined
    case "Literal":
      return "regex" in node && node.regex !== undefined
        ? { message: "a pattern can take for ever, and its steps cannot be counted" }
        : undefined
    case "VariableDeclaration":
      return parent?.type === "Program" && node.kind !== "const"
        ? { message: "what it remembers belongs into `memory`: outside of functions there is only const" }
        : undefined
    case "WithStatement":
    case "DebuggerStatement":
      return { message: "this has no place here" }
    case "Identifier": {
      if (!isReference(node, parent) || given.has(node.name) || globals.has(node.name)) return undefined
      return {
        message: `there is no ${node.name} here`,
        ...(absent[node.name] === undefined ? {} : { hint: absent[node.name] ?? "" })
      }
    }
    case "MemberExpression": {
      const { object, property } = node
      const isRandom =
        object.type === "Identifier" &&
        object.name === "Math" &&
        property.type === "Identifier" &&
        property.name === "random"
      return isRandom ? { message: "the same view must give the same answer: there is no chance" } : undefined
    }
    default:
      return undefined
  }
}

interface Insertion {
  readonly at: number
  readonly text: string
  /** It ends what one before it began. */
  readonly ends?: true
}

/** At one place ends come first, and of these that of the innermost, which was found last. */
const inTextOrder = (insertions: ReadonlyArray<Insertion>): ReadonlyArray<Insertion> => {
  const begins = insertions.filter(({ ends }) => ends === undefined)
  const ends = insertions.filter(({ ends }) => ends !== undefined).reverse()
  return [...ends, ...begins].sort((a, b) => a.at - b.at)
}

/** Counts a step at the beginning of each loop's turn and of each function. */
const stepsOf = (program: Program): ReadonlyArray<Insertion> => {
  const step = `${reserved.step}();`
  const made: Array<Insertion> = []
  const counted = (body: AnyNode): void => {
    if (body.type === "BlockStatement") made.push({ at: body.start + 1, text: step })
    else made.push({ at: body.start, text: `{${step}` }, { at: body.end, text: "}", ends: true })
  }
  walk(program, (node) => {
    switch (node.type) {
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "FunctionDeclaration":
      case "FunctionExpression":
        return counted(node.body)
      case "ArrowFunctionExpression": {
        const { body } = node
        if (body.type === "BlockStatement") return counted(body)
        made.push({ at: body.start, text: `(${reserved.step}(),` }, { at: body.end, text: ")", ends: true })
      }
    }
  })
  return made
}

/** The body of a function that returns what the code exports; or what is wrong with it, where it is. */
export const scriptOf = (source: SourceText): string | ReadonlyArray<Problem> => {
  const wrong = ({ at, message, hint }: Found): Problem => ({
    ...problemAt(source, at, message, hint),
    text: source.text
  })
  const whole = { start: 0, end: 1 }
  let text: string
  let program: Program
  try {
    text = stripTypeScriptTypes(source.text)
    program = parse(text, { ecmaVersion: "latest", sourceType: "module" })
  } catch (mistake) {
    const pos = typeof mistake === "object" && mistake !== null && "pos" in mistake ? Number(mistake.pos) : 0
    return [
      wrong({
        at: { start: pos, end: pos + 1 },
        message: `this is no TypeScript: ${messageOf(mistake).split("\n")[0]}`
      })
    ]
  }
  const used = Object.values(reserved).find((name) => source.text.includes(name))
  if (used !== undefined) return [wrong({ at: whole, message: `the name ${used} is taken` })]
  const given = namesGiven(program)
  const found: Array<Found> = []
  walk(program, (node, parents) => {
    const refusal = refusalOf(node, parents, given)
    if (refusal !== undefined) found.push({ at: node, ...refusal })
  })
  const exported = program.body.filter((node) => node.type === "ExportDefaultDeclaration")
  const [only] = exported
  if (only === undefined || exported.length > 1)
    found.push({
      at: whole,
      message: "it has to export its strategy by default, once",
      hint: "export default { about, keys, decide }"
    })
  if (found.length > 0 || only === undefined) return found.map(wrong)
  return `${withInsertions(text, stepsOf(program), only)}\n;return ${reserved.kind}`
}

/** `export default` becomes a name, in its place. */
const withInsertions = (
  text: string,
  insertions: ReadonlyArray<Insertion>,
  exported: { readonly start: number; readonly declaration: { readonly start: number } }
): string => {
  let made = ""
  let from = 0
  const named = { at: exported.start, text: `const ${reserved.kind}=` }
  for (const { at, text: inserted } of inTextOrder([...insertions, named])) {
    made += text.slice(from, at) + inserted
    from = at === exported.start ? exported.declaration.start : at
  }
  return made + text.slice(from)
}

/** The parameter by which the code counts. */
export const stepName = reserved.step
