/** What the arguments of a call must be, apart from their meaning: alike where they are compared, and timeframes. */
import { type Report, report, type Span } from "../Problem.ts"
import { isTimeframe } from "../Timeframe.ts"
import type { Expression } from "./Grammar.ts"
import { described } from "./Operators.ts"
import type { Term } from "./Term.ts"

/** Values that a function compares with each other must have one type. */
export const areAlike = (
  terms: ReadonlyArray<Term>,
  parameters: ReadonlyArray<string>,
  given: ReadonlyArray<Expression>,
  usage: string,
  { to, placeOf }: { readonly to: Report; readonly placeOf: (at: Span) => Span }
): boolean => {
  const first = terms[0]
  const other = terms.findIndex((term, index) => {
    const fits = first === undefined || term.type === first.type || term.isLiteral || first.isLiteral
    return parameters[index] === "value" && !fits
  })
  const [tree, term] = [given[other], terms[other]]
  if (first === undefined || tree === undefined || term === undefined) return true
  report(to, placeOf(tree), `expected ${described(first.type)}, found ${described(term.type)}`, usage)
  return false
}

export const timeframeOf = (tree: Expression | undefined): string | undefined =>
  tree?.type === "number" && isTimeframe(`${tree.value}${tree.unit}`) ? `${tree.value}${tree.unit}` : undefined
