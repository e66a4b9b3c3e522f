/** Commands of a chat over real HTTP, against a small messenger. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Queue, Redacted } from "effect"
import * as TelegramCommands from "../../../src/control/notify/TelegramCommands.ts"

const chat = 7

/** `say` sends a message to the bot; `replies` are what the bot sends to the chat. */
const messenger = Effect.gen(function* () {
  const replies = yield* Queue.unbounded<string>()
  const messages: Array<string> = []
  let deliver = () => {}
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (part: string) => {
      body += part
    })
    request.on("end", () => {
      if (request.url?.endsWith("/sendMessage") === true) Queue.offerUnsafe(replies, JSON.parse(body).text)
      if (request.url?.endsWith("/getUpdates") !== true) return void response.end("{}")
      const { offset } = JSON.parse(body) as { offset: number }
      deliver = () => {
        const result = messages.slice(offset).map((text, index) => ({
          update_id: offset + index,
          message: { date: Math.ceil(Date.now() / 1000), chat: { id: chat }, text }
        }))
        if (result.length > 0 && !response.writableEnded) response.end(JSON.stringify({ result }))
      }
      deliver()
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as AddressInfo
  const say = (text: string) =>
    Effect.sync(() => {
      messages.push(text)
      deliver()
    })
  return { replies, say, url: Redacted.make(`http://127.0.0.1:${port}`) }
})

const commands: TelegramCommands.ChatCommands = {
  status: () => "all is well",
  profit: Effect.succeed("1 USDC"),
  plan: Effect.succeed("nothing to do"),
  explain: () => Effect.succeed("no orders"),
  order: () => Effect.succeed({ text: "no order" }),
  obey: () => Effect.succeed("done")
}

const listen = (url: Redacted.Redacted, obeyed: TelegramCommands.ChatCommands) =>
  TelegramCommands.listen({ url, token: Redacted.make("t"), allowed: new Set([String(chat)]) }, obeyed)

/** The clock of this machine, set ahead of real time by `ahead.millis`. */
const clockAhead = Effect.map(Clock.Clock, (real) => {
  const ahead = { millis: 0 }
  const millis = () => real.currentTimeMillisUnsafe() + ahead.millis
  const nanos = () => BigInt(millis()) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
  return { ahead, clock }
})

describe("commands of a chat", () => {
  it.live("are obeyed at once after a clock that was ahead at the start is corrected", () =>
    Effect.gen(function* () {
      const { replies, say, url } = yield* messenger
      const { ahead, clock } = yield* clockAhead
      ahead.millis = 86_400_000
      yield* Effect.forkScoped(Effect.provideService(listen(url, commands), Clock.Clock, clock), {
        startImmediately: true
      })
      ahead.millis = 0
      yield* say("/status")
      assert.strictEqual(yield* Queue.take(replies), "all is well")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici), Effect.scoped)
  )

  it.live("the kill switch is set while another command has no answer yet, and that one is answered later", () =>
    Effect.gen(function* () {
      const { replies, say, url } = yield* messenger
      const placed = yield* Deferred.make<string>()
      const confirmed: Array<string> = []
      const obeyed = {
        ...commands,
        order: () => Effect.map(Deferred.await(placed), (text) => ({ text })),
        obey: (_: string, command: string) => Effect.sync(() => `${confirmed.push(command)} done`)
      }
      yield* Effect.forkScoped(listen(url, obeyed))
      yield* say("/order buy 0.01 BTC at 59000")
      yield* say("/status")
      yield* say("/kill")
      assert.include(yield* Queue.take(replies), "Say “/kill yes” within a minute.")
      yield* say("/kill yes")
      assert.strictEqual(yield* Queue.take(replies), "1 done")
      assert.deepStrictEqual(confirmed, ["kill"])
      yield* Deferred.succeed(placed, "BUY 0.01 BTC at 59000")
      assert.strictEqual(yield* Queue.take(replies), "BUY 0.01 BTC at 59000")
      assert.strictEqual(yield* Queue.take(replies), "all is well")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici), Effect.scoped)
  )
})
