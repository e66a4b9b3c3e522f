/** The order book over the real HTTP encoding against a sandbox in memory: what it shows, and how often the venue is asked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { type Book, distances, impactOf, type OwnOrder } from "../../src/domain/Book.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { mid } from "../../src/domain/Market.ts"
import { OrderBook } from "../../src/orderbook/OrderBook.ts"
import { OwnPrices } from "../../src/orderbook/SecondSourceProgram.ts"
import { type Wanted, wantedBy, withDepth } from "../../src/orderbook/Wanted.ts"
import * as BookText from "../../src/report/text/BookText.ts"
import * as DryVenue from "../../src/sandbox/DryVenue.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import { defaultSettings } from "../../src/sandbox/Settings.ts"
import { layer as clientLayer } from "../../src/venue/library.ts"
import { defaultPatience, ownAccount } from "../../src/venue/VenueConfig.ts"
import { askedBook } from "../../src/views/Book.ts"
import { price, strategyOf } from "../strategy/support.ts"

const btc = { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 }
const usdc = { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
const market = { name: "BTC/USDC", base: btc, quote: usdc }
const one = 100_000_000n

const wanted = (base: bigint, depth: ReadonlyArray<bigint> = []): Wanted => ({
  market,
  sizes: { base, quote: 0n },
  depth
})

const grid = (name: string, base: string) =>
  strategyOf(`
name: ${name}
market: BTC/USDC
kind: grid
limits: { budget: { base: ${base}, quote: 6000 } }
grid: { lower: 59000, upper: 61000, levels: 21, size: { base: 0.005 } }
`)

interface Outside {
  readonly settings?: Parameters<typeof SandboxServer.layerMemory>[0]["settings"]
  readonly isDry?: boolean
  /** What becomes of each answer on its way. */
  readonly told?: (text: string) => string
  readonly ownPrice?: number
}

/** Runs with a book on a sandbox of its own and says how many requests that cost. */
const withBook = <A, E>(
  use: (book: OrderBook["Service"], requests: () => number) => Effect.Effect<A, E>,
  { settings, isDry, told = (text) => text, ownPrice }: Outside = {}
) =>
  Effect.gen(function* () {
    const service = yield* HttpClient.HttpClient
    const connection = yield* SandboxServer.SandboxConnection
    let requests = 0
    const client = HttpClient.make((request) => {
      requests += 1
      return Effect.flatMap(service.execute(request), (answer) =>
        Effect.map(answer.text, (text) =>
          HttpClientResponse.fromWeb(
            request,
            new Response(told(text), { status: answer.status, headers: answer.headers })
          )
        )
      )
    })
    const account = ownAccount(connection.account.signerId, "INTENTS")
    const config = {
      url: connection.url,
      ledger: "native",
      verifier: connection.verifier,
      apiKey: Redacted.make(connection.apiKey),
      account,
      patience: defaultPatience
    } as const
    const venue = clientLayer(config, Redacted.make(connection.account.key)).pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
    )
    const dry = DryVenue.layer({ assets: [btc, usdc], account }).pipe(Layer.provide(venue))
    const own = ownPrice === undefined ? undefined : { mid: ownPrice, at: undefined, by: "your price program" }
    const source = Layer.succeed(OwnPrices, () => Effect.succeed(own))
    return yield* Effect.flatMap(OrderBook, (book) => use(book, () => requests)).pipe(
      Effect.provide(OrderBook.layer.pipe(Layer.provide(isDry === true ? dry : venue), Layer.provide(source)))
    )
  }).pipe(Effect.provide(SandboxServer.layerMemory({ seed: 1, speed: 1, settings })))

/** A token at 33 USDC in a market that stands still. */
const shares = (decimals: number) => ({
  symbol: "SHARE",
  id: "nep141:share.native",
  decimals,
  blockchain: "near",
  priceUsd: 33,
  volatility: 0,
  fee: "0",
  initial: 1_000
})

const bookOf = (book: OrderBook["Service"]): Book => book.book("BTC/USDC") ?? assert.fail("no book")

