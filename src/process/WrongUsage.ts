/** What was asked for makes no sense: a flag's value means nothing, or flags contradict each other. The program ends with code 2. */
import { Effect, type Result, Schema } from "effect"

export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", { message: Schema.String }) {}

/** What was read from the command line, or a sentence that says what is wrong with it. */
export const orWrong = <A>(read: Result.Result<A, string>): Effect.Effect<A, WrongUsage> =>
  Effect.mapError(Effect.fromResult(read), (message) => new WrongUsage({ message }))
