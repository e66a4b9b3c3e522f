/** What the canary says of recorded answers, and of the same answers with one thing changed: every field of each in turn. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { closing, sentenceOf } from "../../../src/domain/Drift.ts"
import type { Order } from "../../../src/domain/Order.ts"
import { driftOf, kinds } from "../../../src/venue/canary/Contract.ts"
import { fromList } from "../../../src/venue/wire/WireOrder.ts"
import * as Answers from "../../world/service/answers.ts"
import { recorded } from "./recorded.ts"

/** Every place in an answer; of a list its first element, which stands for all. */
const placesIn = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.length === 0 ? [] : placesIn(value[0], `${path}[]`)
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => {
    const place = path === "" ? name : `${path}.${name}`
    return [place, ...placesIn(part, place)]
  })
}
const at = (answer: unknown, path: string): unknown =>
  path
    .replaceAll("[]", ".0")
    .split(".")
    .reduce<unknown>((inner, name) => (name === "" ? inner : Reflect.get(Object(inner), name)), answer)

/** A copy that is changed in one place, in every element of the lists on the way. */
const put = (answer: unknown, path: string, change: (holder: object, name: string) => void): unknown => {
  const copy: unknown = structuredClone(answer)
  const into = (holder: unknown, [name = "", ...rest]: ReadonlyArray<string>): void => {
    if (typeof holder !== "object" || holder === null) return
    if (rest.length === 0) return change(holder, name)
    const inner: unknown = Reflect.get(holder, name.replace("[]", ""))
    for (const each of name.endsWith("[]") && Array.isArray(inner) ? inner : [inner]) into(each, rest)
  }
  into(copy, path.split("."))
  return copy
}
const set = (answer: unknown, path: string, value: unknown) =>
  put(answer, path, (holder, name) => void Reflect.set(holder, name, value))
const without = (answer: unknown, path: string) =>
  put(answer, path, (holder, name) => void Reflect.deleteProperty(holder, name))
const renamed = (answer: unknown, path: string) =>
  put(without(answer, path), path, (holder, name) => void Reflect.set(holder, `${name}V2`, at(answer, path)))
const ofAnotherKind = (value: unknown): unknown => (typeof value === "boolean" || value === null ? 7 : true)

type Kind = (typeof recorded)[number][1]
/** What books and limits read of an order, apart from what only informs or has a second source. */
const moneyOf = ({
  deadline,
  depositedAmount,
  depositType,
  fills,
  fillStatus,
  id,
  price,
  refund,
  ...others
}: Order) => {
  const { baseAsset, inputAmount, outputAmount, quantity, quoteAsset, recipient, refundTo, side, withdrawals } = others
  return [
    [id, side, baseAsset, quoteAsset, quantity, price, inputAmount, outputAmount, recipient, refundTo],
    [deadline, depositedAmount, depositType, fillStatus],
    fills.map((fill) => [fill.id, fill.amountIn, fill.amountOut]),
    [...withdrawals, ...(refund === undefined ? [] : [refund])].map((leg) => leg.status)
  ]
}
/** Undefined where the program refuses the answer, or misses a term in it. */
const readBy = (kind: Kind, answer: unknown): string | undefined => {
  if (kind === kinds.order) {
    const read = fromList(answer, 0)
    if (Result.isFailure(read) || read.success.unsaid !== undefined) return undefined
    return JSON.stringify(moneyOf(read.success), (_, value) => (typeof value === "bigint" ? `${value}n` : value))
  }
  const schema = kind.schema as unknown as Schema.Codec<unknown, unknown>
  return Result.isSuccess(Schema.decodeUnknownResult(schema)(answer)) ? "read" : undefined
}

/** Of an order whose payments stand elsewhere as well, or that has none. */
const isListThatMayBeMissing = (path: string) => path.endsWith("payouts.allWithdrawals")

