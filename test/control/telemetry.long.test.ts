/** What a collector of OpenTelemetry gets: traces that end, counters that only grow, and no figure of what is over. */
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { configText, runHere, startHere, startStill, workspace } from "../world/processes/program.ts"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string }
}

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly startTimeUnixNano: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<Attribute>
}

interface Exported {
  readonly name: string
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: ReadonlyArray<unknown> }
  readonly gauge?: unknown
  readonly histogram?: {
    readonly dataPoints: ReadonlyArray<{
      readonly bucketCounts: ReadonlyArray<unknown>
      readonly explicitBounds: ReadonlyArray<unknown>
    }>
  }
}

const collector = async () => {
  const spans: Array<Span> = []
  const measured: Array<ReadonlyArray<Exported>> = []
  const heard: Array<() => void> = []
  const server = createServer((request, response) => {
    const body: Array<Buffer> = []
    request.on("data", (part: Buffer) => body.push(part))
    request.on("end", () => {
      const told = JSON.parse(Buffer.concat(body).toString())
      for (const { scopeSpans } of told.resourceSpans ?? []) for (const each of scopeSpans) spans.push(...each.spans)
      for (const { scopeMetrics } of told.resourceMetrics ?? [])
        measured.push(scopeMetrics.flatMap(({ metrics }: { metrics: ReadonlyArray<Exported> }) => metrics))
      response.end("{}")
      for (const hear of heard.splice(0)) hear()
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  /** Looked at whenever something came. */
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise<void>((done) => heard.push(done))
  }
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  return { url, spans, measured, until, close: () => server.close() }
}

const attribute = ({ attributes }: Span, name: string) => attributes.find(({ key }) => key === name)?.value.stringValue

describe("telemetry", () => {
  it("traces turns, commands and order steps, sums counters, and drops ended gauges", async () => {
    const { close, measured, spans, until, url } = await collector()
    const sandbox = await startStill()
    const text = `${configText(sandbox)}otlp: { url: "${url}" }\ndashboard: { port: 0 }\n`
    const folder = workspace(sandbox, { "config.yaml": text })
    const config = ["--config", join(folder, "config.yaml")]
    const bot = startHere(["run", join(folder, "grid.yaml"), ...config, "--poll", "0.3s"])
    await bot.says("the order is open", 20)
    assert.strictEqual((await runHere(["pause", ...config])).code, 0)
    const named = (name: string) => spans.filter((span) => span.name === name)
    await until(() => named("Operator.obey").length > 0 && named("Turn.run").length > 2)
    for (const name of ["Turn.run", "Operator.obey", "order: create", "order: sign"]) {
      assert.isAbove(named(name).length, 0, name)
      const roots = named(name).filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === "")
      assert.lengthOf(roots, named(name).length, name)
      assert.strictEqual(new Set(roots.map(({ traceId }) => traceId)).size, roots.length, name)
    }
    assert.isTrue(named("order: create").every((span) => attribute(span, "placement") !== undefined))
    assert.isTrue(named("order: sign").every((span) => attribute(span, "order") !== undefined))

    const inLast = (name: string) => measured.at(-1)?.find((metric) => metric.name === name)
    await until(() => inLast("limitbot_journal_events_total") !== undefined)
    for (const name of ["limitbot_journal_events_total", "limitbot_venue_wait_seconds_total"])
      assert.isTrue(inLast(name)?.sum?.isMonotonic, name)
    const latency = inLast("limitbot_venue_request_seconds")?.histogram?.dataPoints ?? []
    assert.isAbove(latency.length, 0)
    for (const { bucketCounts, explicitBounds } of latency)
      assert.strictEqual(bucketCounts.length, explicitBounds.length + 1)
    assert.isUndefined(inLast("limitbot_held"))
    assert.strictEqual((await runHere(["kill", ...config])).code, 0)
    await until(() => inLast("limitbot_held") !== undefined)
    assert.strictEqual((await runHere(["kill", "--off", ...config])).code, 0)
    await until(() => inLast("limitbot_held") === undefined)
    await until(() => named("order: cancel").length > 0)
    assert.isTrue(named("order: cancel").every((span) => attribute(span, "slot") !== undefined))
    bot.signal("SIGTERM")
    assert.strictEqual((await bot.ended).code, 0)
    // The last spans have come: what has a parent has it in a trace that ended.
    const ids = new Set(spans.map(({ spanId }) => spanId))
    const lost = spans.filter(({ parentSpanId }) => parentSpanId && !ids.has(parentSpanId))
    assert.deepStrictEqual([...new Set(lost.map(({ name }) => name))], [])
    const lengths = [...Map.groupBy(spans, ({ traceId }) => traceId).values()].map((trace) => {
      const starts = trace.map(({ startTimeUnixNano }) => Number(startTimeUnixNano) / 1e6)
      return { name: trace.at(-1)?.name, millis: Math.max(...starts) - Math.min(...starts) }
    })
    assert.deepStrictEqual(
      lengths.filter(({ millis }) => millis > 10_000),
      []
    )
    const written = (await runHere(["events", ...config, "--json", "--limit", "100000"])).stdout
      .trim()
      .split("\n").length
    assert.isAtMost(named("Journal.append").length, written, "a span is a write")
    close()
  })
})
