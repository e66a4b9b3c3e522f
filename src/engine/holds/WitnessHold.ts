/**
 * Stops all funding when an outside witness of the journal's head has seen other or later events than this journal has, and what ends
 * it: the operator's decision to go on with this journal (`resolve witness --forget`). A newer journal that is restored has no such
 * event, so the hold is gone with it.
 */
import { Result } from "effect"
import type { BotEvent, Of } from "../../domain/BotEvent.ts"
import { recovered, slotOfFound } from "../../domain/Placement.ts"
import { ofWitness, type RunState } from "../state/RunState.ts"

const todo =
  "put the newer journal back (limitbot journal restore), or let this one go on: limitbot resolve witness --forget --because 'NAME: why'"

export const disagreement = ({ witnessed }: Pick<RunState, "witnessed">) =>
  witnessed === undefined || witnessed.isAccepted
    ? undefined
    : {
        text: `the journal is not what its witness saw: ${witnessed.text}`,
        sentence: `The journal is not what its witness saw, nothing is funded: ${witnessed.text}; ${todo}`
      }

/** Lets the journal continue although a witness saw more of it. A person who knows the location of the rest decides this. */
export const goingOn = (
  state: Pick<RunState, "witnessed">,
  { text, word }: Pick<Of<"Resolved">, "text" | "word">
): Result.Result<ReadonlyArray<BotEvent>, string> => {
  if (disagreement(state) === undefined) return Result.fail("the witness says nothing else than the journal")
  if (word !== "forget") return Result.fail(`${ofWitness}: say --forget to go on with this journal; or ${todo}`)
  const about = { strategy: recovered, slot: slotOfFound(ofWitness), placement: ofWitness }
  return Result.succeed([{ _tag: "Resolved", ...about, word, text }])
}
