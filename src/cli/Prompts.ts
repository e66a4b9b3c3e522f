/** Questions at a terminal. Ctrl-C leaves the cursor behind the question, so what is said next begins on a line of its own. */
import { Console, Effect } from "effect"
import { Prompt } from "effect/cli"

export const run = <A>(prompt: Prompt.Prompt<A>) =>
  Prompt.run(prompt).pipe(Effect.tapErrorTag("QuitError", () => Console.log("")))
