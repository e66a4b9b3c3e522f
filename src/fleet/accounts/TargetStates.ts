/**
 * Sets the target state of whole accounts. It is a row, so it holds for any runner of the account. A resume is also sent to the owners as a
 * command, because a pause in a journal lasts until the journal records its end. A release ends the kill switch only, as of a single bot.
 */
import { Effect } from "effect"
import { speaking } from "../../app/journal/AccountWords.ts"
import { theOperator } from "../../control/Operator.ts"
import { Registry, type WantedState } from "../../journal/postgres/Registry.ts"
import type { FleetCommand } from "../server/FleetApi.ts"

export const wantedBy = {
  pause: "paused",
  resume: "running",
  kill: "killed",
  release: "running"
} as const satisfies Readonly<Record<FleetCommand, WantedState>>

/** Returns the number of accounts that the command reaches; no names: all accounts. Only a release ends the kill switch, not a resume. */
export const say = Effect.fn("TargetStates.say")(function* (
  command: FleetCommand,
  why: string,
  names: ReadonlyArray<string>,
  by = theOperator
) {
  const registry = yield* Registry
  const reached = (yield* registry.all).filter(
    ({ name, wanted }) =>
      (names.length === 0 || names.includes(name)) &&
      (command !== "resume" || wanted !== "killed") &&
      (command !== "release" || wanted === "killed")
  )
  if (reached.length === 0) return 0
  const changed = yield* registry.wish(
    wantedBy[command],
    why,
    reached.map(({ name }) => name)
  )
  if (command === "resume") yield* (yield* speaking).sayToAll(by, { _tag: "Command", name: "resume", why }, changed)
  return changed.length
})
