/**
 * In which order the names of rules are compiled: each after the names that its expressions mention, wherever those stand in
 * the file. Names that need each other have no order. They are reported, and stand for nothing.
 */
import { Result } from "effect"
import { type Expression, parse } from "../../expression/Grammar.ts"
import type { Located } from "../../Fields.ts"
import { quoted, type Report, report } from "../../Problem.ts"

/** A name, and the texts that say what it is. */
interface NamedRow {
  readonly name: Located<string>
  readonly texts: ReadonlyArray<string>
}

const partsOf = (tree: Expression): ReadonlyArray<Expression> => {
  switch (tree.type) {
    case "number":
    case "name":
    case "market":
      return []
    case "call":
      return tree.arguments
    case "unary":
    case "past":
      return [tree.operand]
    case "if":
      return [tree.condition, tree.then, tree.otherwise]
    case "binary":
      return [tree.left, tree.right]
  }
}

const mentionedIn = (tree: Expression): ReadonlyArray<string> =>
  tree.type === "name" ? [tree.name] : partsOf(tree).flatMap(mentionedIn)

/** What cannot be read mentions nothing; whoever compiles it says why. A name in its own text is its last value. */
const mentioned = ({ name, texts }: NamedRow): ReadonlyArray<string> =>
  texts.flatMap((text) => {
    const tree = parse(text)
    return Result.isFailure(tree) ? [] : mentionedIn(tree.success).filter((other) => other !== name.value)
  })

interface Ordered<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Those that need each other. */
  readonly circular: ReadonlySet<string>
}

export const inOrder = <Row extends NamedRow>(rows: ReadonlyArray<Row>, to: Report): Ordered<Row> => {
  const byName = new Map(rows.map((row) => [row.name.value, row]))
  const [done, ordered, circular] = [new Set<Row>(), [] as Row[], new Set<string>()]
  const visit = (row: Row, way: ReadonlyArray<Row>): void => {
    const begun = way.indexOf(row)
    if (begun >= 0) return circle(way.slice(begun))
    if (done.has(row)) return
    for (const name of mentioned(row)) {
      const other = byName.get(name)
      if (other !== undefined) visit(other, [...way, row])
    }
    if (done.has(row)) return
    done.add(row)
    ordered.push(row)
  }
  const circle = (way: ReadonlyArray<Row>): void => {
    const names = way.map(({ name }) => name.value)
    if (names.every((name) => circular.has(name))) return
    for (const name of names) circular.add(name)
    const [first, ...others] = way.toSorted((a, b) => a.name.start - b.name.start)
    if (first === undefined) return
    const needs = others.map(({ name }) => quoted(name.value)).join(", ")
    const text = `${quoted(first.name.value)} and ${needs} need each other, so none of them can be computed first`
    report(to, first.name, text, "let one of them look at its own last value alone")
  }
  for (const row of rows) visit(row, [])
  return { rows: ordered, circular }
}
