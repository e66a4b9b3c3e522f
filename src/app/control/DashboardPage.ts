/**
 * Makes the line that leads a person to the dashboard. On a terminal it has the token in the fragment of the address, which browsers never
 * send. Other outputs may be stored, so their line names the file with the token.
 */
import { Effect, Redacted } from "effect"
import * as Tokens from "../../control/http/Tokens.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { Terminal } from "../../process/Terminal.ts"

export const line = Effect.fn("DashboardPage.line")(function* (journal: string, url: string) {
  const { isInteractive } = yield* Terminal
  const file = Tokens.operatorFile(journal)
  const elsewhere = `${url}  token in ${file}`
  if (!isInteractive) return elsewhere
  return yield* Tokens.readToken(file).pipe(
    Effect.map((token) => `${url}/#token=${Redacted.value(token)}`),
    Effect.orElseSucceed(() => elsewhere)
  )
})

export const pageOf = Effect.fn("DashboardPage.pageOf")(function* (config: string) {
  const { journal } = yield* ConfigFile.loadSettings(config)
  const url = yield* RunningBot.reachable(journal)
  const pageLine = yield* line(journal, url)
  return {
    data: () => ({ dashboard: url, tokenFile: Tokens.operatorFile(journal) }),
    lines: () => [pageLine]
  } satisfies CommandAnswer
})
