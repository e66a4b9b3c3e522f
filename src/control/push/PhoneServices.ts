/**
 * Sends notices to phones. Each message is encrypted for one browser (RFC 8291), so the push service learns its time and nothing of its
 * content. A browser that its push service no longer knows (404, 410) is removed. Other failures are retried for that browser alone, so no
 * phone gets a message twice. Before each message, the phone's token is checked again.
 */
import { Clock, Context, Effect, FileSystem, Option, Schema, Semaphore } from "effect"
import { HttpClient } from "effect/http"
import * as WholeFile from "../../journal/WholeFile.ts"
import type { Speaker } from "../api/Access.ts"
import { refuse } from "../api/ControlApi.ts"
import { Phone } from "../api/Push.ts"
import * as OwnFile from "../OwnFile.ts"
import * as Sending from "./Sending.ts"
import { NotPushed, type PhoneMessage } from "./Sending.ts"
import { type KeyPair, type PushSettings, serviceOf } from "./Vapid.ts"

const Subscription = Schema.Struct({
  ...Phone.fields,
  name: Schema.String,
  digest: Schema.String,
  since: Schema.Int
})
type Subscription = typeof Subscription.Type

const List = Schema.fromJsonString(Schema.Array(Subscription))
const decode = Schema.decodeUnknownEffect(List)
const encode = Schema.encodeSync(List)

class PhonesUnusable extends Schema.TaggedError<PhonesUnusable>()("PhonesUnusable", { message: Schema.String }) {}

const fileOf = (journal: string): string => `${journal}.phones`

const subscriptionsOf = Effect.fn("PhoneServices.subscriptionsOf")(function* (journal: string) {
  const file = fileOf(journal)
  const unusable = (why: string) =>
    new PhonesUnusable({ message: `${file} ${why}. Fix or remove it: until then phones get no notices.` })
  const text = yield* OwnFile.readOwnFile(file).pipe(Effect.mapError(({ message }) => unusable(message)))
  if (Option.isNone(text)) return []
  return yield* decode(text.value).pipe(Effect.mapError(() => unusable("is not a list of phones")))
})

const writeSubscriptions = (journal: string, all: ReadonlyArray<Subscription>) =>
  Effect.mapError(
    WholeFile.writeAtomically(fileOf(journal), encode(all), 0o600),
    ({ message }) => new PhonesUnusable({ message: `${fileOf(journal)} cannot be written: ${message}` })
  )

