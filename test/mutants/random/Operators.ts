/**
 * The small mistakes that a file could contain: every place where one operator of the list below applies, as an edit of the
 * text. Texts that people read count for nothing here: templates, and what is thrown or logged.
 */
import { type ESTree, parseSync, Visitor } from "rolldown/utils"

export interface Mutation {
  readonly operator: string
  /** The text from `start` to `end` becomes `replacement`. */
  readonly start: number
  readonly end: number
  readonly replacement: string
  /** What it replaces; an element or a property goes with its comma. */
  readonly place: "expression" | "statement" | "element" | "property"
  /** It is evaluated once, when the file is loaded, and not when a function runs. */
  readonly isStatic: boolean
}

const swaps = new Map<string, readonly [operator: string, becomes: string]>([
  ["&&", ["swap && and ||", "||"]],
  ["||", ["swap && and ||", "&&"]],
  ["<", ["move the bound", "<="]],
  ["<=", ["move the bound", "<"]],
  [">", ["move the bound", ">="]],
  [">=", ["move the bound", ">"]],
  ["===", ["negate equality", "!=="]],
  ["!==", ["negate equality", "==="]],
  ["+", ["swap + and -", "-"]],
  ["-", ["swap + and -", "+"]],
  ["*", ["swap * and /", "/"]],
  ["/", ["swap * and /", "*"]],
  ["+=", ["swap + and -", "-="]],
  ["-=", ["swap + and -", "+="]]
])

const constants = new Map([
  ["0", "1"],
  ["1", "0"],
  ["0n", "1n"],
  ["1n", "0n"],
  ["true", "false"],
  ["false", "true"]
])

const methods = new Map([
  ["max", "min"],
  ["min", "max"],
  ["some", "every"],
  ["every", "some"]
])

const leaves = new Set(["ReturnStatement", "ContinueStatement", "BreakStatement", "ThrowStatement"])

const isString = ({ type, ...node }: ESTree.Expression | ESTree.PrivateIdentifier): boolean =>
  type === "TemplateLiteral" || (type === "Literal" && "value" in node && typeof node.value === "string")

export const mutationsOf = (file: string, text: string): ReadonlyArray<Mutation> => {
  const found: Array<Mutation> = []
  const quiet: Array<ESTree.Span> = []
  const types = new Set<ESTree.Span>()
  const same = new Set<ESTree.Span>()
  let functions = 0
  const textOf = ({ end, start }: ESTree.Span) => text.slice(start, end)
  const add = (operator: string, { end, start }: ESTree.Span, replacement: string, place: Mutation["place"]) =>
    void found.push({ operator, start, end, replacement, place, isStatic: functions === 0 })
  const into = () => {
    functions += 1
  }
  const outOf = () => {
    functions -= 1
  }

  const swap = (node: ESTree.BinaryExpression | ESTree.LogicalExpression | ESTree.AssignmentExpression) => {
    const [operator, becomes] = swaps.get(node.operator) ?? []
    if (operator === undefined || isString(node.left as ESTree.Expression) || isString(node.right)) return
    const between = text.slice(node.left.end, node.right.start).replace(node.operator, () => becomes ?? "")
    const swapped = `${textOf(node.left)}${between}${textOf(node.right)}`
    add(operator, node, node.type === "AssignmentExpression" ? swapped : `(${swapped})`, "expression")
  }

  /** `a < b ? a : b`: of equal ones it does not matter which. */
  const isChoice = ({ alternate, consequent, test }: ESTree.ConditionalExpression): boolean =>
    test.type === "BinaryExpression" &&
    [textOf(test.left), textOf(test.right)].sort().join() === [textOf(consequent), textOf(alternate)].sort().join()

  const isLog = (node: ESTree.Expression): boolean =>
    /^(?:yield\* )?(?:Effect\.(?:log|annotate|withSpan)|console\.)/.test(textOf(node))

  new Visitor({
    FunctionDeclaration: into,
    "FunctionDeclaration:exit": outOf,
    FunctionExpression: into,
    "FunctionExpression:exit": outOf,
    ArrowFunctionExpression: into,
    "ArrowFunctionExpression:exit": outOf,
    TSLiteralType: ({ literal }) => void types.add(literal.type === "UnaryExpression" ? literal.argument : literal),
    TemplateLiteral: (node) => void quiet.push(node),
    ThrowStatement: (node) => void quiet.push(node),
    IfStatement: (node) => {
      add("negate the condition", node.test, `!(${textOf(node.test)})`, "expression")
      const [last] = node.consequent.type === "BlockStatement" ? node.consequent.body.slice(-1) : [node.consequent]
      const operator = last !== undefined && leaves.has(last.type) ? "drop the guard" : "drop the branch"
      if (node.alternate === null) add(operator, node, "{}", "statement")
    },
    ConditionalExpression: (node) => {
      add("negate the condition", node.test, `!(${textOf(node.test)})`, "expression")
      if (isChoice(node)) same.add(node.test)
    },
    LogicalExpression: swap,
    BinaryExpression: (node) => {
      if (!same.has(node)) swap(node)
      if (!/^[!=]==$/.test(node.operator)) return
      for (const side of [node.left, node.right]) {
        if (side.type === "Literal" && typeof side.value === "string") {
          add("change the tag", side, '"another"', "expression")
        }
      }
    },
    AssignmentExpression: swap,
    UnaryExpression: (node) => {
      if (node.operator === "!") add("drop !", node, `(${textOf(node.argument)})`, "expression")
    },
    Literal: (node) => {
      const becomes = constants.get(node.raw ?? "")
      if (becomes !== undefined && !types.has(node)) add("change the constant", node, becomes, "expression")
    },
    Property: ({ computed, key }) => void (computed || types.add(key)),
    SwitchCase: ({ test }) => {
      if (test !== null && isString(test)) add("change the tag", test, '"another"', "expression")
    },
    ExpressionStatement: (node) => {
      if (isLog(node.expression)) quiet.push(node)
      else if (node.directive === undefined || node.directive === null)
        add("drop the statement", node, "{}", "statement")
    },
    CallExpression: (node) => {
      if (isLog(node)) quiet.push(node)
      if (node.callee.type !== "MemberExpression" || node.callee.computed) return
      const { property } = node.callee
      const becomes = methods.get(textOf(property))
      if (becomes !== undefined) add("swap the method", property, becomes, "expression")
    },
    ArrayExpression: ({ elements }) => {
      for (const element of elements) if (element !== null) add("drop the element", element, "", "element")
    },
    VariableDeclarator: ({ init }) => {
      const table = init?.type === "TSSatisfiesExpression" || init?.type === "TSAsExpression" ? init.expression : init
      if (functions > 0 || table?.type !== "ObjectExpression" || table.properties.length < 2) return
      for (const row of table.properties) add("drop the row", row, "", "property")
    }
  }).visit(parseSync(file, text).program)

  return found.filter(({ end, start }) => !quiet.some((span) => span.start <= start && end <= span.end))
}

/** The text with one mutation. What stood in a list goes with its comma. */
export const mutated = (text: string, { end, place, replacement, start }: Mutation): string => {
  const comma = place === "element" || place === "property" ? (/^\s*,/.exec(text.slice(end))?.[0].length ?? 0) : 0
  return `${text.slice(0, start)}${replacement}${text.slice(end + comma)}`
}
