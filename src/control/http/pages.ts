/**
 * Everything except the API: the dashboard's files, which hold no secret and need no token; health for supervisors,
 * which says little more than yes or no; and metrics, which tell of money and therefore need a token.
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestTally } from "../../domain/RequestTally.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { mayAs } from "../api/OperatorCommands.ts"
import { Bot } from "../Bot.ts"
import * as Health from "../view/Health.ts"
import * as Metrics from "../view/Metrics.ts"
import { load, type PageFile } from "./Assets.ts"
import { refusal } from "./Gate.ts"
import type { Tokens } from "./Tokens.ts"

const served = ({ body, type }: PageFile) => HttpServerResponse.text(body, { contentType: type })

/** A worker may serve only paths below its own. */
const atRoot: Readonly<Record<string, `/${string}`>> = { "worker.js": "/worker.js" }

export const files = (page: "index.html" | "fleet.html") =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const assets = yield* Effect.sync(load)
      for (const [name, asset] of assets) {
        if (name === page) yield* router.add("GET", "/", served(asset))
        else if (!name.endsWith(".html")) yield* router.add("GET", atRoot[name] ?? `/assets/${name}`, served(asset))
      }
    })
  )

export const login = ({ where }: Tokens) =>
  Layer.effectDiscard(
    Effect.flatMap(HttpRouter.HttpRouter, (router) =>
      router.add("GET", "/login", HttpServerResponse.jsonUnsafe({ where }))
    )
  )

const health = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const [bot, books] = [yield* Bot, yield* Bookkeeper]
    const answer = (look: typeof Health.ready) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const problems = look(books.state, bot, now)
        return HttpServerResponse.jsonUnsafe(
          { status: problems.length === 0 ? "ok" : "failing", problems },
          { status: problems.length === 0 ? 200 : 503 }
        )
      })
    yield* router.add("GET", "/health/live", answer(Health.live))
    yield* router.add("GET", "/health/ready", answer(Health.ready))
  })
)

export const metrics = <E, R>({ holderOf }: Tokens, rendered: Effect.Effect<string, E, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const answer = Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const token = /^Bearer (.+)$/i.exec(headers["authorization"] ?? "")?.[1]
        const holder =
          token === undefined
            ? undefined
            : yield* holderOf(Redacted.make(token)).pipe(Effect.orElseSucceed(() => undefined))
        if (holder === undefined || !mayAs(holder.role, "viewer")) {
          return refusal(
            401,
            "Metrics need the viewer's token: Prometheus sends it with authorization.credentials_file"
          )
        }
        return HttpServerResponse.text(yield* rendered, {
          contentType: "text/plain; version=0.0.4; charset=utf-8"
        })
      })
      yield* router.add("GET", "/metrics", answer)
    })
  )

const ofBot = Effect.gen(function* () {
  const [bot, books] = [yield* Bot, yield* Bookkeeper]
  const [now, tally] = [yield* Clock.currentTimeMillis, yield* RequestTally]
  return Metrics.render({ state: books.state, bot, now, tally })
})

export const layer = (tokens: Tokens) =>
  Layer.mergeAll(files("index.html"), login(tokens), health, metrics(tokens, ofBot))
