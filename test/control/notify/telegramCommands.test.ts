/** Commands of a chat over real HTTP, against a small messenger. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Queue, Redacted } from "effect"
import * as TelegramCommands from "../../../src/control/notify/TelegramCommands.ts"

const chat = 7

/** `say` sends a message to the bot; `replies` are what the bot sends to the chat, `buttons` the first button of each. */
const messenger = Effect.gen(function* () {
  const replies = yield* Queue.unbounded<string>()
  const buttons: Array<string> = []
  const messages: Array<string> = []
  let deliver = () => {}
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (part: string) => {
      body += part
    })
    request.on("end", () => {
      if (request.url?.endsWith("/sendMessage") === true) {
        const { reply_markup: markup, text } = JSON.parse(body)
        buttons.push(markup.inline_keyboard[0][0].callback_data)
        Queue.offerUnsafe(replies, text)
      }
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
  return { buttons, replies, say, url: Redacted.make(`http://127.0.0.1:${port}`) }
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
  it.live("are obeyed at once after the correction of a clock that is ahead at the start", () =>
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

  const orders: TelegramCommands.ChatCommands = {
    ...commands,
    order: (_, words) => Effect.succeed({ text: words.join(" "), run: () => Effect.succeed(`placed ${words[1]}`) })
  }

  it.live("the button of a plan places the order of that plan only", () =>
    Effect.gen(function* () {
      const { buttons, replies, say, url } = yield* messenger
      yield* Effect.forkScoped(listen(url, orders))
      const reply = (text: string) => Effect.andThen(say(text), Queue.take(replies))
      assert.include(yield* reply("/order buy 0.1 BTC at 59000"), "Say “/order yes” within a minute.")
      assert.include(yield* reply("/order buy 0.2 BTC at 59000"), "Say “/order yes” within a minute.")
      const [first = "", second = ""] = buttons
      assert.match(yield* reply(first), /a later one has replaced it. Send the order again/)
      assert.strictEqual(yield* reply(second), "placed 0.2")
      assert.match(yield* reply(second), /This plan is too old/)
      yield* reply("/order buy 0.3 BTC at 59000")
      assert.strictEqual(yield* reply("/order yes"), "placed 0.3")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici), Effect.scoped)
  )

  it.live("no plan may be confirmed later because the clock is set back", () =>
    Effect.gen(function* () {
      const { replies, say, url } = yield* messenger
      const { ahead, clock } = yield* clockAhead
      yield* Effect.forkScoped(Effect.provideService(listen(url, orders), Clock.Clock, clock))
      yield* say("/kill")
      yield* Queue.take(replies)
      ahead.millis -= 600_000
      yield* say("/kill yes")
      assert.include(yield* Queue.take(replies), "Say “/kill yes” within a minute.")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici), Effect.scoped)
  )

  it.live("a plan may be confirmed for a minute from its answer on, however long it took", () =>
    Effect.gen(function* () {
      const { replies, say, url } = yield* messenger
      const { ahead, clock } = yield* clockAhead
      const slow: TelegramCommands.ChatCommands = {
        ...orders,
        order: (by, words) =>
          Effect.suspend(() => {
            ahead.millis += 90_000
            return orders.order(by, words)
          })
      }
      yield* Effect.forkScoped(Effect.provideService(listen(url, slow), Clock.Clock, clock))
      yield* say("/order buy 0.1 BTC at 59000")
      yield* Queue.take(replies)
      yield* say("/order yes")
      assert.strictEqual(yield* Queue.take(replies), "placed 0.1")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici), Effect.scoped)
  )
})
