/** What every report of a search says of its origin: the file and the data that it ran with, and who made it when. */
import { iso } from "../../domain/Text.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { version } from "../../version.ts"

export interface ReportedRun {
  readonly strategy: Strategy
  /** The file's own candles first, then those of further markets. */
  readonly ranOn: ReadonlyArray<{ readonly data: string; readonly sha256: string }>
  readonly fees: string
  /** Epoch milliseconds. */
  readonly madeAt: number
}

type Fact = readonly [string, string]

export const inputFacts = ({ strategy, ranOn }: ReportedRun): ReadonlyArray<Fact> => [
  ["strategy file", `${strategy.file}, SHA-256 ${strategy.hash}`],
  ...ranOn.map(({ data, sha256 }) => ["data", `${data}, SHA-256 ${sha256}`] as const)
]

export const madeFact = ({ madeAt }: ReportedRun): Fact => ["made", `${iso(madeAt)} by limitbot ${version}`]
