/** One answer of the table of start checks: what is so, and what to do about it. */
import { Schema } from "effect"
import type * as StartUp from "../../engine/StartUp.ts"
import type { chargedRow } from "../../report/text/LearnedFee.ts"

/** A start check ends the start: another one ends alike until a person has changed something. */
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
  /** What the answers to orders said of one fee. */
  readonly charged?: ReturnType<typeof chargedRow>
  /** A start, and a plan of it, fail with this. */
  readonly refusal?: StartRefusal
}

export const ok = (check: string, text: string): CheckFinding => ({ check, verdict: "ok", text })

export const warn = (check: string, text: string, fix: string): CheckFinding => ({ check, verdict: "warn", text, fix })

/** To be fixed, while a bot could start. */
export const wrong = (check: string, text: string, fix: string): CheckFinding => ({
  check,
  verdict: "wrong",
  text,
  fix
})

/** No bot starts before it is fixed. */
export const stops = (
  check: string,
  text: string,
  fix: string,
  refusal: StartRefusal = new StartRefused({ text, fix })
): CheckFinding => ({ ...wrong(check, text, fix), refusal })
