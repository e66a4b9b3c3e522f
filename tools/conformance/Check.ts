/**
 * A check is one sentence of the interface and a way to see whether a service keeps it. It holds, it fails, or it cannot be shown:
 * because the service does not let it be seen, or because the interface leaves open what a service answers there. Only what the
 * interface fixes can fail; where it is silent, our own reading of it is no law.
 */
import { CannotShow } from "./Seen.ts"
import type { World } from "./World.ts"

export type Verdict = "holds" | "fails" | "cannot show"

export interface Check {
  readonly id: string
  readonly sentence: string
  /** Returns what was seen; throws `Failure` or `CannotShow` otherwise. */
  readonly look: (world: World) => Promise<string | undefined>
}

export interface Outcome {
  readonly id: string
  readonly sentence: string
  readonly verdict: Verdict
  readonly detail: string
}

export const check = (id: string, sentence: string, look: (world: World) => Promise<string | undefined>): Check => ({
  id,
  sentence,
  look
})

const outcomeOf = async (world: World, { id, look, sentence }: Check): Promise<Outcome> => {
  try {
    return { id, sentence, verdict: "holds", detail: (await look(world)) ?? "" }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return {
      id,
      sentence,
      verdict: error instanceof CannotShow ? "cannot show" : "fails",
      detail: detail.slice(0, 500)
    }
  }
}

/** Lanes run beside each other, the checks of a lane one after the other; `report` hears of each as it is known. */
export const run = async (
  world: World,
  lanes: ReadonlyArray<ReadonlyArray<Check>>,
  report: (outcome: Outcome) => void
): Promise<ReadonlyArray<Outcome>> => {
  const done = await Promise.all(
    lanes.map(async (lane) => {
      const outcomes: Array<Outcome> = []
      for (const one of lane) {
        const outcome = await outcomeOf(world, one)
        outcomes.push(outcome)
        report(outcome)
      }
      return outcomes
    })
  )
  return done.flat()
}
