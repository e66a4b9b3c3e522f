/** `docs/interface.md`: nothing of the interface is missing in it, and every test that it names is there. */
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { fillStatuses } from "../src/domain/Order.ts"
import { chainIds } from "../src/venue/api/HistoryApi.ts"
import { WholeVenueApi } from "../src/venue/api/VenueApi.ts"
import { orderErrorCodes } from "../src/venue/wire/WireError.ts"
import { refundReasons, swapStatuses } from "../src/venue/wire/WireSwap.ts"
import { orderErrors } from "./sandbox/orderErrors.ts"

const root = resolve(import.meta.dirname, "..")
const text = readFileSync(join(root, "docs/interface.md"), "utf8")

/** A row names everything that its test shows. */
const rows = [...text.matchAll(/^\| (`[^|]+`) \| [^|]+ \| `(test\/[^`]+)`: (.+) \|$/gm)].map(
  ([, cell = "", file = "", title = ""]) => ({ cell, file, title })
)
const names = rows.flatMap(({ cell }) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name))

const fieldGroups = [
  "amounts",
  "date-times",
  "meta",
  "appFees",
  "quote request",
  "quote response",
  "quote signature",
  "swap status record",
  "swapDetails",
  "order attributes",
  "order response",
  "swapView",
  "partialFills",
  "payouts",
  "order list filters",
  "signedData",
  "transaction record",
  "transaction pages",
  "history filters",
  "account history query",
  "balance entry",
  "user session tokens",
  "credentials",
  "ledger spelling",
  "memo",
  "platform fee",
  "required fields",
  "chain identifiers",
  "history cursors",
  "history page sizes",
  "confidential accounts",
  "expired credentials",
  "damaged answers"
]

const required = (): ReadonlyArray<string> => {
  const { paths } = OpenApi.fromApi(WholeVenueApi)
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
  )
  return [
    ...endpoints,
    ...fieldGroups,
    ...swapStatuses.map((status) => `swap ${status}`),
    ...fillStatuses.map((status) => `order ${status}`),
    ...["NOT_STARTED", "IN_PROGRESS", "COMPLETED", "FAILED"].map((status) => `payout ${status}`),
    ...refundReasons.map((reason) => `refund ${reason}`),
    ...orderErrors.map(([endpoint, code]) => `${endpoint} ${orderErrorCodes[code][0]} ${code}`),
    ...["deposit/submit", "status", "generate-intent", "submit-intent"].map((endpoint) => `${endpoint} 401`),
    ...[
      "quote 400",
      "quote 401",
      "deposit/submit 404",
      "generate-intent 400",
      "status 404",
      "refresh 401",
      "account 401",
      "history 400",
      "history 401",
      "history 429"
    ]
  ]
}

/** Section 4.11 of the interface, with both spellings of the home ledger. */
const chains =
  "native near eth base arb btc sol ton doge xrp zec gnosis bera bsc pol tron sui op avax cardano stellar aptos ltc monad " +
  "xlayer starknet bch adi plasma scroll aleo movement dash abs hypercore fogo"

describe("the contract", () => {
  it("has exactly the chains of the interface", () => {
    assert.strictEqual(chainIds.join(" "), chains)
  })
})

describe("docs/interface.md", () => {
  it("has a row for everything, once", () => {
    assert.deepStrictEqual(
      required().filter((name) => !names.includes(name)),
      []
    )
    assert.deepStrictEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      []
    )
  })

  it("names tests that exist", () => {
    const source = (file: string): string => {
      try {
        return readFileSync(join(root, file), "utf8")
      } catch {
        return ""
      }
    }
    const missing = rows.filter(({ file, title }) => {
      const code = source(file)
      return !['"', "`", "'"].some((quote) => code.includes(`${quote}${title}${quote}`))
    })
    assert.deepStrictEqual(missing, [])
  })

  it("has only table rows that are understood", () => {
    const lines = text.split("\n").filter((line) => line.startsWith("| `"))
    const ignored = text
      .slice(text.indexOf("## Accepted and ignored"))
      .split("\n")
      .filter((line) => line.startsWith("| `"))
    assert.strictEqual(lines.length - ignored.length, rows.length)
  })
})
