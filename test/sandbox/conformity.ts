/** The conformance suite against a sandbox in process, under a virtual clock, with its answers changed on the way. */
import { Clock, Effect, Fiber } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import type { VenueFacts } from "../../src/venue/profile/Facts.ts"
import type { ProfileName } from "../../src/venue/profile/Profiles.ts"
import { type Check, type Outcome, run } from "../../tools/conformance/Check.ts"
import { World } from "../../tools/conformance/World.ts"
import { start } from "../world/service/play.ts"

export interface Seen {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}
/** Another service: what it answers instead of the sandbox. */
export type Lie = (seen: Seen) => { readonly status?: number; readonly body?: unknown } | undefined

interface Service {
  /** The deployment that the sandbox behaves like, and what it is said to be. */
  readonly like?: ProfileName
  readonly facts?: VenueFacts
  readonly lie?: Lie
}

/** Promises are given their time before the clock moves: it stands still while a request is under way. */
export const hold = (
  checks: ReadonlyArray<ReadonlyArray<Check>>,
  { facts, lie = () => undefined, like = "document" }: Service = {}
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    let underWay = 0
    const session = Effect.gen(function* () {
      const { account, apiKey, ledger, partnerJwt, url } = yield* SandboxServer.SandboxConnection
      const client = yield* HttpClient.HttpClient
      const clock = yield* Clock.Clock
      const promise = Effect.runPromiseWith(yield* Effect.context())
      const send = (to: string, { body, headers, method = "GET" }: RequestInit) =>
        Effect.gen(function* () {
          const { "content-type": type = "", ...others } = Object.fromEntries(new Headers(headers))
          const empty = HttpClientRequest.make(method as "GET")(to).pipe(HttpClientRequest.setHeaders(others))
          const response = yield* client.execute(
            typeof body === "string" ? HttpClientRequest.bodyText(empty, body, type) : empty
          )
          const text = yield* response.text
          const seen = { method, path: to.slice(url.length), status: response.status, body: text && JSON.parse(text) }
          const said = lie(seen)
          return new Response(said?.body === undefined ? text : JSON.stringify(said.body), {
            status: said?.status ?? response.status,
            headers: { ...response.headers }
          })
        })
      const world = new World({
        url,
        apiKey,
        partnerJwt,
        accountKey: account.key,
        ledger,
        facts,
        maySpend: false,
        fetch: (to, request) => {
          underWay += 1
          return promise(send(to, request)).finally(() => {
            underWay -= 1
          })
        },
        sleep: (millis) => promise(Effect.sleep(millis)),
        now: () => clock.currentTimeMillisUnsafe()
      })
      return yield* Effect.promise(() => run(world, checks, () => undefined))
    })
    const fiber = yield* Effect.forkChild(
      Effect.provide(session, SandboxServer.layerMemory({ seed: 5, like, settings: { partialFillShare: 1 } }))
    )
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      if (underWay === 0) yield* TestClock.adjust(50)
    }
    return yield* Fiber.join(fiber)
  })

export const told = (outcomes: ReadonlyArray<Outcome>, verdict: string) =>
  outcomes.filter((outcome) => outcome.verdict === verdict).map(({ detail, id }) => `${id}: ${detail}`)
