/**
 * The conformance suite against the sandbox in process, under a virtual clock: everything holds that can be shown. And against
 * services that are wrong in one thing each: the suite says so, or it would be worth nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lanes } from "../../tools/conformance/suite.ts"
import { hold, type Lie, told } from "./conformity.ts"

const all = lanes("native")
const only = (...ids: ReadonlyArray<string>) =>
  all.map((lane) => lane.filter(({ id }) => ids.some((wanted) => id.startsWith(wanted))))

const patched =
  (path: RegExp, change: (body: Record<string, never>) => object): Lie =>
  (seen) =>
    path.test(seen.path) && seen.status < 300 && typeof seen.body === "object" && seen.body !== null
      ? { body: change(structuredClone(seen.body) as Record<string, never>) }
      : undefined

const without = (body: object, path: string): object => {
  const names = path.split(".")
  const last = names.pop() ?? ""
  const inner = names.reduce<unknown>((value, name) => Reflect.get(Object(value), name), body)
  if (typeof inner === "object" && inner !== null) Reflect.deleteProperty(inner, last)
  return body
}

describe("the conformance suite", () => {
  it("has at least 500 checks with distinct names", () => {
    const ids = all.flat().map(({ id }) => id)
    assert.isAtLeast(ids.length, 500)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it.effect("finds nothing wrong with the sandbox", () =>
    Effect.gen(function* () {
      const outcomes = yield* hold(all)
      assert.deepStrictEqual(told(outcomes, "fails"), [])
      const unseen = outcomes.filter(({ verdict }) => verdict === "cannot show").map(({ id }) => id)
      // No order type waits for a trigger, and nobody outside can overload or break a service by intent.
      assert.deepStrictEqual(
        unseen.filter((id) => !/^7\.1\.\w+\.(429|500|503)\./.test(id)),
        ["3.2.state.UNTRIGGERED"]
      )
    })
  )

  it.effect("says what it cannot show without a sandbox's controls, and finds nothing wrong", () =>
    Effect.gen(function* () {
      const real: Lie = ({ path }) =>
        path.startsWith("/sandbox") ? { status: 404, body: { message: "none" } } : undefined
      const outcomes = yield* hold(only("2.3", "3.", "4.4", "4.5", "2.4"), { lie: real })
      assert.deepStrictEqual(told(outcomes, "fails"), [])
      assert.isTrue(told(outcomes, "cannot show").some((text) => text.includes("--spend")))
      assert.isAbove(told(outcomes, "holds").length, 150)
    })
  )

  const lies: ReadonlyArray<readonly [what: string, check: string, lie: Lie]> = [
    [
      "meta without a correlation id",
      "2.1.create.meta.correlationId",
      patched(/^\/v0\/orders$/, (body) => without(body, "meta.correlationId"))
    ],
    [
      "an order without its deposit address",
      "2.3.create.attributes.depositAddress",
      patched(/^\/v0\/orders/, (body) => without(body, "data.attributes.depositAddress"))
    ],
    [
      "a create with another code",
      "7.1.create.400.validation-failed",
      ({ body, path, status }) => (path === "/v0/orders" && status === 400 ? { status: 422, body } : undefined)
    ],
    [
      "a dry quote with an address",
      "4.1.dry",
      patched(/quote$/, (body) => ({ ...body, quote: { ...Object(body["quote"]), depositAddress: "x" } }))
    ],
    [
      "a list that ignores its filter",
      "4.5.list.filter.FILLED",
      patched(/filter\[fillStatus\]=FILLED/, (body) => ({ ...body, data: [{ attributes: { fillStatus: "OPEN" } }] }))
    ],
    ["no 401", "5.401.GET /v0/orders.none", ({ status }) => (status === 401 ? { status: 200, body: {} } : undefined)],
    [
      "a history without milliseconds",
      "2.2.createdAt",
      patched(/transactions\?/, (body) =>
        Array.isArray(body) ? body.map((line) => ({ ...line, createdAt: "2026-01-01T00:00:00Z" })) : body
      )
    ],
    ["a page without totals", "4.10.page.total", patched(/transactions-pages/, (body) => without(body, "total"))],
    [
      "a history that never says 429",
      "8.rate",
      ({ status }) => (status === 429 ? { status: 200, body: [] } : undefined)
    ]
  ]
  it.effect.each(lies)("fails a service with %s", ([, id, lie]) =>
    Effect.gen(function* () {
      const outcomes = yield* hold(only(id), { lie })
      assert.include(
        outcomes.filter(({ verdict }) => verdict === "fails").map((outcome) => outcome.id),
        id
      )
    })
  )
})
