/** What must be true after any torture: read from the sandbox's own books and from the bot's journal, independently. */
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import type { BotEvent, Recorded } from "../../../src/domain/BotEvent.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import { replay } from "../../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { differences } from "../../../src/rehearsal/demo/BooksComparison.ts"
import { BooksResponse } from "../../../src/sandbox/SandboxApi.ts"
import { ledgerOf } from "../../../src/venue/profile/Profiles.ts"
import { usualProfile } from "../../profile.ts"
import * as LedgerFaults from "./ledgerFaults.ts"

const home = ledgerOf(usualProfile)
const assets = [
  { symbol: "BTC", id: `nep141:btc.omft.${home}`, decimals: 8 },
  { symbol: "SOL", id: `nep141:sol.omft.${home}`, decimals: 9 },
  { symbol: "USDC", id: `nep141:usdc.omft.${home}`, decimals: 6 }
]

/** The whole journal. */
export const readAll = Effect.flatMap(Journal, (journal) => Stream.runCollect(journal.events()))

/** After a payment in doubt, the operator looked and said that it was not made. */
const isSaidUnpaid = (event: BotEvent): event is Extract<BotEvent, { readonly _tag: "Resolved" }> =>
  event._tag === "Resolved" && event.word === "not-paid"

/** Times in which each order had money in it, by slot, as the journal saw them. */
const fundedSpans = (events: ReadonlyArray<Recorded>) => {
  const spans = new Map<string, Array<{ readonly placement: string; readonly from: number; to: number }>>()
  for (const { sequence, event } of events) {
    if (event._tag === "FundingSigned") {
      const key = `${event.strategy}/${event.slot}`
      const of = spans.get(key) ?? []
      of.push({ placement: event.placement, from: sequence, to: Number.POSITIVE_INFINITY })
      spans.set(key, of)
    }
    if (event._tag === "Settled" || event._tag === "FundingDead" || isSaidUnpaid(event)) {
      const span = spans.get(`${event.strategy}/${event.slot}`)?.find(({ placement }) => placement === event.placement)
      if (span !== undefined) span.to = sequence
    }
  }
  return spans
}

/** What both sides say, now that no placement is open any more. */
const atRest = Effect.fnUntraced(function* (url: string) {
  const response = yield* HttpClient.get(`${url}/sandbox/books`)
  const truth = yield* HttpClientResponse.schemaBodyJson(BooksResponse)(response)
  const state = yield* replay
  const events = yield* readAll
  // Whether a wallet program paid, or a swap was paid, only the operator can know.
  const open = unfinished(state).filter(({ state }) => state !== "in doubt")
  assert.isTrue(open.length === 0, `still open: ${open.map((placement) => `${placement.id} ${placement.state}`)}`)
  return { truth, state, events }
})

/** The journal at rest and the sandbox tell the same story, and nothing in it was paid twice. */
export const check = Effect.fnUntraced(function* (url: string, account: string) {
  const { truth, state, events } = yield* atRest(url)

  const signed = new Map(
    events.flatMap(({ event }) => (event._tag === "FundingSigned" ? [[event.orderId, event.amount] as const] : []))
  )
  const saidUnpaid = new Set(events.flatMap(({ event }) => (isSaidUnpaid(event) ? [event.placement] : [])))
  const unpaid = new Set(
    events.flatMap(({ event }) =>
      event._tag === "FundingSigned" && saidUnpaid.has(event.placement) ? [event.orderId] : []
    )
  )
  for (const order of truth.orders) {
    const deposited = BigInt(order.deposited)
    if (deposited === 0n) continue
    assert.isTrue(signed.has(order.id), `order ${order.id} holds money that the journal never signed for`)
    assert.strictEqual(deposited, signed.get(order.id), `order ${order.id} was funded once, with what was signed`)
    assert.isFalse(unpaid.has(order.id), `order ${order.id} holds money, and its payment was said not to be made`)
  }
  for (const [slot, spans] of fundedSpans(events)) {
    const ordered = spans.toSorted((a, b) => a.from - b.from)
    ordered.forEach((span, index) => {
      const next = ordered[index + 1]
      assert.isTrue(
        next === undefined || span.to < next.from,
        `${slot} had two funded orders at once: ${span.placement}`
      )
    })
  }
  assert.deepStrictEqual(LedgerFaults.overdrawn(state.ledger), [])
  assert.deepStrictEqual(yield* differences(url, account, state, assets), [], "both books agree to the unit")
  const contradictions = events.flatMap(({ event }) => (event._tag === "Contradiction" ? [event.what] : []))
  assert.deepStrictEqual(contradictions, [])
  return { fills: state.fills, orders: truth.orders.length, funded: signed.size, events: events.length, residual: 0 }
})

/**
 * The same for money on another chain, where the sandbox sees only what reaches it: every order was paid at most once, and
 * what the bot's wallet has less is what came in from `sender` and did not go back, or was named as unexplained.
 */
export const checkOnChain = Effect.fnUntraced(function* (url: string, sender: string, isExact = true) {
  const { truth, state, events } = yield* atRest(url)

  const asked = events.flatMap(({ event }) => (event._tag === "PaymentAsked" ? [event] : []))
  assert.strictEqual(new Set(asked.map(({ placement }) => placement)).size, asked.length, "each placement asks once")
  const amounts = new Map(asked.map(({ amount, orderId }) => [orderId, amount]))
  for (const order of truth.orders) {
    const deposited = BigInt(order.deposited)
    const paid = amounts.get(order.id) ?? 0n
    if (isExact && deposited > 0n) assert.strictEqual(deposited, paid, `order ${order.id} was paid once`)
    assert.isTrue(deposited <= paid, `order ${order.id} was paid once`)
  }
  assert.deepStrictEqual(LedgerFaults.overdrawn(state.ledger), [])
  assert.deepStrictEqual(truth.imbalances, [])
  let residual = 0n
  for (const { symbol } of assets) {
    const place = (name: Ledger.Place) =>
      Ledger.totals(state.ledger).find(({ asset, place }) => asset === symbol && place === name)?.amount ?? 0n
    const allotted = [...state.strategies.values()].reduce((sum, { budget }) => sum + (budget.get(symbol) ?? 0n), 0n)
    const doubtful = place("in doubt")
    residual += place("residual") + doubtful
    const cameIn = BigInt(truth.accounts[sender]?.[symbol]?.["external"] ?? "0")
    assert.strictEqual(
      place("wallet") + Ledger.givenBackOf(state.ledger, symbol) - allotted + place("residual") + doubtful,
      -cameIn,
      `${symbol}: both books agree to the unit`
    )
  }
  return {
    fills: state.fills,
    orders: truth.orders.length,
    funded: asked.length,
    events: events.length,
    residual: Number(residual)
  }
})
