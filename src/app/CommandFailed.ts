/** Ends a command with code 1. Its message says why, about which thing, and what to do. No caller treats one cause otherwise than another. */
import { Schema } from "effect"

export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}

export const commandFailed = (message: string) => new CommandFailed({ message })
