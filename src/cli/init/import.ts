/** `limitbot import BOT FILE`: a strategy of another bot as a strategy file, on the standard output. */
import { Console, Effect, Result } from "effect"
import { Argument, Command } from "effect/cli"
import * as Decimal from "../../domain/Decimal.ts"
import * as Importing from "../../importers/Importing.ts"
import { orWrong } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"

const budgetIn = (text: string): Result.Result<Decimal.Decimal, string> => {
  const amount = Decimal.parse(text)
  return amount !== undefined && Decimal.isPositive(amount)
    ? Result.succeed(amount)
    : Result.fail(`--budget ${text} is not an amount: write a number above zero, in the quote asset`)
}

export const command = Command.make(
  "import",
  {
    bot: Argument.Literals("bot", Importing.bots).pipe(Argument.withDescription("Whose file it is")),
    file: flags.argument("file", "Its configuration, YAML or JSON"),
    market: flags.text("market", "The market, if it differs from the original"),
    budget: flags.text("budget", "Largest quote amount that it may use")
  },
  Effect.fn(function* ({ bot, budget, file, market }) {
    const amount = budget === undefined ? undefined : yield* orWrong(budgetIn(budget))
    yield* Console.log(yield* Importing.strategyText({ bot, file, market, budget: amount }))
  })
).pipe(
  flags.help("Turn a strategy of another bot into a strategy file, and list what cannot be imported", {
    "limitbot import hummingbot conf_pure_mm.yml --budget 2000 > strategies/quotes.yaml":
      "A market maker of Hummingbot",
    "limitbot import 3commas bot.json --market BTC/USDC > strategies/deals.yaml": "A DCA or grid bot of 3Commas",
    "limitbot import passivbot config.json --market BTC/USDC --budget 1000": "The long side of Passivbot"
  })
)
