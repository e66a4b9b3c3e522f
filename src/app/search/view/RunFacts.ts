/** What every report of a search says of its origin: the file and the data that it ran with, and who made it when. */
import { iso } from "../../../domain/Text.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import { version } from "../../../version.ts"
import type { FileRun } from "../OnMarkets.ts"
import { sha256Of } from "../SearchSetUp.ts"

interface Reported {
  /** On the file's own market first. */
  readonly runs: readonly [FileRun, ...ReadonlyArray<FileRun>]
}

type Fact = readonly [string, string]

/** The parts of a page that are the same for all; `what` says what was done, `more` stands before who made it. */
export const pageOf = (
  what: string,
  { runs }: Reported,
  about: string,
  madeAt: number,
  more: ReadonlyArray<Fact> = []
) => {
  const [{ strategy, fees }] = runs
  const facts: ReadonlyArray<Fact> = [
    ["strategy file", `${strategy.file}, SHA-256 ${strategy.hash}`],
    ...runs.map((run) => ["data", `${run.data}, SHA-256 ${sha256Of(run)}`] as const),
    ...more,
    ["made", `${iso(madeAt)} by limitbot ${version}`]
  ]
  return {
    title: `${what}: ${strategy.name} on ${marketNames(strategy)}`,
    subtitle: `${strategy.kind} from ${strategy.file}, ${about}`,
    fees: fees.sentence,
    facts,
    text: strategy.text
  }
}
