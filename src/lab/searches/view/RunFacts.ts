/** Lists the facts of every search page: the search, its result, and the file, data and program behind it. */
import type * as Page from "../../../report/Page.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import * as DataSections from "../../runs/view/DataSections.ts"
import type { FileRun } from "../OnMarkets.ts"
import { sha256Of } from "../SearchSetUp.ts"

interface Searched {
  readonly runs: readonly [FileRun, ...ReadonlyArray<FileRun>]
  readonly warnings: ReadonlyArray<string>
}

interface Told extends Pick<Page.Page, "headline" | "says" | "sections"> {
  readonly what: string
  readonly about: string
  readonly madeAt: number
  readonly more?: Page.Facts
}

export const nothingRan = (why: string | undefined): string => `Every trial was refused, for example: ${why}`

export const pageOf = (
  { runs, warnings }: Searched,
  { what, about, madeAt, more = [], sections, ...found }: Told
): Page.Page => {
  const [{ strategy, fees }] = runs
  const data = runs.map((run) => ["data", `${run.data}, SHA-256 ${sha256Of(run)}`] as const)
  return {
    title: `${what}: ${strategy.name} on ${marketNames(strategy)}`,
    subtitle: `${strategy.kind} from ${strategy.file}, ${about}`,
    fees: [fees.sentence],
    ...found,
    notes: warnings,
    sections: [...sections, DataSections.run(strategy, [...data, ...more], madeAt)]
  }
}
