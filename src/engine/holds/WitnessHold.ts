/**
 * Stops all funding if an outside witness of the journal's head has seen other or later events than this journal has. The operator ends it
 * with `resolve witness --forget`. A newer journal that is restored does not contain the finding, so the hold ends with it.
 */
import { Result } from "effect"
import type { BotEvent, Of } from "../../domain/BotEvent.ts"
import { recovered, slotOfFound } from "../../domain/Placement.ts"
import { ofWitness, type RunState } from "../state/RunState.ts"

const todo =
  "restore the newer journal (limitbot journal restore), or accept this one: limitbot resolve witness --forget --because 'NAME: why'"

export const disagreement = ({ witnessed }: Pick<RunState, "witnessed">) =>
  witnessed === undefined || witnessed.isAccepted
    ? undefined
    : {
        text: `the journal differs from its witness: ${witnessed.text}`,
        sentence: `The journal differs from its witness, nothing is funded: ${witnessed.text}; ${todo}`
      }

/** Lets the journal continue although a witness saw more of it. Only a person who knows where the rest is may decide this. */
export const goingOn = (
  state: Pick<RunState, "witnessed">,
  { text, word }: Pick<Of<"Resolved">, "text" | "word">
): Result.Result<ReadonlyArray<BotEvent>, string> => {
  if (disagreement(state) === undefined) return Result.fail("the witness agrees with the journal")
  if (word !== "forget") return Result.fail(`${ofWitness}: use --forget to continue with this journal; or ${todo}`)
  const about = { strategy: recovered, slot: slotOfFound(ofWitness), placement: ofWitness }
  return Result.succeed([{ _tag: "Resolved", ...about, word, text }])
}
