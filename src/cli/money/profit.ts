/** `limitbot profit`: what trading has earned and cost so far, by the method that the user names. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { methods } from "../../ledger/Lots.ts"
import * as Profit from "../../ledger/Profit.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import * as flags from "../flags.ts"
import { withLedger } from "./LedgerView.ts"

export const command = Command.make(
  "profit",
  {
    config: flags.config,
    by: Flag.Literals("by", Profit.groupings).pipe(Flag.withDescription("Break it down"), Flag.optional),
    method: Flag.Literals("method", methods).pipe(
      Flag.withDescription("Which purchase a sale closes; strategies see average cost"),
      Flag.withDefault("average")
    ),
    json: flags.json
  },
  Effect.fn(function* ({ config, by, method, json }) {
    yield* withLedger(config, ({ trading, mark, markedAt, assets, now }) => {
      const grouping = Option.getOrUndefined(by)
      const whole = Profit.report(trading, { method, mark, now })
      const groups = grouping === undefined ? [] : Profit.report(trading, { method, by: grouping, mark, now })
      const profit = { method, whole, by: grouping, groups, markedAt }
      return Console.log(
        json ? JSON.stringify(ProfitText.json(profit, assets)) : ProfitText.lines(profit, assets).join("\n")
      )
    })
  })
).pipe(
  Command.withDescription("Show profit and loss: realised, unrealised, fees, and capital that came or went"),
  Command.withExamples([
    { command: "limitbot profit --by slot", description: "What each slot has earned" },
    { command: "limitbot profit --method fifo --json", description: "As tax offices count it" }
  ])
)
