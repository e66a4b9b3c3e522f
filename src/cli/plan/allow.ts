/** `--allow`, for every command that a finding of `plan` may stop. It is not in `flags.ts`, because most commands load no engine. */
import { Flag } from "effect/cli"
import { findingNames } from "../../engine/planning/ahead/PlanFindings.ts"

export const allow = Flag.Literals("allow", findingNames).pipe(
  Flag.withDescription("Accept a finding of `plan` by its name; may be repeated"),
  Flag.atLeast(0)
)
