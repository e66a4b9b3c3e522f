/** What the panels of the page say, without a browser. Only this file loads them: test files share modules, and it replaces one of theirs. */
import { afterAll, assert, describe, it, vi } from "@effect/vitest"
import * as Signals from "@preact/signals"
import type { OrderStanding } from "../../src/control/api/Order.ts"
import type { Strategy } from "../../src/dashboard/public/store.ts"
import { isRecord } from "../../src/domain/Text.ts"
import type { LineView } from "../../src/views/Events.ts"
import type { FillView } from "../../src/views/Fills.ts"
import type { ProblemView } from "../../src/views/Problems.ts"
import type { Status } from "../../src/views/Status.ts"

vi.stubGlobal("localStorage", { getItem: () => null })
// Outside of a browser no component keeps a state.
vi.doMock("@preact/signals", () => ({ ...Signals, useSignal: Signals.signal }))
const { Activity } = await import("../../src/dashboard/public/activity.ts")
const { Balances } = await import("../../src/dashboard/public/balances.ts")
const { ByHand } = await import("../../src/dashboard/public/byHand.ts")
const { Fills } = await import("../../src/dashboard/public/fills.ts")
const { Problems } = await import("../../src/dashboard/public/problems.ts")
const Store = await import("../../src/dashboard/public/store.ts")

afterAll(() => {
  vi.unstubAllGlobals()
  for (const part of [Store.byHand, Store.events, Store.fills, Store.money, Store.status]) part.value = undefined
  Store.link.value = "gone"
})

/** The text of a tree, with its components. */
const textOf = (node: unknown): string => {
  if (typeof node === "string" || typeof node === "number") return String(node)
  if (Array.isArray(node)) return node.map(textOf).join(" ")
  if (!isRecord(node) || !isRecord(node["props"])) return ""
  const { props, type } = node
  return typeof type === "function" ? textOf(type(props)) : textOf(props["children"])
}
const seen = (node: unknown): string => textOf(node).replace(/\s+/g, " ")

const status: Status = {
  ...{ at: 0, sequence: 1, version: "1", mode: "live", venue: "", account: "", journal: "", pid: 1, startedAt: 0 },
  ...{ turnedAt: 0, leaving: null, killSwitch: null, venueDownSince: null, fills: 0, openOrders: 0, role: "viewer" },
  ...{ strategies: [], prices: [], seenAfter: [], signals: [], problems: [] }
}

describe("orders by hand on the page", () => {
  const order: OrderStanding = {
    ...{ order: "buy-00000001", terms: "", filled: "50 %", state: "open", why: "", hasEnded: false }
  }
  it("keep the state that a person must see, also after a fill", () => {
    Store.byHand.value = [order]
    assert.match(seen(ByHand()), / 50 % filled/)
    assert.notInclude(seen(ByHand()), "open")
    Store.byHand.value = [{ ...order, state: "frozen" }]
    assert.include(seen(ByHand()), "frozen, 50 % filled")
    Store.byHand.value = [{ ...order, state: "filled", filled: "100 %" }]
    assert.notInclude(seen(ByHand()), "100 %")
  })
})

describe("events on the page", () => {
  it("are joined if they are equal and of one minute, also on an earlier day", () => {
    const line: LineView = {
      sequence: 1,
      at: 0,
      tag: "Warned",
      subject: "grid",
      text: "waits",
      weight: "warn",
      fields: {}
    }
    const events = [0, 10_000, 120_000].map((at, sequence) => ({ ...line, at, sequence }))
    Store.events.value = { at: 0, sequence: 3, events }
    const text = seen(Activity())
    assert.lengthOf(text.match(/grid/g) ?? [], 2)
    assert.include(text, "× 2")
    assert.notInclude(text, "× 3")
  })
})