describe("the price of a token", () => {
  const { assets } = defaultSettings("native")
  for (const decimals of [0, 2, 6, 18]) {
    const share = { symbol: "SHARE", id: shares(decimals).id, decimals }
    const unit = 10n ** BigInt(decimals)
    const settings = { assets: [...assets, shares(decimals)], speed: 0 }
    const near = (value: Decimal.Decimal | undefined, to: number) =>
      assert.closeTo(Decimal.toNumber(value ?? Decimal.zero), to, to * 0.0002)
    for (const sizes of [
      { base: 0n, quote: 100_000_000n },
      { base: 3n * unit, quote: 0n },
      { base: 7n * unit, quote: 100_000_000n }
    ])
      it.effect(`of ${decimals} decimals is right for ${sizes.base} of it and ${sizes.quote} of USDC`, () =>
        withBook(
          (book) =>
            Effect.gen(function* () {
              const bought = { name: "SHARE/USDC", base: share, quote: usdc }
              yield* book.lookDeep([{ market: bought, sizes, depth: [2n * unit] }], 0)
              const { depth, price } = book.book("SHARE/USDC") ?? assert.fail("no book")
              near(price?.ask, 33 / 0.9995)
              near(price?.bid, 33 * 0.9995)
              near(depth.find(({ quantity }) => quantity === 2n * unit)?.ask, 33 / 0.9995)
            }),
          { settings }
        )
      )
    it.effect(`of ${decimals} decimals is right if that token is the quote`, () =>
      withBook(
        (book) =>
          Effect.gen(function* () {
            const sold = { name: "USDC/SHARE", base: usdc, quote: share }
            yield* book.look([{ market: sold, sizes: { base: 100_000_000n, quote: 0n }, depth: [] }], 0)
            const { price } = book.book("USDC/SHARE") ?? assert.fail("no book")
            near(price?.ask, 1 / 33 / 0.9995)
            near(price?.bid, 0.9995 / 33)
          }),
        { settings }
      )
    )
  }
})

