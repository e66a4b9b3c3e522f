/**
 * What accounts are to do as a whole: trade, place nothing new, or withdraw everything. It is a row, so it holds whoever runs the account. That
 * accounts may trade again is a word to their owners besides, because what an operator paused in a journal stays paused until it is said.
 */
import { Effect } from "effect"
import { speaking } from "../../app/journal/AccountWords.ts"
import { theOperator } from "../../control/Operator.ts"
import { Registry, type WantedState } from "../../journal/postgres/Registry.ts"

/** By the commands of an operator. */
export const wantedBy = { pause: "paused", resume: "running", kill: "killed", release: "running" } as const

/** Returns how many accounts there are with these names; without names all of them. */
export const say = Effect.fn("Wishes.say")(function* (
  wanted: WantedState,
  why: string,
  names: ReadonlyArray<string>,
  by = theOperator
) {
  const changed = yield* Registry.use((registry) => registry.wish(wanted, why, names))
  if (wanted === "running") yield* (yield* speaking).sayToAll(by, { _tag: "Command", name: "resume", why }, changed)
  return changed.length
})
