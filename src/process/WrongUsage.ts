/** Ends the program with code 2: the value of a flag is invalid, or flags contradict each other. */
import { Effect, type Result, Schema } from "effect"

export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", { message: Schema.String }) {}

export const wrongUsage = (message: string) => new WrongUsage({ message })

export const orWrong = <A>(read: Result.Result<A, string>): Effect.Effect<A, WrongUsage> =>
  Effect.mapError(Effect.fromResult(read), wrongUsage)
