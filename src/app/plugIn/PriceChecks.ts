/** What a price program must do: tell a price of a market that it knows, with its time, and none of a market that it does not. */
import { Clock, Effect } from "effect"
import * as PriceProgram from "../../orderbook/PriceProgram.ts"
import type { Program } from "../../programs/Program.ts"
import * as Check from "./Check.ts"

export const checked = Effect.fn("PriceChecks.checked")(function* (
  program: Program,
  market: string,
  limitMillis: number = PriceProgram.terms.limitMillis
) {
  const now = yield* Clock.currentTimeMillis
  const answered = (run: Parameters<typeof PriceProgram.answerOf>[0]) => PriceProgram.answerOf(run, now)
  const tells: Check.ProgramCheck["faultOf"] = (run) => {
    const answer = answered(run)
    if (answer._tag === "Failed") return `it ${answer.reason}`
    return answer._tag === "None" ? "it has no price that is new enough to be a witness" : undefined
  }
  const question = PriceProgram.questionOf(market)
  const tried: ReadonlyArray<Check.ProgramCheck> = [
    { check: `tells the price of ${market}`, question, faultOf: tells },
    {
      check: "tells it whatever a later version adds to the question",
      question: `${JSON.stringify({ ...JSON.parse(question), added: { later: [1] } })}\n`,
      faultOf: tells
    },
    {
      check: "has no price of a market that does not exist",
      question: PriceProgram.questionOf("NOTHING/NOWHERE"),
      faultOf: (run) => {
        const answer = answered(run)
        return answer._tag === "Told" ? `it told ${answer.listed.mid}` : undefined
      }
    }
  ]
  return yield* Check.programs(program, tried, { ...PriceProgram.terms, limitMillis })
})
