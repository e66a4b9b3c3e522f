/** The checks of a price program: it must return a price with its time for a market that it knows, and none for an unknown market. */
import { Clock, Effect } from "effect"
import * as SecondSourceProgram from "../../orderbook/SecondSourceProgram.ts"
import type { Program } from "../../programs/Program.ts"
import * as Check from "./Check.ts"

export const checked = Effect.fn("PriceChecks.checked")(function* (
  program: Program,
  market: string,
  limitMillis: number = SecondSourceProgram.terms.limitMillis
) {
  const now = yield* Clock.currentTimeMillis
  const answered = (run: Parameters<typeof SecondSourceProgram.answerOf>[0]) => SecondSourceProgram.answerOf(run, now)
  const tells: Check.ProgramCheck["faultOf"] = (run) => {
    const answer = answered(run)
    if (answer._tag === "Failed") return `it ${answer.reason}`
    return answer._tag === "None" ? "it has no recent price" : undefined
  }
  const question = SecondSourceProgram.questionOf(market)
  const programChecks: ReadonlyArray<Check.ProgramCheck> = [
    { check: `prints the price of ${market}`, question, faultOf: tells },
    {
      check: "ignores keys of a later version in the question",
      question: `${JSON.stringify({ ...JSON.parse(question), added: { later: [1] } })}\n`,
      faultOf: tells
    },
    {
      check: "has no price of a market that does not exist",
      question: SecondSourceProgram.questionOf("NOTHING/NOWHERE"),
      faultOf: (run) => {
        const answer = answered(run)
        return answer._tag === "Told" ? `it told ${answer.listed.mid}` : undefined
      }
    }
  ]
  return yield* Check.programs(program, programChecks, { ...SecondSourceProgram.terms, limitMillis })
})
