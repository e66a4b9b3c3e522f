/**
 * Whether a plug-in keeps its contract (`docs/plug-ins.md`): it is asked as the bot asks it, by the bot's own code, and its
 * answers are judged by the bot's own rules; beside them stands what no kind of program may do. Nothing that is asked moves
 * money or tells anybody anything of a bot.
 */
import { Effect } from "effect"
import * as Program from "../../programs/Program.ts"

/** One thing that a plug-in must do, and why it did not, if so. */
export interface Tried {
  readonly check: string
  readonly fault: string | undefined
}

/** One question to a program. */
export interface ProgramCheck {
  readonly check: string
  readonly question: string
  /** Why what came of it is wrong, where the program ended by itself. */
  faultOf(run: Program.ProgramRun): string | undefined
}

export type ProgramLimits = Pick<Program.ProgramTerms, "environment" | "limitMillis" | "mostOutput">

/** One question after the other. */
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

/** What no kind of program may do. */
const misbehaviour = (
  run: Program.ProgramRun,
  { limitMillis, mostOutput }: ProgramLimits,
  publicKey: string
): string | undefined => {
  const said = `${run.output}\n${run.errors}`
  if (run.end._tag !== "Exited") return `it ${Program.endInWords(run, limitMillis)}`
  if (run.isCut) return `it printed more than ${mostOutput} characters: the bot reads no further`
  if (run.isHeld)
    return "something that it started goes on and holds its input or output: a bot reads for one more second"
  if ((publicKey === "" ? said : said.replaceAll(publicKey, "")).match(Program.looksSecret) !== null)
    return "it printed what looks like a key or a token: what it prints may stand in a log"
  return undefined
}
