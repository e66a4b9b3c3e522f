/** Compares the service's answers to read-only requests with the answers that this program expects. It moves nothing and writes nothing. */
import { Effect } from "effect"
import * as Drift from "../../domain/Drift.ts"
import { type CommandAnswer, PrintedFailure } from "../../process/Answer.ts"
import { Canary } from "../../venue/canary/Canary.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

export const compared = Effect.fn("ServiceComparison.compared")(function* ({ config }: { readonly config: string }) {
  const { found } = yield* VenueAccess.look(config, ({ markets }) =>
    Canary.use((canary) => canary.look(markets.assets))
  )
  const { checked, drift, unchecked } = found
  const why = Drift.closing(drift)
  return {
    data: () => ({ drift, checked, unchecked }),
    lines: () => [
      ...drift.map((each) => `${each.closesFunding ? "CHANGED" : "differs"}  ${Drift.sentenceOf(each)}`),
      ...(drift.length === 0 ? ["The service is as it was recorded."] : []),
      `Compared: ${checked.join(", ") || "nothing"}.`,
      ...unchecked.map(({ what, why }) => `Not compared: ${what}: ${why}`)
    ],
    exit: why === undefined ? undefined : new PrintedFailure({ message: why })
  } satisfies CommandAnswer
})
