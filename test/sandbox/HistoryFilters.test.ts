/** Every filter of both histories over one varied past: what is shown is what the interface says, by cursor and by page alike. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SandboxConnection } from "../../src/sandbox/SandboxServer.ts"
import { btc, createAndFund, price, send, signMessage, usdc } from "../world/service/clients.ts"
import { play, start } from "../world/service/play.ts"
import { betweenChains, follow, iso, payByIntent, payOnChain, quote } from "../world/service/playedSwaps.ts"

const eth = "nep141:eth.omft.native"

interface Record {
  readonly depositAddress: string
  readonly createdAt: string
}

interface Made {
  readonly name: string
  readonly address: string
  readonly memo: string | undefined
  readonly txHash: string | undefined
}

/** Name, what differs from a swap of 0.01 BTC for USDC between accounts, and how much of it is paid. */
const kinds: ReadonlyArray<readonly [name: string, changes: object, paid: bigint]> = [
  ["us", { referral: "us" }, 1_000_000n],
  ["test", { referral: "test-run" }, 1_000_000n],
  ["app", { appFees: [{ recipient: "app.native", fee: 10 }] }, 1_000_000n],
  ["masked", { confidentiality: "basic" }, 1_000_000n],
  ["back", { originAsset: usdc, destinationAsset: btc, amount: "700000000" }, 700_000_000n],
  ["ether", { originAsset: eth, amount: "1000000000000000000" }, 1_000_000_000_000_000_000n],
  ["secret", { depositType: "CONFIDENTIAL_INTENTS", recipientType: "CONFIDENTIAL_INTENTS" }, 1_000_000n],
  ["refunded", { deadline: iso(60_000) }, 400_000n],
  ["memo", betweenChains, 1_000_000n],
  ["short", {}, 400_000n],
  ["unpaid", {}, 0n]
]

const past = Effect.gen(function* () {
  const made: Array<Made> = []
  for (const [name, changes, paid] of kinds) {
    const { quote: quoted } = yield* quote({ deadline: iso(86_400_000), ...changes })
    const { depositAddress: address, depositMemo: memo } = quoted
    let txHash: string | undefined
    if (name === "memo") txHash = yield* payOnChain(address, String(paid), memo)
    else if (paid > 0n) yield* payByIntent(address, String(paid), assetOf(changes))
    if (name === "refunded") yield* Effect.sleep("60 seconds")
    if (paid > 0n && name !== "short") yield* follow(address, memo)
    made.push({ name, address, memo, txHash })
    yield* Effect.sleep("1 second")
  }
  const order = yield* createAndFund({ price: price("90000") })
  made.push({ name: "order", address: order.depositAddress, memo: undefined, txHash: undefined })
  yield* Effect.sleep("1 second")
  return made
})

const assetOf = (changes: object): string => ("originAsset" in changes ? String(changes.originAsset) : btc)

/** All that is shown by default, newest first. */
const usual = ["order", "memo", "refunded", "secret", "ether", "back", "masked", "app", "us"]
/** The same without masking records. */
const swaps = usual.filter((name) => name !== "order" && name !== "masked")
const bitcoin = swaps.filter((name) => name !== "back" && name !== "ether")

/** By name; a name in the query stands for that record's address, `NAME.memo`, `NAME.at` and `NAME.hash` for its other parts. */
const filters: ReadonlyArray<readonly [query: string, expected: ReadonlyArray<string>]> = [
  ["", usual],
  ["statuses=PENDING_DEPOSIT", ["unpaid"]],
  ["statuses=INCOMPLETE_DEPOSIT,REFUNDED", ["short", "refunded"]],
  ["statuses=PROCESSING", ["order"]],
  ["statuses=FAILED", []],
  ["showTestTxs=true", [...usual.slice(0, -1), "test", "us"]],
  ["fromChainId=btc", bitcoin],
  ["fromChainId=btc&fromChainId=eth", swaps.filter((name) => name !== "back")],
  ["toChainId=native", swaps.filter((name) => name !== "back")],
  ["toChainId=btc&toChainId=eth", ["back"]],
  [`fromTokenId=${eth}`, ["ether"]],
  [`fromTokenId=${eth}&fromTokenId=${usdc}`, ["ether", "back"]],
  [`fromChainId=btc&fromTokenId=${eth}`, ["ether"]],
  [`toTokenId=${btc}`, ["back"]],
  [`toChainId=btc&toTokenId=${usdc}`, swaps.filter((name) => name !== "back")],
  ["referral=us", ["us"]],
  ["affiliate=app.native", ["app"]],
  ["minUsdPrice=650", ["ether", "back"]],
  ["minUsdPrice=650&maxUsdPrice=1000", ["back"]],
  ["maxUsdPrice=1000&minUsdPrice=null", swaps.filter((name) => name !== "ether")],
  ["minUsdPrice=null&maxUsdPrice=null", usual],
  ["startTimestamp={back.at}", usual.slice(0, 5)],
  ["endTimestamp={back.at}", ["masked", "app", "us"]],
  ["startTimestamp={back.at}&endTimestamp={secret.at}", ["ether"]],
  ["startTimestampUnix={back.unix}&endTimestampUnix={secret.unix}", ["ether"]],
  ["startTimestamp=null&endTimestamp=null&startTimestampUnix=null&endTimestampUnix=null", usual],
  ["search={masked}", ["masked"]],
  ["search=0xme", ["memo"]],
  ["search=bc1qme", ["memo"]],
  ["search={memo.hash}", ["memo"]],
  ["search={memo}&depositMemo={memo.memo}", ["memo"]],
  ["search={memo}&depositMemo=7", []]
]

