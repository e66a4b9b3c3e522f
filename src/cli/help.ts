/** The help of a command: one sentence, and examples with their purposes. */
import { Command } from "effect/cli"

export const help =
  (description: string, examples: Readonly<Record<string, string>> = {}) =>
  <const Name extends string, Input, ContextInput, E, R>(command: Command.Command<Name, Input, ContextInput, E, R>) =>
    command.pipe(
      Command.withDescription(description),
      Command.withExamples(Object.entries(examples).map(([command, description]) => ({ command, description })))
    )
