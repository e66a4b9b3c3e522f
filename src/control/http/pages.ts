/** The files contain no secret and health reveals little, so both need no token. Metrics contain amounts of money and need one. */
import { Clock, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { mayAs } from "../api/OperatorCommands.ts"
import { Bot } from "../Bot.ts"
import * as Health from "../view/Health.ts"
import * as Metrics from "../view/Metrics.ts"
import { load, type PageFile } from "./Assets.ts"
import { refusal, speaking } from "./Gate.ts"
import type { Tokens } from "./Tokens.ts"

const served = ({ body, type }: PageFile) => HttpServerResponse.text(body, { contentType: type })

/** A service worker may serve only paths below its own. */
const atRoot: Readonly<Record<string, `/${string}`>> = { "worker.js": "/worker.js" }

export const files = (page: "index.html" | "fleet.html") =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      for (const [name, asset] of yield* Effect.sync(load)) {
        if (name === page) yield* router.add("GET", "/", served(asset))
        else if (!name.endsWith(".html")) yield* router.add("GET", atRoot[name] ?? `/assets/${name}`, served(asset))
      }
    })
  )

export const login = ({ where }: Tokens) => HttpRouter.add("GET", "/login", HttpServerResponse.jsonUnsafe({ where }))

/** Serves the problems that keep a process from being ready, and from being live. Both answers are 200 only without problems. */
export const health = <R>(
  ready: Effect.Effect<ReadonlyArray<string>, never, R>,
  live: Effect.Effect<ReadonlyArray<string>, never, R> = ready
) => {
  const answer = Effect.map((problems: ReadonlyArray<string>) => {
    const isWell = problems.length === 0
    return HttpServerResponse.jsonUnsafe(
      { status: isWell ? "ok" : "failing", problems },
      { status: isWell ? 200 : 503 }
    )
  })
  return Layer.mergeAll(
    HttpRouter.add("GET", "/health/ready", answer(ready)),
    HttpRouter.add("GET", "/health/live", answer(live))
  )
}

const healthOfBot = Effect.map(Effect.all([Bot, Bookkeeper]), ([bot, { state }]) => {
  const look = (of: typeof Health.ready) => Effect.map(Clock.currentTimeMillis, (now) => of(state, bot, now))
  return health(look(Health.ready), look(Health.live))
}).pipe(Layer.unwrap)

export const measured = <E, R>(rendered: Effect.Effect<string, E, R>) =>
  Effect.map(rendered, (text) =>
    HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
  )

export const metrics = <E, R>(tokens: Tokens, rendered: Effect.Effect<string, E, R>) =>
  HttpRouter.add(
    "GET",
    "/metrics",
    Effect.gen(function* () {
      const holder = yield* Effect.orElseSucceed(speaking(tokens), () => undefined)
      if (holder === undefined || !mayAs(holder.role, "viewer"))
        return refusal(401, "Metrics need the viewer's token: Prometheus sends it with authorization.credentials_file")
      return yield* measured(rendered)
    })
  )

const ofBot = Effect.gen(function* () {
  const [bot, books] = [yield* Bot, yield* Bookkeeper]
  const now = yield* Clock.currentTimeMillis
  return yield* Metrics.rendered(Metrics.families({ state: books.state, bot, now }))
})

export const layer = (tokens: Tokens) =>
  Layer.mergeAll(files("index.html"), login(tokens), healthOfBot, metrics(tokens, ofBot))