const refused = [
  "fromChainId=mars",
  "statuses=KNOWN_DEPOSIT_TX",
  "statuses=",
  "minUsdPrice=-1",
  "maxUsdPrice=much",
  "startTimestamp=yesterday",
  "endTimestampUnix=soon"
]

/** The past, and how a history of it is asked for by names. */
const world = Effect.gen(function* () {
  const { partnerJwt } = yield* SandboxConnection
  const made = yield* past
  const ask = Effect.fnUntraced(function* (path: string) {
    yield* Effect.sleep("5 seconds")
    return yield* send("GET", path, undefined, { authorization: `Bearer ${partnerJwt}` })
  })
  const { body } = yield* ask("/api/v0/transactions?statuses=SUCCESS,REFUNDED,PROCESSING&showTestTxs=true")
  const times = new Map((body as ReadonlyArray<Record>).map((line) => [line.depositAddress, line.createdAt]))
  const filled = (query: string): string =>
    query.replace(/\{(\w+)(?:\.(\w+))?\}/g, (_, name: string, part?: string) => {
      const found = made.find((one) => one.name === name)
      const at = times.get(found?.address ?? "") ?? ""
      const parts = { memo: found?.memo, hash: found?.txHash, at, unix: String(Date.parse(at) / 1000) }
      return encodeURIComponent((part === undefined ? found?.address : parts[part as keyof typeof parts]) ?? "nothing")
    })
  const named = (lines: unknown): ReadonlyArray<string> =>
    (lines as ReadonlyArray<Record>).map(
      ({ depositAddress }) => made.find(({ address }) => address === depositAddress)?.name ?? depositAddress
    )
  return { ask: (path: string) => ask(filled(path)), filled, named }
})

const quick = [20, 20] as const
const settings = { recognitionMillis: quick, chainRecognitionMillis: quick, swapMillis: quick, payoutMillis: quick }

describe("the partner's history", () => {
  it.effect("has the same records by cursor and by page, for every filter", () =>
    play(
      Effect.gen(function* () {
        const { ask, named } = yield* world
        for (const [query, expected] of filters) {
          const byCursor = yield* ask(`/api/v0/transactions?numberOfTransactions=1000&${query}`)
          assert.deepStrictEqual(named(byCursor.body), expected, query)
          const byPage = (yield* ask(`/api/v0/transactions-pages?perPage=1000&${query}`)).body as {
            readonly data: unknown
            readonly total: number
          }
          assert.deepStrictEqual(named(byPage.data), expected, query)
          assert.strictEqual(byPage.total, expected.length, query)
        }
        for (const query of refused) {
          for (const path of ["transactions", "transactions-pages"]) {
            const { body, status } = yield* ask(`/api/v0/${path}?${query}`)
            assert.strictEqual(status, 400, query)
            assert.strictEqual((body as { readonly status: number }).status, 400)
          }
        }
      }),
      { settings }
    )
  )

  it.effect("keeps its filters with cursors, both ways, with memo and in the deprecated form", () =>
    play(
      Effect.gen(function* () {
        const { ask, named } = yield* world
        const cursors: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
          ["numberOfTransactions=3", usual.slice(0, 3)],
          ["numberOfTransactions=2&lastDepositAddress={memo}&lastDepositMemo={memo.memo}", ["refunded", "secret"]],
          ["numberOfTransactions=2&lastDepositAddressAndMemo={memo}_{memo.memo}", ["refunded", "secret"]],
          ["lastDepositAddressAndMemo={app}", ["us"]],
          ["direction=prev&lastDepositAddress={refunded}", ["order", "memo"]],
          ["direction=prev&numberOfTransactions=1&lastDepositAddress={refunded}", ["memo"]],
          ["direction=next&fromChainId=btc&lastDepositAddress={refunded}", ["secret", "app", "us"]],
          ["direction=prev", []],
          ["lastDepositAddress={us}", []]
        ]
        for (const [query, expected] of cursors) {
          assert.deepStrictEqual(named((yield* ask(`/api/v0/transactions?${query}`)).body), expected, query)
        }
        const unknown = ["lastDepositAddress=nowhere", "lastDepositAddress={memo}&lastDepositMemo=7", "direction=up"]
        for (const query of [...unknown, "numberOfTransactions=1001", "numberOfTransactions=0"]) {
          assert.strictEqual((yield* ask(`/api/v0/transactions?${query}`)).status, 400, query)
        }
        for (const query of ["page=0", "perPage=1001", "perPage=0", "page=1.5"]) {
          assert.strictEqual((yield* ask(`/api/v0/transactions-pages?${query}`)).status, 400, query)
        }
      }),
      { settings }
    )
  )
})

