/** Which endpoint wants which credential: without it, with a wrong one or with another's, 401 in the endpoint's own body. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Keys from "../../src/sandbox/http/Keys.ts"
import { SandboxConnection } from "../../src/sandbox/SandboxServer.ts"
import { send } from "../world/service/clients.ts"
import { play, start } from "../world/service/play.ts"

type Body = "errors" | "message" | "error"

const endpoints: ReadonlyArray<
  readonly [
    name: string,
    method: "GET" | "POST",
    path: string,
    needs: "key" | "partner" | "jwt" | "session",
    body: Body
  ]
> = [
  ["create order", "POST", "/v0/orders", "key", "errors"],
  ["list orders", "GET", "/v0/orders", "key", "errors"],
  ["get order", "GET", "/v0/orders/o", "key", "errors"],
  ["cancel order", "POST", "/v0/orders/o/cancel", "key", "errors"],
  ["generate-intent", "POST", "/v0/generate-intent", "partner", "message"],
  ["submit-intent", "POST", "/v0/submit-intent", "partner", "message"],
  ["deposit/submit", "POST", "/v0/deposit/submit", "partner", "message"],
  ["status", "GET", "/v0/status?depositAddress=d", "partner", "message"],
  ["balances", "GET", "/v0/account/balances", "session", "message"],
  ["account history", "GET", "/v0/account/history", "session", "message"],
  ["transactions", "GET", "/api/v0/transactions", "jwt", "error"],
  ["transactions-pages", "GET", "/api/v0/transactions-pages", "jwt", "error"]
]

/** A token of a kind, good for an hour or over for one. */
const token = (use: "partner" | "access", isExpired: boolean) =>
  Effect.map(SandboxConnection, ({ account }) => {
    const sub = use === "partner" ? Keys.partners[0] : account.signerId
    return Keys.issue(1, { use, sub, exp: start / 1000 + (isExpired ? -3600 : 3600) })
  })

describe("credentials", () => {
  it.effect.each(endpoints)("for %s: unknown ones get 401", ([name, method, path, needs, body]) =>
    play(
      Effect.gen(function* () {
        const { apiKey } = yield* SandboxConnection
        const bearer = (text: string) => ({ "x-api-key": undefined, authorization: `Bearer ${text}` })
        const wrong = [
          { "x-api-key": undefined },
          { "x-api-key": "wrong" },
          bearer("wrong"),
          bearer(yield* token("partner", true)),
          bearer(yield* token("access", true)),
          bearer(yield* token(needs === "jwt" || needs === "partner" ? "access" : "partner", false)),
          ...(needs === "key" || needs === "partner" ? [] : [{ "x-api-key": apiKey }])
        ]
        for (const headers of wrong) {
          const answer = yield* send(method, path, method === "POST" ? {} : undefined, headers)
          assert.strictEqual(answer.status, 401, `${name} ${JSON.stringify(headers)}`)
          assert.property(answer.body, body)
        }
        if (needs === "partner") {
          const byToken = yield* send(
            method,
            path,
            method === "POST" ? {} : undefined,
            bearer(yield* token("partner", false))
          )
          assert.notStrictEqual(byToken.status, 401, "the public client has nothing but the token")
        }
        const good =
          needs === "key" || needs === "partner"
            ? {}
            : bearer(yield* token(needs === "jwt" ? "partner" : "access", false))
        const answer = yield* send(method, path, method === "POST" ? {} : undefined, good)
        assert.notStrictEqual(answer.status, 401)
      }),
      { seed: 1 }
    )
  )
})
