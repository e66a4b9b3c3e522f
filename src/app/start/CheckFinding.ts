/** One finding of the start checks: a fact, and its remedy. */
import { Schema } from "effect"
import type * as StartUp from "../../engine/StartUp.ts"
import type { chargedRow } from "../../report/text/LearnedFee.ts"

export class StartRefused extends Schema.TaggedError<StartRefused>()("StartRefused", {
  text: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `${this.text}. Nothing was started. To fix it: ${this.fix}`
  }
}

export type StartRefusal = StartRefused | StartUp.Contradiction

export interface CheckFinding {
  readonly check: string
  readonly verdict: "ok" | "warn" | "wrong"
  readonly text: string
  readonly fix?: string
  readonly charged?: ReturnType<typeof chargedRow>
  readonly refusal?: StartRefusal
}

export const ok = (check: string, text: string): CheckFinding => ({ check, verdict: "ok", text })

export const warn = (check: string, text: string, fix: string): CheckFinding => ({ check, verdict: "warn", text, fix })

export const wrong = (check: string, text: string, fix: string): CheckFinding => ({
  check,
  verdict: "wrong",
  text,
  fix
})

export const stops = (
  check: string,
  text: string,
  fix: string,
  refusal: StartRefusal = new StartRefused({ text, fix })
): CheckFinding => ({ ...wrong(check, text, fix), refusal })