describe("a page of the history", () => {
  it.effect("has 50 records by default, by cursor and by page", () =>
    play(
      Effect.gen(function* () {
        const { partnerJwt } = yield* SandboxConnection
        for (let made = 0; made < 51; made += 1) yield* quote({ deadline: iso(86_400_000) })
        const credential = { authorization: `Bearer ${partnerJwt}` }
        const byCursor = yield* send("GET", "/api/v0/transactions?statuses=PENDING_DEPOSIT", undefined, credential)
        assert.lengthOf(byCursor.body as ReadonlyArray<unknown>, 50)
        yield* Effect.sleep("5 seconds")
        const path = "/api/v0/transactions-pages?statuses=PENDING_DEPOSIT"
        const { data, ...counts } = (yield* send("GET", path, undefined, credential)).body as { data: unknown }
        assert.lengthOf(data as ReadonlyArray<unknown>, 50)
        const expected = { totalPages: 2, page: 1, perPage: 50, total: 51, nextPage: 2, prevPage: null }
        assert.deepStrictEqual(counts as object, expected)
      })
    )
  )
})

describe("an account's own history", () => {
  /** Three lists that are read together. */
  const own: ReadonlyArray<readonly [query: string, expected: ReadonlyArray<string>]> = [
    ["depositType=CONFIDENTIAL_INTENTS", ["secret"]],
    ["depositType=CONFIDENTIAL_INTENTS&recipientType=CONFIDENTIAL_INTENTS&refundType=INTENTS", ["secret"]],
    ["depositType=CONFIDENTIAL_INTENTS&recipientType=INTENTS", []],
    ["depositType=null&recipientType=CONFIDENTIAL_INTENTS&refundType=null", ["secret"]],
    ["depositType=ORIGIN_CHAIN&depositType=CONFIDENTIAL_INTENTS&recipientType=null&recipientType=null", ["secret"]],
    ["status=PROCESSING&depositType=null", ["order"]],
    [
      "depositType=INTENTS&depositType=CONFIDENTIAL_INTENTS&recipientType=CONFIDENTIAL_INTENTS&recipientType=INTENTS",
      []
    ],
    ["depositAddress={app}", ["app"]],
    ["depositAddress={app}&depositMemo=7", []],
    ["depositMemo=7&status=INCOMPLETE_DEPOSIT", ["short"]],
    ["search={us}", ["us"]],
    ["status=REFUNDED&status=INCOMPLETE_DEPOSIT", ["short", "refunded"]]
  ]

  it.effect("takes kinds as index-aligned lists in which null matches any, and applies every other filter", () =>
    play(
      Effect.gen(function* () {
        const { filled, named } = yield* world
        const signedData = yield* signMessage({ intents: [], nonce: new Uint8Array(32).fill(99), deadline: start * 2 })
        const { accessToken } = (yield* send("POST", "/v0/auth/authenticate", { signedData })).body as {
          accessToken: string
        }
        const ask = (query: string) =>
          send("GET", `/v0/account/history?limit=100&${filled(query)}`, undefined, {
            authorization: `Bearer ${accessToken}`
          })
        for (const [query, expected] of own) {
          const { body } = yield* ask(query)
          assert.deepStrictEqual(named((body as { readonly items: unknown }).items), expected, query)
        }
        for (const query of ["depositType=CASH", "status=KNOWN_DEPOSIT_TX", "limit=101"]) {
          assert.strictEqual((yield* ask(query)).status, 400, query)
        }
      }),
      { settings }
    )
  )
})
