/** Serves the page over many bots on one port: API, page, health and metrics. */
import { Clock, Context, Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { TokenHolder } from "../../control/api/Access.ts"
import { type Refused, Unknown } from "../../control/api/ControlApi.ts"
import type { ControlOptions } from "../../control/ControlOptions.ts"
import * as access from "../../control/http/access.ts"
import * as Listening from "../../control/http/Listening.ts"
import * as pages from "../../control/http/pages.ts"
import * as Tokens from "../../control/http/Tokens.ts"
import { byWhom } from "../../control/Operator.ts"
import { rendered } from "../../control/view/Metrics.ts"
import { present } from "../../domain/Present.ts"
import type { OperatorAnswer } from "../../engine/funding/Problems.ts"
import { FleetApi, type FleetCommand } from "./FleetApi.ts"
import * as FleetMetrics from "./FleetMetrics.ts"
import { type BotDetail, type BotLine, fleetView } from "./FleetView.ts"

/** The bots of the page. Nothing here moves money: commands are rows for owners, or requests to bots' servers. */
export class Fleet extends Context.Service<
  Fleet,
  {
    readonly lines: Effect.Effect<ReadonlyArray<BotLine>, Refused>
    detail(name: string): Effect.Effect<BotDetail, Refused | Unknown>
    /** `notTold`: bots that did not confirm the command. They may have obeyed it. */
    command(
      command: FleetCommand,
      names: ReadonlyArray<string>,
      said: { readonly by: string; readonly why: string | undefined }
    ): Effect.Effect<{ readonly message: string; readonly notTold: ReadonlyArray<string> }, Refused | Unknown>
    resolve(name: string, by: string, answer: OperatorAnswer): Effect.Effect<string, Refused | Unknown>
  }
>()("limitbot/control/Fleet") {}

const maxListed = 200

const looking = HttpApiBuilder.group(
  FleetApi,
  "look",
  Effect.fnUntraced(function* (handlers) {
    const fleet = yield* Fleet
    return handlers.handleAll({
      fleet: Effect.fnUntraced(function* ({ query: { limit = maxListed, ...filter } }) {
        const { role } = yield* TokenHolder
        const lines = yield* fleet.lines
        return { at: yield* Clock.currentTimeMillis, role, ...fleetView(lines, filter, limit) }
      }),
      bot: ({ params: { name } }) => fleet.detail(name)
    })
  })
)

const commanding = HttpApiBuilder.group(
  FleetApi,
  "command",
  Effect.fnUntraced(function* (handlers) {
    const fleet = yield* Fleet
    const handlerOf = (command: FleetCommand) =>
      Effect.fnUntraced(function* ({
        payload: { bots, why }
      }: {
        readonly payload: { readonly bots: "all" | ReadonlyArray<string>; readonly why?: string }
      }) {
        const { name: by } = yield* TokenHolder
        const botNames = (yield* fleet.lines).map(({ name }) => name)
        const names = bots === "all" ? botNames : bots
        const unknown = names.find((name) => !botNames.includes(name))
        if (unknown !== undefined) return yield* new Unknown({ message: `No bot named ${unknown}` })
        return yield* fleet.command(command, names, { by, why })
      })
    return handlers.handleAll({
      pause: handlerOf("pause"),
      resume: handlerOf("resume"),
      kill: handlerOf("kill"),
      release: handlerOf("release"),
      resolve: Effect.fnUntraced(function* ({ params, payload: { placement, received, why, word } }) {
        const { name: by } = yield* TokenHolder
        const answer = { placement, word, text: why ?? byWhom(by), ...present({ received }) }
        return { message: yield* fleet.resolve(params.name, by, answer) }
      })
    })
  })
)

/** Serves while the scope lives and returns the address. The tokens are beside the file of this name. */
export const serve = Effect.fn("FleetServer.serve")(function* (beside: string, options: ControlOptions) {
  const tokens = yield* Tokens.open(beside, options)
  const fleet = yield* Fleet
  const metrics = Effect.flatMap(fleet.lines, (lines) => rendered(FleetMetrics.families(lines)))
  const routes = Layer.mergeAll(
    HttpApiBuilder.layer(FleetApi, { openapiPath: "/api/v1/openapi.json" }).pipe(
      Layer.provide([looking, commanding]),
      Layer.provide(access.layer(tokens))
    ),
    pages.files("fleet.html"),
    pages.login(tokens),
    pages.metrics(tokens, metrics),
    pages.health(Effect.match(fleet.lines, { onSuccess: () => [], onFailure: ({ message }) => [message] }))
  )
  return yield* Listening.listen(options, routes)
})
