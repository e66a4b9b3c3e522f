/** The request makes no sense: a flag's value is invalid, or flags contradict each other. The program ends with code 2. */
import { Effect, type Result, Schema } from "effect"

export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", { message: Schema.String }) {}

export const orWrong = <A>(read: Result.Result<A, string>): Effect.Effect<A, WrongUsage> =>
  Effect.mapError(Effect.fromResult(read), (message) => new WrongUsage({ message }))
