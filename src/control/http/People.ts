/**
 * Keeps the people who may use a bot besides its owner, as name, role and digest of a token in `<journal>.people`. A running bot reads the
 * list at every request, so a revoked person loses access at once. A list that cannot be trusted admits no one.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as WholeFile from "../../journal/WholeFile.ts"
import { roles } from "../api/OperatorCommands.ts"
import * as OwnFile from "../OwnFile.ts"

/** A bearer token has 256 random bits. It is compared by digests, so that the time reveals nothing. */
export const tokenForm = /^[A-Za-z0-9_-]{43}$/

export const generateToken = (): Redacted.Redacted =>
  Redacted.make(Buffer.from(randomBytesUnsafe(32)).toString("base64url"))

export const digestOf = (token: Redacted.Redacted): Buffer =>
  createHash("sha256").update(Redacted.value(token)).digest()

const name = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/))

const Person = Schema.Struct({
  name,
  role: Schema.Literals(roles),
  /** SHA-256 of the token, in hexadecimal digits. */
  digest: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  since: Schema.Int
})
export type Person = typeof Person.Type

const List = Schema.fromJsonString(Schema.Array(Person))
const decode = Schema.decodeUnknownEffect(List)
const encode = Schema.encodeSync(List)

export class PeopleUnusable extends Schema.TaggedError<PeopleUnusable>()("PeopleUnusable", {
  message: Schema.String
}) {}

const fileOf = (journal: string): string => `${journal}.people`

export const list = Effect.fn("People.list")(function* (journal: string) {
  const file = fileOf(journal)
  const unusable = (why: string) =>
    new PeopleUnusable({ message: `${file} ${why}. Until it is fixed, nobody listed there has access.` })
  const text = yield* OwnFile.readOwnFile(file).pipe(Effect.mapError(({ message }) => unusable(message)))
  if (Option.isNone(text)) return []
  return yield* decode(text.value).pipe(Effect.mapError(() => unusable("is not a list of people")))
})

export const holderOf = Effect.fn("People.holderOf")(function* (journal: string, token: Redacted.Redacted) {
  const tokenDigest = digestOf(token)
  return (yield* list(journal)).find(({ digest }) => timingSafeEqual(Buffer.from(digest, "hex"), tokenDigest))
})

/** Adds a person. `handOver` gets the new token, which the bot does not store. */
export const add = Effect.fn("People.add")(function* <E, R>(
  journal: string,
  { who, role }: { readonly who: string; readonly role: Person["role"] },
  handOver: (token: Redacted.Redacted) => Effect.Effect<void, E, R>
) {
  if (!Schema.is(name)(who))
    return yield* new PeopleUnusable({
      message: `"${who}" cannot be a name: it has 1 to 40 letters, digits, dots, dashes or underscores`
    })
  const people = yield* list(journal)
  if (people.some((each) => each.name === who))
    return yield* new PeopleUnusable({ message: `${who} is listed already: limitbot people ${who} --revoke` })
  const token = generateToken()
  yield* handOver(token)
  const digest = digestOf(token).toString("hex")
  const since = yield* Clock.currentTimeMillis
  yield* WholeFile.writeAtomically(fileOf(journal), encode([...people, { name: who, role, digest, since }]), 0o600)
})

export const revoke = Effect.fn("People.revoke")(function* (journal: string, who: string) {
  const people = yield* list(journal)
  const others = people.filter((each) => each.name !== who)
  if (others.length === people.length)
    return yield* new PeopleUnusable({ message: `${who} is not listed. There are: ${namesOf(people)}` })
  yield* WholeFile.writeAtomically(fileOf(journal), encode(others), 0o600)
})

const namesOf = (people: ReadonlyArray<Person>): string => people.map(({ name }) => name).join(", ") || "none"
