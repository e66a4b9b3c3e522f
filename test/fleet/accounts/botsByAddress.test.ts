/** Bots of their own on the page over many: what is said of one that cannot be reached follows from why, not from an error's words. */
import { createServer } from "node:http"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { botsByAddress } from "../../../src/fleet/accounts/FleetPage.ts"
import * as RunningBot from "../../../src/process/RunningBot.ts"

const token = Redacted.make("token")

/** The address of a server that answers every request so; `undefined`: one that has gone. */
const served = (status: number | undefined) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((_, answer) => {
        if (status !== undefined) answer.writeHead(status).end()
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const whyOf = (url: string, patience = 60_000) =>
  RunningBot.askAt({ url, token }, ({ look }) => look.status(), patience).pipe(
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.flip,
    Effect.map((error) => (error._tag === "BotUnreachable" ? error.why : error))
  )

describe("a bot that cannot be reached", () => {
  it.live("is classified by the cause, not by the text of an error", () =>
    Effect.gen(function* () {
      const gone = yield* served(undefined)
      gone.close()
      assert.strictEqual(yield* whyOf(gone.url), "nobody-there")
      assert.strictEqual(yield* whyOf((yield* served(undefined)).url, 500), "silent")
      assert.strictEqual(yield* whyOf((yield* served(500)).url), "refused")

      const bots = yield* botsByAddress([{ name: "a", url: gone.url, token }])
      const look = Effect.map(Effect.andThen(Effect.sleep(50), bots.lines), ([line]) => JSON.stringify(line))
      const asked = yield* Effect.repeat(look, { until: (line) => !line.includes("not asked yet") })
      assert.include(asked, `${gone.url}: no response`)
    }).pipe(Effect.scoped)
  )
})
