/**
 * Which phones are told: `<journal>.phones`, readable only by its owner. A subscription belongs to the token with which it was made,
 * and lives no longer: whoever is revoked, or gets a new token, is told nothing by what the old one subscribed.
 */
import { Effect, Option, Schema } from "effect"
import * as WholeFile from "../../journal/WholeFile.ts"
import { Phone } from "../api/Push.ts"
import * as OwnFile from "../OwnFile.ts"

const Subscription = Schema.Struct({
  ...Phone.fields,
  name: Schema.String,
  /** SHA-256 of the token, in hexadecimal digits. */
  digest: Schema.String,
  since: Schema.Int
})
export type Subscription = typeof Subscription.Type

const List = Schema.fromJsonString(Schema.Array(Subscription))
const decode = Schema.decodeUnknownEffect(List)
const encode = Schema.encodeSync(List)

export class PhonesUnusable extends Schema.TaggedError<PhonesUnusable>()("PhonesUnusable", {
  message: Schema.String
}) {}

const fileOf = (journal: string): string => `${journal}.phones`

export const list = Effect.fn("Subscriptions.list")(function* (journal: string) {
  const file = fileOf(journal)
  const unusable = (why: string) =>
    new PhonesUnusable({ message: `${file} ${why}. Fix or remove it: until then phones get no notices.` })
  const text = yield* OwnFile.readOwnFile(file).pipe(Effect.mapError(({ message }) => unusable(message)))
  if (Option.isNone(text)) return []
  return yield* decode(text.value).pipe(Effect.mapError(() => unusable("is not a list of phones")))
})

export const write = Effect.fn("Subscriptions.write")(function* (journal: string, all: ReadonlyArray<Subscription>) {
  yield* WholeFile.writeAtomically(fileOf(journal), encode(all), 0o600).pipe(
    Effect.mapError(
      ({ message }) => new PhonesUnusable({ message: `${fileOf(journal)} cannot be written: ${message}` })
    )
  )
})
