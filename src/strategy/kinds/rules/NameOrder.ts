/**
 * Orders the names of rules for compilation: each comes after the names that its expressions mention. States that need each other are
 * compiled together, because each has a last value. Other names that need each other are reported and get no value.
 */
import { Result } from "effect"
import { type Expression, parse } from "../../expression/Grammar.ts"
import type { Located } from "../../Fields.ts"
import { quoted, type Report, report } from "../../Problem.ts"

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

/** A text that cannot be parsed mentions nothing; the compiler reports the reason. A name in its own text is its last value. */
const mentioned = ({ name, texts }: NamedRow): ReadonlyArray<string> =>
  texts.flatMap((text) => {
    const tree = parse(text)
    return Result.isFailure(tree) ? [] : mentionedIn(tree.success).filter((other) => other !== name.value)
  })

/** Groups names that need each other, each group after those that it needs: Tarjan's strongly connected components. */
const groupsOf = <Row extends NamedRow>(rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const byName = new Map(rows.map((row) => [row.name.value, row]))
  const [begun, groups, open] = [new Map<Row, number>(), [] as Array<ReadonlyArray<Row>>, [] as Row[]]
  const visit = (row: Row): number => {
    const at = begun.size
    begun.set(row, at)
    open.push(row)
    let earliest = at
    for (const name of mentioned(row)) {
      const other = byName.get(name)
      if (other === undefined) continue
      const visitIndex = begun.get(other)
      if (visitIndex === undefined) earliest = Math.min(earliest, visit(other))
      else if (open.includes(other)) earliest = Math.min(earliest, visitIndex)
    }
    if (earliest === at) groups.push(open.splice(open.indexOf(row)))
    return earliest
  }
  for (const row of rows) if (!begun.has(row)) visit(row)
  return groups.map((group) => group.toSorted((a, b) => a.name.start - b.name.start))
}

export const inOrder = <Row extends NamedRow>(rows: ReadonlyArray<Row>, isState: (row: Row) => boolean, to: Report) => {
  const groups = groupsOf(rows)
  const circles = groups.filter((group) => group.length > 1 && !group.every(isState))
  for (const [first, ...others] of circles) {
    if (first === undefined) continue
    const needs = others.map(({ name }) => quoted(name.value)).join(", ")
    const text = `${quoted(first.name.value)} and ${needs} need each other, so none of them can be computed first`
    report(to, first.name, text, "states may need each other's last value, NAME[1]: write out what stands between them")
  }
  return { groups, circular: new Set(circles.flat().map(({ name }) => name.value)) }
}
