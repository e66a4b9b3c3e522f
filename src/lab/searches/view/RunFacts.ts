/** Lists the facts of every search page: the search, its result, and the file, data and program behind it. */
import { iso } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import { version } from "../../../version.ts"
import type { FileRun } from "../OnMarkets.ts"
import { sha256Of } from "../SearchSetUp.ts"

interface Searched {
  readonly runs: readonly [FileRun, ...ReadonlyArray<FileRun>]
}

interface Told extends Pick<Page.Page, "headline" | "says" | "sections"> {
  readonly what: string
  readonly about: string
  readonly madeAt: number
  readonly more?: Page.Facts
}

export const nothingRan = (why: string | undefined): string => `Every trial was refused, for example: ${why}`

export const pageOf = ({ runs }: Searched, { what, about, madeAt, more = [], sections, ...found }: Told): Page.Page => {
  const [{ strategy, fees }] = runs
  const facts: Page.Facts = [
    ["strategy file", `${strategy.file}, SHA-256 ${strategy.hash}`],
    ...runs.map((run) => ["data", `${run.data}, SHA-256 ${sha256Of(run)}`] as const),
    ...more,
    ["made", `${iso(madeAt)} by limitbot ${version}`]
  ]
  const origin = [Page.facts(facts), Page.heading("Strategy file"), Page.file(strategy.text)]
  return {
    title: `${what}: ${strategy.name} on ${marketNames(strategy)}`,
    subtitle: `${strategy.kind} from ${strategy.file}, ${about}`,
    fees: [fees.sentence],
    ...found,
    sections: [...sections, { title: "Run", parts: origin, isPageOnly: true, isFolded: true }]
  }
}
