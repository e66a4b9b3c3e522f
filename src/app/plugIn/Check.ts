/** Checks that a plug-in keeps its contract (`docs/plug-ins.md`), by the bot's code and rules. No call can move money. */
import { Effect } from "effect"
import * as Program from "../../programs/Program.ts"

export const kinds = ["notifier", "price", "wallet", "kms", "signer"] as const

export interface Tried {
  readonly check: string
  readonly fault: string | undefined
}

export interface ProgramCheck {
  readonly check: string
  readonly question: string
  /** Returns the fault of a program that ended by itself; `undefined` if there is none. */
  faultOf(run: Program.ProgramRun): string | undefined
}

export type ProgramLimits = Pick<Program.ProgramTerms, "environment" | "limitMillis" | "mostOutput">

export const programs = (
  program: Program.Program,
  checks: ReadonlyArray<ProgramCheck>,
  limits: ProgramLimits,
  publicKey = ""
) =>
  Effect.forEach(
    checks,
    Effect.fnUntraced(function* ({ check, faultOf, question }) {
      const run = yield* Program.run(program, question, { ...limits, errors: "kept" })
      return { check, fault: misbehaviour(run, limits, publicKey) ?? faultOf(run) } satisfies Tried
    })
  )

const misbehaviour = (
  run: Program.ProgramRun,
  { limitMillis, mostOutput }: ProgramLimits,
  publicKey: string
): string | undefined => {
  const printedText = `${run.output}\n${run.errors}`
  if (run.end._tag !== "Exited") return `it ${Program.endInWords(run, limitMillis)}`
  if (run.isCut) return `it printed more than ${mostOutput} characters: the bot reads no further`
  if (run.isHeld) return "a process that it started keeps its input or output open: a bot reads for one more second"
  if ((publicKey === "" ? printedText : printedText.replaceAll(publicKey, "")).match(Program.looksSecret) !== null)
    return "it printed something like a key or a token, which may end up in a log"
  return undefined
}
