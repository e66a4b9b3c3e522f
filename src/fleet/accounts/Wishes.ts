/**
 * Sets the target state of whole accounts: trade, place nothing new, or cancel everything. The state is a row, so it holds for any runner
 * of the account. A resume also sends a command to the owners, because a pause in a journal lasts until the journal records its end.
 */
import { Effect } from "effect"
import { speaking } from "../../app/journal/AccountWords.ts"
import { theOperator } from "../../control/Operator.ts"
import { Registry, type WantedState } from "../../journal/postgres/Registry.ts"

export const wantedBy = { pause: "paused", resume: "running", kill: "killed", release: "running" } as const

/** Returns the number of accounts with these names, or of all accounts if no names are passed. */
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
