/** The words of a command as a request. A mistake names its word, the reason and a suggestion. */
import { Effect, Schema } from "effect"
import { sentenceOf } from "../../domain/Text.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import { numberHint } from "../../strategy/Problem.ts"

export const checked = <A>(schema: Schema.Decoder<A>, words: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(schema)(words), (error) => {
    const texts = Object.values(Object(words)).filter((word) => typeof word === "string")
    const hints = texts.flatMap((text) => numberHint(text) ?? [])
    return new WrongUsage({ message: [sentenceOf(error), ...hints].join("; ") })
  })
