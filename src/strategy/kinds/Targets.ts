/** Targets of an exit: one price, or a list of prices with the part of the position that exits at each. The parts add up to the whole. */
import * as Decimal from "../../domain/Decimal.ts"
import * as Read from "../Fields.ts"
import { report } from "../Problem.ts"
import { share } from "./PriceLevels.ts"

export interface ExitTarget<A> {
  readonly at: A
  readonly part: Decimal.Decimal
}

const mostTargets = 10

export const targets = <A>(price: Read.Reader<A>): Read.Reader<ReadonlyArray<ExitTarget<A>>> => {
  const keys = {
    at: Read.required(price, "its price, as for a single target"),
    part: Read.required(share(Read.ratio), "this part of the size leaves there")
  }
  const only = Read.mapped(price, (at) => [{ at, part: Decimal.one }])
  const several = Read.mapped(Read.list(Read.section(keys)), (all, at, to) => {
    const sum = all.reduce((parts, { value }) => Decimal.add(parts, value.part), Decimal.zero)
    if (all.length > mostTargets) return report(to, at, `at most ${mostTargets} targets`)
    if (!Decimal.equals(sum, Decimal.one))
      return report(to, at, `the parts of the targets add up to ${Decimal.percent(sum)}, not to 100%`)
    return all.map(({ value }): ExitTarget<A> => ({ at: value.at, part: value.part }))
  })
  return Read.either(only, several, Read.isList)
}
