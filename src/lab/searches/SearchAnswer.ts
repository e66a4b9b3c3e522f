/** Prints the result of a search as text, report and JSON, with an exit code for scripts. */
import { Clock, Effect, FileSystem } from "effect"
import { commandFailed } from "../../app/CommandFailed.ts"
import * as Answer from "../../process/Answer.ts"
import type { Page } from "../../report/Page.ts"
import * as PageText from "../../report/text/PageText.ts"
import * as HtmlPage from "../html/HtmlPage.ts"

interface Form<Found> {
  readonly page: (found: Found, madeAt: number) => Page
  readonly json: (found: Found) => object
  readonly failure?: (found: Found) => string | undefined
}

export const searching = <Asked, Found, E, R>(
  run: (asked: Asked) => Effect.Effect<Found, E, R>,
  { page, json, failure }: Form<Found>
) =>
  Effect.fn(
    function* (input: Asked & { readonly json: boolean; readonly report: string | undefined }) {
      const outcome = yield* run(input)
      const document = page(outcome, yield* Clock.currentTimeMillis)
      if (input.report !== undefined) {
        const fileSystem = yield* FileSystem.FileSystem
        yield* fileSystem.writeFileString(input.report, HtmlPage.render(document))
      }
      const message = failure?.(outcome)
      const exit = message === undefined ? undefined : commandFailed(message)
      return { data: () => json(outcome), lines: () => PageText.lines(document), exit }
    },
    Answer.print,
    Effect.scoped
  )