describe("the order book", () => {
  it("quotes a budget of few units for at least one unit", () => {
    const strategy = grid("few", "0.005")
    const few = { ...strategy, limits: { ...strategy.limits, budget: { base: 5n, quote: 0n } } }
    assert.deepStrictEqual(
      wantedBy([few]).map(({ sizes }) => sizes),
      [{ base: 1n, quote: 0n }]
    )
  })

  it.effect("quotes both sides at several sizes: larger ones cost more", () =>
    withBook((book) =>
      Effect.gen(function* () {
        yield* book.lookDeep([withDepth(wanted(one / 10n), one / 10n)], 0)
        const { depth, price: top } = bookOf(book)
        assert.deepStrictEqual(
          depth.map(({ quantity }) => quantity),
          [one / 10n, (3n * one) / 10n, one]
        )
        const middle = mid(top ?? assert.fail("no price"))
        const far = depth.map((level) => Decimal.toNumber(distances(level, middle).buy ?? Decimal.zero))
        assert.isAbove(far[1] ?? 0, far[0] ?? 1)
        assert.isAbove(far[2] ?? 0, far[1] ?? 1)
        const near = Decimal.toNumber(impactOf(depth, one / 20n) ?? Decimal.zero)
        assert.isAbove(near, 0)
        assert.isAbove(Decimal.toNumber(impactOf(depth, one) ?? Decimal.zero), near)
        assert.isUndefined(impactOf(depth, one + 1n), "more than was quoted is not known")
      })
    )
  )

  it.effect("sends the requests of one strategy for two on one market, and for two accounts", () =>
    Effect.gen(function* () {
      const costOf = (looks: ReadonlyArray<ReadonlyArray<Wanted>>) =>
        withBook((book, requests) =>
          Effect.gen(function* () {
            for (let turn = 0; turn < 5; turn += 1) {
              yield* Effect.forEach(looks, (each) => book.look(each, 1_000), { concurrency: "unbounded" })
              yield* TestClock.adjust(1_000)
            }
            return requests()
          })
        )
      const [first, second] = [grid("one", "0.1"), grid("two", "0.5")]
      const alone = yield* costOf([wantedBy([first])])
      assert.strictEqual(alone, 1 + 10, "the token list bears the first price out")
      assert.strictEqual(yield* costOf([wantedBy([first, second])]), alone)
      assert.strictEqual(yield* costOf([wantedBy([first]), wantedBy([second])]), alone)
    })
  )

  it.effect("requests deeper levels one at a time and rarely", () =>
    withBook((book, requests) =>
      Effect.gen(function* () {
        const deep = wanted(one / 10n, [one, 2n * one, 3n * one])
        for (let turn = 0; turn < 60; turn += 1) {
          yield* book.look([deep], 1_000)
          yield* TestClock.adjust(1_000)
        }
        assert.strictEqual(requests(), 1 + 2 * (60 + 6), "three levels, twice a minute each")
        assert.strictEqual(book.depth("BTC/USDC")?.length, 3)
      })
    )
  )

  it.effect("requests the price, the token list and deeper levels again once the clock is set back", () =>
    withBook(
      (book, requests) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(3_600_000)
          yield* book.look([wanted(one / 10n, [one])], 1_000)
          assert.strictEqual(requests(), 1 + 2 * 2)
          yield* TestClock.setTime(1_800_000)
          yield* book.look([wanted(one / 10n, [one])], 1_000)
          assert.strictEqual(requests(), 2 * (1 + 2 * 2))
          assert.deepStrictEqual(
            book.depth("BTC/USDC")?.map(({ at }) => at),
            [1_800_000]
          )
        }),
      { settings: { speed: 0 } }
    )
  )

  it.effect("accepts a level far from the price only once the next answer confirms it", () => {
    /** Each look asks two quotes for the price, then two for a level. */
    let [quotes, wrong] = [0, new Set<number>()]
    const halved = (text: string): string => {
      if (!text.includes('"amountOut":')) return text
      quotes += 1
      if (!wrong.has(quotes)) return text
      const half = (_: string, name: string, amount: string) =>
        `"${name}":"${Decimal.format(Decimal.multiply(price(amount), Decimal.half)).replace(name === "amountOut" ? /\..*/ : "", "")}"`
      return text.replace(/"(amountOut(?:Formatted)?)":"([\d.]+)"/g, half)
    }
    const lookAt = (book: OrderBook["Service"], ...lies: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        ;[quotes, wrong] = [0, new Set(lies)]
        yield* TestClock.adjust("31 seconds")
        yield* book.look([wanted(one / 10n, [one])], 0)
        return book
          .depth("BTC/USDC")
          ?.map(({ ask, bid }) => [bid, ask].map((side) => side && Math.round(Decimal.toNumber(side) / 1e4) * 1e4))
      })
    return withBook(
      (book) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* lookAt(book), [[60_000, 60_000]])
          assert.deepStrictEqual(yield* lookAt(book, 3, 4), [[60_000, 60_000]], "one wrong answer changes nothing")
          assert.deepStrictEqual(yield* lookAt(book), [[60_000, 60_000]])
          yield* lookAt(book, 3, 4)
          assert.deepStrictEqual(yield* lookAt(book, 3, 4), [[30_000, 120_000]], "the same answer twice is the market")
          assert.deepStrictEqual(yield* lookAt(book), [[60_000, 60_000]])
          const doubted = yield* lookAt(book, 1, 2, 3, 4)
          assert.match(bookOf(book).problem ?? "", /token list/)
          assert.deepStrictEqual([quotes, doubted], [2, [[60_000, 60_000]]], "beside a doubted price no level is asked")
        }),
      { told: halved, settings: { speed: 0 } }
    )
  })

  it.effect("leaves out a size without a quote, and marks the indicative price of a refused market", () =>
    withBook(
      (book) =>
        Effect.gen(function* () {
          yield* book.lookDeep([wanted(one / 100n, [one / 20n, one])], 0)
          assert.deepStrictEqual(
            bookOf(book).depth.flatMap(({ quantity, ask }) => (ask ? [quantity] : [])),
            [one / 100n, one / 20n]
          )
          yield* book.look([wanted(one)], 0)
          const { problem, indicative } = bookOf(book)
          assert.match(problem ?? "", /No liquidity/)
          assert.approximately(Decimal.toNumber(indicative?.mid ?? Decimal.zero), 60_000, 3_000)
          const text = BookText.lines(bookOf(book), [], 0).join("\n")
          assert.match(text, /indicative only, from the token list/)
        }),
      { settings: { maxQuoteUsd: 5_000 } }
    )
  )

  it.effect("stops a start with other decimals; in a market quoted before they affect only that market", () => {
    let isOdd = true
    return withBook(
      (book) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* Effect.flip(book.look([wanted(one)], 0)))._tag, "WrongDecimals")
          isOdd = false
          yield* book.look([wanted(one)], 0)
          const { price } = bookOf(book)
          isOdd = true
          yield* TestClock.adjust("1 second")
          yield* book.look([wanted(one)], 0)
          assert.match(bookOf(book).problem ?? "", /with other decimals than before/)
          assert.deepStrictEqual(bookOf(book).price, price)
          isOdd = false
          yield* book.look([wanted(one)], 0)
          assert.isUndefined(bookOf(book).problem)
        }),
      { told: (text) => (isOdd ? text.replace(/"amountOutFormatted":"/, "$&1") : text) }
    )
  })

  it.effect("uses the owner's source instead of a token list that is off, or that agrees with a wrong quote", () => {
    const doubled = (text: string) => text.replace(/"price":(\d+)/g, (_, digits) => `"price":${2 * Number(digits)}`)
    const lookWith = (outside: Outside) =>
      withBook(
        (book) =>
          Effect.gen(function* () {
            yield* book.look([wanted(one)], 0)
            return bookOf(book).problem
          }),
        outside
      )
    return Effect.gen(function* () {
      assert.isUndefined(yield* lookWith({}))
      const onlyBase = (text: string) => text.replace(/\{[^{}]*btc[^{}]*\}/gi, doubled)
      assert.match((yield* lookWith({ told: onlyBase })) ?? "", /below the token list's/)
      assert.isUndefined(yield* lookWith({ told: onlyBase, ownPrice: 60_000 }))
      assert.match((yield* lookWith({ ownPrice: 30_000 })) ?? "", /above your price program's/)
    })
  })

  it.effect("is the same in a dry run", () =>
    withBook(
      (book) =>
        Effect.gen(function* () {
          yield* book.lookDeep([withDepth(wanted(one / 10n), one / 10n)], 0)
          assert.strictEqual(bookOf(book).depth.length, 3)
        }),
      { isDry: true }
    )
  )

  it.effect("has fixed names in JSON, also for the own orders in it", () =>
    withBook((book) =>
      Effect.gen(function* () {
        yield* book.lookDeep([wanted(one / 10n, [one])], 0)
        const order = (side: OwnOrder["side"], at: string, slot: string): OwnOrder => ({
          side,
          price: price(at),
          quantity: one / 2n,
          slot
        })
        const own = [order("BUY", "59000", "b/1"), order("BUY", "58000", "a/2"), order("SELL", "61000", "a/1")]
        const { bids, asks, own: shown, impact, ...rest } = askedBook(bookOf(book), own, 7)
        assert.deepStrictEqual(Object.keys(rest), ["market", "at", "spread", "indicative", "problem", "asked"])
        assert.deepStrictEqual(shown[0], { side: "BUY", price: "59000", quantity: "0.5", slot: "b/1" })
        assert.deepStrictEqual(
          bids.map(({ quantity, ageMillis }) => [quantity, ageMillis]),
          [
            ["0.1", 7],
            ["1", 7]
          ]
        )
        assert.isBelow(Number(asks[0]?.price), Number(asks[1]?.price))
        assert.isAbove(Number(bids[0]?.price), Number(bids[1]?.price))
        assert.deepStrictEqual(
          impact.map(({ quantity }) => quantity),
          ["0.1", "1"]
        )
        const lines = BookText.lines(bookOf(book), own, 7)
        const rows = lines.slice(2, -1).map((line) => line.trim().split(/ {2,}/)[0])
        assert.deepStrictEqual(rows, ["* SELL", "ask", "ask", "--", "bid", "bid", "* BUY", "* BUY"])
        const many = Array.from({ length: 40 }, (_, step) => order("SELL", `${70_000 + step}`, `c/${step}`))
        const narrow = BookText.lines(bookOf(book), [...own, ...many], 7, 24)
        assert.strictEqual(narrow.length, 24)
        const left = narrow.slice(2, -1).map((line) => line.trim().split(/ {2,}/)[0])
        assert.match(left[0] ?? "", /^… \d+ higher$/)
        assert.deepStrictEqual(left.slice(-7), ["ask", "ask", "--", "bid", "bid", "* BUY", "* BUY"])
      })
    )
  )
})
