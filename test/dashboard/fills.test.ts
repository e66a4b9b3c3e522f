/** The list of fills on the page: one row for each order, with all of the order's fills. */
import { afterAll, assert, describe, it, vi } from "@effect/vitest"
import { isRecord } from "../../src/domain/Text.ts"
import type { FillView } from "../../src/views/Fills.ts"

vi.stubGlobal("localStorage", { getItem: () => null })
const { Fills } = await import("../../src/dashboard/public/fills.ts")
const Store = await import("../../src/dashboard/public/store.ts")

afterAll(() => {
  vi.unstubAllGlobals()
  Store.fills.value = undefined
})

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

describe("the fills on the page", () => {
  it("are those of the newest 200 orders, each order with all its fills", () => {
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