export type Persist = <A, E, R>(sending: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

type Tell = (message: PhoneMessage, persist: Persist) => Effect.Effect<void, NotPushed>

export type PhoneServices = Effect.Success<ReturnType<typeof make>>

/** Sends notices to the phones of this bot; the default sends none. A rehearsal counts the messages. */
export const Phones = Context.Reference<Tell>("limitbot/control/push/Phones", { defaultValue: () => () => Effect.void })

/** The most phones of one token. A lost phone cannot unsubscribe itself, so the oldest is dropped. */
const mostOfOne = 10
const mostOfAll = 100

interface PhoneOptions {
  readonly journal: string
  readonly keys: KeyPair
  readonly settings: PushSettings
  /** True if a token of this digest is still valid; fails if that cannot be known now. */
  readonly isHeld: (digest: string) => Effect.Effect<boolean, { readonly message: string }, FileSystem.FileSystem>
}

type Whose = Pick<Subscription, "endpoint" | "digest">
const isSame = (one: Whose, other: Whose): boolean => one.endpoint === other.endpoint && one.digest === other.digest

export const make = Effect.fn("PhoneServices.make")(function* ({ isHeld, journal, keys, settings }: PhoneOptions) {
  const client = yield* HttpClient.HttpClient
  const withFiles = Effect.provideService(FileSystem.FileSystem, yield* FileSystem.FileSystem)
  const oneAtATime = (yield* Semaphore.make(1)).withPermits(1)

  const change = (how: (all: ReadonlyArray<Subscription>) => ReadonlyArray<Subscription>) =>
    subscriptionsOf(journal).pipe(
      Effect.flatMap((all) => writeSubscriptions(journal, how(all))),
      oneAtATime
    )
  /** Keeps a phone that another token subscribed in the meantime. */
  const forget = (gone: ReadonlyArray<Whose>) =>
    change((all) => all.filter((each) => !gone.some((one) => isSame(one, each))))

  const send = Sending.make(client, keys, settings)

  /** Returns true if the phone is new; it has then received a first message. */
  const subscribe = Effect.fn("PhoneServices.subscribe")(function* (
    { digest, name }: Speaker,
    { endpoint, keys }: Phone
  ) {
    if (serviceOf(endpoint, settings) === undefined)
      return yield* refuse("This browser's push service is not allowed: add its host to `services` of `to: push`")
    const subscriptions = yield* Effect.mapError(subscriptionsOf(journal), refuse)
    const isSame = (each: Subscription) =>
      each.endpoint === endpoint && each.digest === digest && each.keys.auth === keys.auth
    if (subscriptions.some(isSame)) return false
    const since = yield* Clock.currentTimeMillis
    const first = { title: "limitbot", text: `${name} now gets notices here`, severity: "good", at: since }
    const end = yield* Effect.mapError(send({ endpoint, keys }, first), ({ reason }) =>
      refuse(`The first notice could not be sent: ${reason}`)
    )
    if (end === "gone") return yield* refuse("The push service does not know this browser")
    const added = change((all) => {
      const others = all.filter((each) => each.endpoint !== endpoint)
      const own = others.filter((each) => each.digest === digest)
      const oldest = new Set(own.slice(0, Math.max(0, own.length - mostOfOne + 1)))
      return [
        ...others.filter((each) => !oldest.has(each)).slice(-mostOfAll + 1),
        { endpoint, keys, name, digest, since }
      ]
    })
    yield* Effect.mapError(added, refuse)
    return true
  }, withFiles)

  const unsubscribe = Effect.fn("PhoneServices.unsubscribe")(
    function* ({ digest }: Speaker, endpoint: string) {
      const registrations = yield* subscriptionsOf(journal)
      const own = registrations.some((each) => isSame(each, { endpoint, digest }))
      if (own) yield* forget([{ endpoint, digest }])
      return own
    },
    withFiles,
    Effect.mapError(refuse)
  )

  const tell: Tell = Effect.fn("PhoneServices.tell")(
    function* (message, persist) {
      const all = yield* subscriptionsOf(journal)
      const ends = yield* Effect.forEach(
        all,
        (phone) =>
          isHeld(phone.digest).pipe(
            Effect.flatMap((held) => (held ? send(phone, message) : Effect.succeed("gone" as const))),
            persist,
            Effect.match({
              onSuccess: (end) => ({ end, phone }),
              onFailure: (error) => ({ end: "failed" as const, why: reasonOf(error) })
            })
          ),
        { concurrency: 8 }
      )
      const expiredPhones = ends.flatMap((each) => (each.end === "gone" ? [each.phone] : []))
      if (expiredPhones.length > 0) yield* forget(expiredPhones)
      const failures = ends.flatMap((each) => (each.end === "failed" ? [each.why] : []))
      const [reason, ...others] = failures
      if (reason === undefined) return
      const more = others.length === 0 ? "" : `, and ${others.length} more were not reached`
      return yield* new NotPushed({ reason: `${reason}${more}` })
    },
    withFiles,
    Effect.mapError((error) => (error._tag === "NotPushed" ? error : new NotPushed({ reason: error.message })))
  )

  return { key: keys.publicKey, subscribe, unsubscribe, tell } as const
})

const reasonOf = (error: NotPushed | { readonly message: string }): string =>
  "reason" in error ? error.reason : error.message
