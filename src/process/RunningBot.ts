/**
 * Connects commands to a running bot: its address is in `<journal>.dashboard`, its token in `<journal>.token`. A bot that hangs or has no
 * control server cannot be reached this way; the kill file and the journal still work.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, FileSystem, Layer, type Redacted, Schema, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Commands, Reads } from "../control/api/Access.ts"
import { ControlApi, type ControlClient } from "../control/api/ControlApi.ts"
import type { TokenRole } from "../control/api/OperatorCommands.ts"
import { addressFile } from "../control/ControlServer.ts"
import * as Tokens from "../control/http/Tokens.ts"
import * as Lease from "../journal/Lease.ts"

const patienceMillis = 20_000

export class BotUnreachable extends Schema.TaggedError<BotUnreachable>()("BotUnreachable", {
  why: Schema.Literals(["nobody-there", "silent", "refused"]),
  message: Schema.String
}) {}

/** Returns the address of the dashboard; `undefined` if no bot runs on the journal or it has no dashboard. */
export const addressOf = Effect.fn("RunningBot.addressOf")(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const holder = yield* Lease.holder(journal)
  if (holder === undefined) return undefined
  return yield* fileSystem.readFileString(addressFile(journal)).pipe(
    Effect.map((text) => text.trim()),
    Effect.orElseSucceed(() => undefined)
  )
})

export const reachable = Effect.fn("RunningBot.reachable")(function* (journal: string) {
  const url = yield* addressOf(journal)
  if (url !== undefined) return url
  const isRunning = (yield* Lease.holder(journal)) !== undefined
  return yield* new BotUnreachable({
    why: "nobody-there",
    message: isRunning
      ? "The bot runs without a control server: add `dashboard: {}` to its configuration and start it again. `limitbot kill` works without."
      : `No bot runs on ${journal}.`
  })
})

const withToken = (token: Redacted.Redacted) =>
  Layer.mergeAll(
    HttpApiMiddleware.layerClient(Reads, ({ next, request }) => next(HttpClientRequest.bearerToken(token)(request))),
    HttpApiMiddleware.layerClient(Commands, ({ next, request }) => next(HttpClientRequest.bearerToken(token)(request)))
  )

const connected = Effect.fnUntraced(function* (journal: string, as: TokenRole) {
  const url = yield* reachable(journal)
  const token = yield* Tokens.readToken(
    as === "operator" ? Tokens.operatorFile(journal) : Tokens.viewerFile(journal)
  ).pipe(Effect.mapError(unreachable))
  return { api: yield* apiAt({ url, token }), url }
})

interface Reach {
  readonly url: string
  readonly token: Redacted.Redacted
}

const apiAt = Effect.fnUntraced(function* ({ token, url }: Reach) {
  const http = (yield* HttpClient.HttpClient).pipe(HttpClient.mapRequest(HttpClientRequest.prependUrl(url)))
  return yield* HttpApiClient.makeWith(ControlApi, { httpClient: http }).pipe(Effect.provide(withToken(token)))
})

const unreachable = (error: { readonly message: string }) => {
  const isAlone = HttpClientError.isHttpClientError(error) && error.reason._tag === "TransportError"
  return new BotUnreachable({ why: isAlone ? "nobody-there" : "refused", message: error.message })
}

const silent = (message: string) => new BotUnreachable({ why: "silent", message })

export type BotCall<A, E> = (api: ControlClient) => Effect.Effect<A, E>

export const askAt = Effect.fnUntraced(function* <A, E extends { readonly message: string }>(
  reach: Reach,
  call: BotCall<A, E>,
  patience: number
) {
  return yield* answerOf(call(yield* apiAt(reach)), reach.url, patience)
})

const answerOf = <A, E extends { readonly message: string }>(
  asked: Effect.Effect<A, E>,
  url: string,
  patience: number
) =>
  asked.pipe(
    Effect.mapError(unreachable),
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(silent(`The bot at ${url} does not answer`)) })
  )

export const ask = Effect.fn("RunningBot.ask")(function* <A, E extends { readonly message: string }>(
  journal: string,
  call: BotCall<A, E>,
  as: TokenRole = "operator",
  patience = patienceMillis
) {
  const { api, url } = yield* connected(journal, as)
  return yield* answerOf(call(api), url, patience)
}, Effect.provide(NodeHttpClient.layerUndici))

const planPatienceMillis = 120_000

/** Waits longer, because a plan asks the venue for prices and fees. */
export const askForPlan = <A, E extends { readonly message: string }>(journal: string, call: BotCall<A, E>) =>
  ask(journal, call, "operator", planPatienceMillis)

/** Returns the status of the running bot; `undefined` if no bot answers. */
export const statusOf = (journal: string, patience: number) =>
  ask(journal, (api) => api.look.status(), "viewer", patience).pipe(Effect.orElseSucceed(() => undefined))

/** The bot sends something at least every five seconds. */
const silentMillis = 12_000
const againMillis = 1_500

/** Streams events after `after` over any number of connections, without gap or end. `gone` gets the reason of each lost connection. */
export const subscribe = (journal: string, after: number, gone: (why: string) => Effect.Effect<void>) => {
  let last = after
  const once = Effect.gen(function* () {
    const { api, url } = yield* connected(journal, "viewer")
    return (yield* api.look.events({ headers: {}, query: { after: last } })).pipe(
      Stream.map(({ data }) => data),
      Stream.timeoutOrElse({
        duration: silentMillis,
        orElse: () => Stream.fail(silent(`The bot at ${url} stopped responding`))
      }),
      Stream.tap((told) =>
        Effect.sync(() => {
          if (told._tag === "Event") last = told.sequence
        })
      ),
      Stream.concat(Stream.fail(silent(`The bot at ${url} has ended`)))
    )
  })
  return Stream.suspend(() => Stream.unwrap(once)).pipe(
    Stream.catch((error) =>
      Stream.drain(Stream.fromEffect(gone("message" in error ? error.message : "Disconnected.")))
    ),
    Stream.concat(Stream.drain(Stream.fromEffect(Effect.sleep(againMillis)))),
    Stream.forever,
    Stream.provide(NodeHttpClient.layerUndici)
  )
}
