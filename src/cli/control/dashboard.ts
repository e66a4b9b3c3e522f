/** `limitbot dashboard`: where the page of the running bot is. It opens nothing. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as DashboardPage from "../../app/control/DashboardPage.ts"
import * as Tokens from "../../control/http/Tokens.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "dashboard",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    const { journal } = yield* ConfigFile.loadSettings(config)
    const url = yield* RunningBot.reachable(journal)
    if (json) return yield* Console.log(JSON.stringify({ dashboard: url, tokenFile: Tokens.operatorFile(journal) }))
    yield* Console.log(yield* DashboardPage.line(journal, url))
  })
).pipe(
  Command.withDescription("Print the address of the running bot's page, on a terminal with the token that opens it")
)