/** What a list or an answer about one order holds is an order, which is held against its own contract. */
const isOpaque = (kind: Kind, path: string) =>
  (kind === kinds.orderPage || kind === kinds.orderAnswer) && /^data[.[]/.test(`${path}.`) && path !== "data"

describe("the canary's contract", () => {
  it.each(recorded)("accepts a recorded answer, which the program can read: %s", (_, kind, answer) => {
    assert.deepStrictEqual(driftOf(kind, answer), [])
    assert.isDefined(readBy(kind, answer))
  })

  it.each(recorded)("names each new field anywhere, and closes nothing: %s", (_, kind, answer) => {
    const holders = ["", ...placesIn(answer).filter((path) => !Array.isArray(at(answer, path)))].filter((path) => {
      const value = path === "" ? answer : at(answer, path)
      return typeof value === "object" && value !== null
    })
    const lists = placesIn(answer)
      .filter((path) => typeof at(answer, `${path}[]`) === "object" && at(answer, `${path}[]`) !== null)
      .map((path) => `${path}[]`)
    for (const holder of [...holders, ...lists].filter((path) => !isOpaque(kind, path) && path !== "data")) {
      const path = holder === "" ? "shadow" : `${holder}.shadow`
      const drift = driftOf(kind, set(answer, path, { of: 1 }))
      assert.strictEqual(drift.length, 1, path)
      assert.match(drift.map(sentenceOf).join(), /^field `(?:.*\.)?shadow` of .* is new \(an object\)$/)
      assert.isFalse(drift[0]?.closesFunding)
    }
  })

  it.each(recorded)("closes funding without a field exactly if money depends on it: %s", (_, kind, answer) => {
    for (const path of placesIn(answer).filter((each) => !isOpaque(kind, each))) {
      const changes = {
        gone: without(answer, path),
        null: set(answer, path, null),
        retyped: set(answer, path, ofAnotherKind(at(answer, path)))
      }
      for (const [change, changed] of Object.entries(changes)) {
        const drift = driftOf(kind, changed)
        const blockers = drift.filter(({ closesFunding }) => closesFunding)
        const isLost = readBy(kind, changed) !== readBy(kind, answer)
        const money = kind.money(answer)
        // Nothing tells a refund that there is none of from one that is kept back.
        const isLegalNull = change === "null" && money.includes(`${path}?`)
        const isMoney = money.some((each) => each.replace("?", "") === path)
        const where = `${path} ${change}: ${drift.map(sentenceOf).join("; ")}`
        if (kind.isReadWhole && isLost && !isLegalNull) assert.strictEqual(blockers.length, 1, where)
        if (blockers.length > 0) assert.isTrue(isMoney || (kind.isReadWhole && isLost), where)
        if (isMoney && !isLegalNull && !isListThatMayBeMissing(path)) assert.strictEqual(blockers.length, 1, where)
        assert.isAtMost(drift.length, 1, where)
        if (change === "retyped") assert.strictEqual(drift.length, 1, where)
      }
    }
  })

  it.each(recorded)("reports a renamed field as a new one and a missing one: %s", (_, kind, answer) => {
    for (const path of placesIn(answer).filter((each) => !isOpaque(kind, each))) {
      const gone = driftOf(kind, without(answer, path)).map(sentenceOf)
      const told = driftOf(kind, renamed(answer, path)).map(sentenceOf)
      const fresh = told.filter((sentence) => !gone.includes(sentence))
      assert.strictEqual(fresh.length, 1, `${path}: ${told.join("; ")}`)
      assert.match(fresh[0] ?? "", /V2` of .* is new/)
      assert.includeMembers(told, gone)
    }
  })

  it.each([
    ["null", null],
    ["an object", {}],
    ["absent", undefined]
  ])("closes nothing over the source of a balance, which is private whatever it says: %s", (_, source) => {
    const drift = driftOf(kinds.balances, { balances: [{ tokenId: "nep141:wrap.near", available: "1", source }] })
    assert.isUndefined(closing(drift))
  })

  it("describes each difference once in words", () => {
    const order = set(Answers.wireOrder, "attributes.fillStatus", "SUSPENDED")
    const [word] = driftOf(kinds.order, order)
    assert.match(
      word === undefined ? "" : sentenceOf(word),
      /^field `fillStatus` of orders was one of .* and is now SUSPENDED$/
    )
    const [fill] = Answers.wireOrder.attributes.partialFills
    const two = set(Answers.wireOrder, "attributes.partialFills", [
      { ...fill, tax: null },
      { ...fill, tax: 1 },
      { ...fill, tax: 2 }
    ])
    assert.deepStrictEqual(driftOf(kinds.order, two).map(sentenceOf), [
      "field `partialFills.tax` of orders is new (a number)"
    ])
    const gone = driftOf(kinds.order, without(Answers.wireOrder, "attributes.price"))
    assert.deepStrictEqual(gone.map(sentenceOf), ["field `price` of orders is gone (was text): orders pause"])
  })
})
