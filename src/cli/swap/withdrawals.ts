/** `limitbot swap withdrawals`: what a swap of type ANY_INPUT has paid out. */
import { Argument, Command, Flag } from "effect/cli"
import { listPayouts } from "../../app/swap/SwapPayouts.ts"
import * as Answer from "../../process/Answer.ts"
import { mostWithdrawals } from "../../venue/api/DepositsApi.ts"
import { TimestampText } from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const withdrawals = Command.make(
  "withdrawals",
  {
    query: {
      depositAddress: Argument.String("address").pipe(Argument.withDescription("Deposit address of the swap")),
      depositMemo: flags.orMissing(flags.text("memo", "Its deposit memo, when it has one")),
      timestampFrom: Flag.String("since").pipe(
        Flag.withSchema(TimestampText),
        Flag.withDescription("Nothing before this time, such as 2026-01-31T00:00:00Z"),
        Flag.optional,
        flags.orMissing
      ),
      page: flags.byDefault("Which page", 1)(flags.integerIn("page", 1)),
      limit: flags.byDefault(
        "Most withdrawals of a page",
        mostWithdrawals
      )(flags.integerIn("limit", 1, mostWithdrawals)),
      sortOrder: flags.choiceOr("order", ["asc", "desc"], "asc: the oldest first", "desc")
    },
    config: flags.config,
    json: flags.json
  },
  Answer.printAnswerOf(listPayouts)
).pipe(
  help("List what a swap of type ANY_INPUT has paid out", {
    "limitbot swap withdrawals ADDRESS --json": "The newest fifty, for a program"
  })
)
