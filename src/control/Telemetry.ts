/** Exports traces, metrics and the journal's events by OpenTelemetry. The bot waits for none of it; signed bytes are never exported. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Layer, Metric, type PubSub, Redacted, References, Stream } from "effect"
import { HttpClient, HttpMiddleware } from "effect/http"
import { OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import type { Recorded } from "../domain/BotEvent.ts"
import { Bookkeeper } from "../engine/state/Bookkeeper.ts"
import { sourcesCode, version } from "../version.ts"
import { lineOf } from "../views/Events.ts"
import { families, type MeasuredBot, registered } from "./view/Metrics.ts"

export interface Collector {
  /** The base address of `/v1/traces`, `/v1/metrics` and `/v1/logs`. */
  readonly url: string
  readonly token: Redacted.Redacted | undefined
}

const measureMillis = 10_000

const optionsFor = ({ token, url }: Collector, path: string) => ({
  url: `${url}/v1/${path}`,
  resource: { serviceName: "limitbot", serviceVersion: version, attributes: { "limitbot.sources": sourcesCode() } },
  headers: token === undefined ? {} : { authorization: `Bearer ${Redacted.value(token)}` }
})

const transport = Layer.merge(OtlpSerialization.layerJson, NodeHttpClient.layerUndici)

/** Addresses of receivers can be secrets, so a request is traced only if its client asks for that, as the venue's does. */
const untraced = Layer.merge(
  Layer.succeed(HttpClient.TracerDisabledWhen, () => true),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)
)

export const tracing = (collector: Collector | undefined) =>
  collector === undefined
    ? Layer.empty
    : Layer.merge(OtlpTracer.layer(optionsFor(collector, "traces")).pipe(Layer.provide(transport)), untraced)

const ids = ["placement", "orderId", "correlationId", "intentHash", "fillId", "txHash"] as const
const severities = { quiet: "Info", good: "Info", warn: "Warn", alarm: "Error" } as const

export const report = Effect.fnUntraced(function* (
  collector: Collector | undefined,
  bot: MeasuredBot,
  changes: PubSub.Subscription<Recorded> | undefined
) {
  if (collector === undefined || changes === undefined) return
  const books = yield* Bookkeeper
  const logs = Stream.runForEach(Stream.fromSubscription(changes), (recorded) => {
    const { fields, sequence, subject, tag, text, weight } = lineOf(recorded, bot.assets)
    const identifiers = ids.flatMap((id) => (typeof fields[id] === "string" ? [[id, fields[id]] as const] : []))
    return Effect.logWithLevel(severities[weight])(text === "" ? tag : text).pipe(
      Effect.annotateLogs({ event: tag, sequence, subject, ...Object.fromEntries(identifiers) })
    )
  })
  const metricRegistry = yield* Metric.MetricRegistry
  const registry: Metric.MetricRegistry = new Map()
  const metrics = Effect.gen(function* () {
    const now = registered(families({ state: books.state, bot, now: yield* Clock.currentTimeMillis }), metricRegistry)
    registry.clear()
    for (const [key, metric] of now) registry.set(key, metric)
    yield* Effect.sleep(measureMillis)
  })
  // Logs do not also go to standard error, which is only for warnings of the program.
  const exporters = Layer.mergeAll(
    OtlpLogger.layer({ ...optionsFor(collector, "logs"), mergeWithExisting: false }),
    OtlpMetrics.layer(optionsFor(collector, "metrics")),
    Layer.succeed(References.MinimumLogLevel, "Info")
  ).pipe(Layer.provide(transport), Layer.provideMerge(Layer.succeed(Metric.MetricRegistry, registry)))
  yield* Effect.all([logs, Effect.forever(metrics)], { concurrency: 2, discard: true }).pipe(Effect.provide(exporters))
}, Effect.scoped)
