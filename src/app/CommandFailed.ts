/** Ends a command with code 1. Its message says why, about which thing, and what to do. Callers do not distinguish its causes. */
import { Schema } from "effect"

export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}

export const commandFailed = (message: string) => new CommandFailed({ message })
