/** Pages of a list: no order's date hides the orders behind it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import type { Order } from "../../../src/domain/Order.ts"
import { present } from "../../../src/domain/Present.ts"
import { orderPages } from "../../../src/engine/tracking/OrderReads.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { Rejected, VenueError } from "../../../src/venue/VenueError.ts"
import { order as first } from "../firstOrder.ts"

const order = (id: string, createdAt?: number): Order => {
  const { createdAt: _, ...undated } = first
  return { ...undated, id, ...present({ createdAt }) }
}

const hour = 3_600_000
const since = 100 * hour

/** How many pages of three are read, by the dates of their orders in hours. */
const pagesRead = (dates: ReadonlyArray<ReadonlyArray<number | undefined>>) => {
  const pages = dates.map((hours, page) =>
    hours.map((at, index) => order(`${page}-${index}`, at === undefined ? undefined : at * hour))
  )
  const layer = Layer.mock(Venue)({
    listOrders: ({ cursor = "0" }) => {
      const next = Number(cursor) + 1
      const orders = pages[Number(cursor)] ?? []
      return Effect.succeed({ value: { orders, ...(next < pages.length ? { nextCursor: String(next) } : {}) } })
    }
  })
  return Venue.use((venue) => Stream.runCollect(orderPages(venue, { since }))).pipe(
    Effect.map((read) => read.length),
    Effect.provide(layer)
  )
}

/** The pages read of a list that shows a new order on each page, until the venue refuses the cursor of this page. */
const longList = (refusedAt: number) =>
  Stream.runCollect(
    orderPages({
      listOrders: ({ cursor = "0" }) => {
        if (Number(cursor) >= refusedAt)
          return Effect.fail(
            new VenueError({ reason: new Rejected({ operation: "list orders", code: "no", text: "" }) })
          )
        return Effect.succeed({ value: { orders: [order(cursor)], nextCursor: String(Number(cursor) + 1) } })
      }
    })
  )

describe("a list that does not end", () => {
  it.effect("is read for at most 2000 pages", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* longList(2_500)).length, 2_000)
    })
  )

  it.effect("ends at a cursor that the venue refuses, but fails if the venue refuses the first page", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* longList(1)).length, 1)
      assert.strictEqual((yield* Effect.flip(longList(0))).reason._tag, "Rejected")
    })
  )
})

describe("the pages of orders since a time", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<ReadonlyArray<number | undefined>>, number]> = [
    [
      "end with the page that reaches further back",
      [
        [110, 109, 108],
        [107, 99, 98],
        [97, 96, 95]
      ],
      2
    ],
    [
      "do not end with one order whose date is wrong",
      [
        [110, 1, 108],
        [107, 106, 105],
        [104, 99, 98],
        [97, 96, 95]
      ],
      3
    ],
    [
      "continue behind orders without a date",
      [
        [undefined, undefined, undefined],
        [107, 99, 98],
        [97, 96, 95]
      ],
      2
    ],
    [
      "continue behind one old date among orders without a date",
      [
        [undefined, 1, undefined],
        [107, 99, 98],
        [97, 96, 95]
      ],
      2
    ],
    ["end with a single old order", [[110], [99], [98]], 2]
  ]
  it.effect.each(cases)("%s", ([, dates, read]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* pagesRead(dates), read)
    })
  )
})