describe("problems on the page", () => {
  const problem: ProblemView = {
    ...{ severity: "alarm", kind: "plan-failed", subject: "bot", text: "Cannot be planned" },
    ...{ since: null, command: null, resolve: null }
  }
  it("name their strategy, whatever its name is, and not the bot itself", () => {
    Store.status.value = { ...status, problems: [problem] }
    assert.include(seen(Problems()), "bot: Cannot be planned")
    Store.status.value = { ...status, problems: [{ ...problem, kind: "late", text: "No turn has ended" }] }
    assert.notInclude(seen(Problems()), "bot:")
  })
  it("leave out the pause of all strategies if it has one reason, which the banner shows", () => {
    const strategy: Strategy = {
      ...{ name: "grid", kind: "grid", file: "", market: "BTC/USDC", openOrders: 0, slots: 0, decidedAt: 0 },
      ...{ paused: { by: "operator", action: "pause", reason: "" }, next: [], levels: [] }
    }
    const pause = { ...problem, kind: "paused", subject: "grid", text: "Paused by the operator" }
    const other = { ...pause, kind: "paused-by-limit", subject: "dca", text: "Paused by its limit maxLoss" }
    Store.link.value = "live"
    Store.status.value = { ...status, strategies: [strategy], problems: [problem, pause] }
    assert.strictEqual(Store.pausedText.value, "Paused by the operator")
    assert.notInclude(seen(Problems()), "Paused")
    Store.status.value = { ...status, strategies: [strategy], problems: [pause, other] }
    assert.isUndefined(Store.pausedText.value)
    assert.match(seen(Problems()), /Paused by the operator .*Paused by its limit/)
    Store.status.value = { ...status, strategies: [{ ...strategy, paused: null }, strategy], problems: [pause] }
    assert.include(seen(Problems()), "Paused by the operator")
  })
  it("are unknown until the first answer", () => {
    Store.status.value = undefined
    assert.match(seen(Problems()), /^Warnings Unknown until the bot answers/)
  })
})

describe("balances on the page", () => {
  const rows = [
    { asset: "ETH", place: "wallet", amount: "0.02" },
    { asset: "BTC", place: "wallet", amount: "0.0015" }
  ]
  const money = { at: 0, sequence: 1, places: ["wallet"], rows, notCounted: [], residual: {} }
  const priced = (market: string, mid: string): Status => {
    const price = { market, bid: mid, ask: mid, mid, at: 0 }
    return { ...status, prices: [price] }
  }
  it("have a value of which the first digits are seen, from 100 on to the cent", () => {
    Store.money.value = money
    Store.status.value = priced("ETH/BTC", "0.03")
    assert.match(seen(Balances()), /Value, BTC .*0\.02 0\.02 0\.0006 BTC 0\.0015 0\.0015 0\.0015/)
    Store.status.value = priced("BTC/USDC", "100000")
    assert.match(seen(Balances()), /Value, USDC .*0\.02 0\.02 – BTC 0\.0015 0\.0015 150\.00/)
  })
  it("have no value without a market", () => {
    Store.status.value = status
    assert.notInclude(seen(Balances()), "Value")
  })
})

describe("the fills on the page", () => {
  const fill = (order: number, part: number): FillView => ({
    sequence: order * 10 + part,
    at: order * 1_000 + part,
    // Without a status no strategy is selected, and its name is empty.
    slot: "/cell-1",
    placement: `order-${order}`,
    market: "BTC/USDC",
    side: "BUY",
    price: "100",
    paid: "10",
    paidAsset: "USDC",
    received: "0.1",
    receivedAsset: "BTC",
    fillId: `${order}-${part}`
  })

  /** Values under this name anywhere in the tree. */
  const valuesOf = (name: string, node: unknown): ReadonlyArray<unknown> => {
    if (Array.isArray(node)) return node.flatMap((each) => valuesOf(name, each))
    if (!isRecord(node) || !isRecord(node["props"])) return []
    const { [name]: value, children } = node["props"]
    return [...(value === undefined ? [] : [value]), ...valuesOf(name, children)]
  }

  it("are those of the newest 200 orders, each order with all its fills", () => {
    Store.status.value = undefined
    const orders = Array.from({ length: 210 }, (_, order) => order)
    Store.fills.value = orders.flatMap((order) => [0, 1, 2].map((part) => fill(order, part)))
    const [rows] = valuesOf("rows", Fills())
    const shown = Array.isArray(rows) ? rows.filter(isRecord) : []
    assert.deepStrictEqual(
      shown.map(({ placement }) => placement),
      orders
        .slice(-200)
        .reverse()
        .map((order) => `order-${order}`)
    )
    for (const { paid, parts, received } of shown) assert.deepStrictEqual([paid, parts, received], ["30", 3, "0.3"])
  })
})
