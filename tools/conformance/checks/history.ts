/** Sections 2.2, 4.9 to 4.11, 7.3, 8 and 9: the partner's history. Its requests are few, because one is allowed in five seconds. */
import { type Check, cannotShow, check, fail, same, that } from "../Check.ts"
import {
  amount,
  at,
  decimal,
  depositTypes,
  fees,
  filled,
  isRecord,
  listOf,
  number,
  oneOf,
  orNull,
  type Row,
  recipientTypes,
  rows,
  text,
  timeWithMillis
} from "../Fields.ts"
import * as Scenes from "../Scenes.ts"
import type { Fields, World } from "../World.ts"
import { refundReasons } from "./swaps.ts"

const statuses = ["FAILED", "INCOMPLETE_DEPOSIT", "PENDING_DEPOSIT", "PROCESSING", "REFUNDED", "SUCCESS"]
const defaults = ["FAILED", "PROCESSING", "REFUNDED", "SUCCESS"]

export const chains = (ledger: string): ReadonlyArray<string> => [
  ledger,
  ..."eth base arb btc sol ton doge xrp zec gnosis bera bsc pol tron sui op avax cardano stellar aptos ltc monad".split(
    " "
  ),
  ..."xlayer starknet bch adi plasma scroll aleo movement dash abs hypercore fogo".split(" ")
]

const recordRows = (ledger: string): ReadonlyArray<Row> => [
  ["originAsset", "required", filled],
  ["destinationAsset", "required", filled],
  ["depositAddress", "required", filled],
  ["depositMemo", "required", orNull(text)],
  ["depositAddressAndMemo", "required", filled],
  ["recipient", "required", filled],
  ["status", "required", oneOf(...statuses)],
  ["createdAt", "required", timeWithMillis],
  ["createdAtTimestamp", "required", number],
  ["intentHashes", "required", orNull(text)],
  ["referral", "required", orNull(text)],
  ["amountInFormatted", "required", decimal],
  ["amountOutFormatted", "required", decimal],
  ["appFees", "required", fees],
  [`${ledger}TxHashes`, "required", listOf(text)],
  ["originChainTxHashes", "required", listOf(text)],
  ["destinationChainTxHashes", "required", listOf(text)],
  ["amountIn", "required", amount],
  ["amountInUsd", "required", decimal],
  ["amountOut", "required", amount],
  ["amountOutUsd", "required", decimal],
  ["refundTo", "required", filled],
  ["senders", "required", listOf(text)],
  ["refundReason", "sometimes", oneOf(...refundReasons)],
  ["refundFee", "sometimes", amount],
  ["refundFeeFormatted", "required", orNull(decimal)],
  ["depositType", "required", oneOf(...depositTypes)],
  ["recipientType", "required", oneOf(...recipientTypes)],
  ["refundType", "required", oneOf(...depositTypes)]
]

const pageRows: ReadonlyArray<Row> = [
  ["data", "required", (value) => (Array.isArray(value) ? undefined : "expected an array")],
  ["totalPages", "required", number],
  ["page", "required", number],
  ["perPage", "required", number],
  ["total", "required", number],
  ["nextPage", "required", orNull(number)],
  ["prevPage", "required", orNull(number)]
]

const all = (world: World) => Scenes.history(world)
const firstPage = (world: World) => Scenes.pages(world)
const records = async (world: World): Promise<ReadonlyArray<unknown>> => {
  const data = (await firstPage(world))["data"]
  return Array.isArray(data) ? data : []
}

const each = (sentence: string, id: string, isSo: (record: Fields) => boolean): Check =>
  check(id, sentence, async (world) => {
    const found = await all(world)
    if (found.length === 0) return cannotShow("the history is empty")
    const wrong = found.find((record) => !isSo(record))
    return wrong === undefined ? `${found.length} records` : fail(JSON.stringify(wrong).slice(0, 300))
  })

const about: ReadonlyArray<Check> = [
  each("`depositAddressAndMemo` joins address and memo by an underscore", "2.2.combined", (record) => {
    const { depositAddress, depositAddressAndMemo, depositMemo } = record
    return depositAddressAndMemo === (depositMemo === null ? depositAddress : `${depositAddress}_${depositMemo}`)
  }),
  each("`createdAtTimestamp` is the Unix time of `createdAt`", "2.2.timestamp", ({ createdAt, createdAtTimestamp }) => {
    const millis = Date.parse(String(createdAt))
    return [Math.floor(millis / 1000), millis / 1000, millis].includes(Number(createdAtTimestamp))
  }),
  each("amounts read 0 while the swap is in flight", "2.2.in-flight", ({ amountIn, amountOut, status }) =>
    ["PENDING_DEPOSIT", "PROCESSING", "INCOMPLETE_DEPOSIT"].includes(String(status))
      ? amountIn === "0" && amountOut === "0"
      : true
  ),
  check("4.9.newest", "The history is newest first", async (world) => {
    const times = (await all(world)).map(({ createdAt }) => Date.parse(String(createdAt)))
    that(
      times.every((time, index) => index === 0 || time <= (times[index - 1] ?? time)),
      "it is not"
    )
    return `${times.length} records`
  }),
  check("4.9.pages", "By cursor and by page the same is shown", async (world) => {
    const byPage = (await records(world)).map((record) => at(record, "depositAddress"))
    const byCursor = (await all(world)).map(({ depositAddress }) => depositAddress)
    const known = new Set(byCursor)
    that(
      byPage.filter((address) => known.has(address)).length >= Math.min(byPage.length, byCursor.length) * 0.9,
      "they differ"
    )
    return undefined
  }),
  ...statuses.map((status) =>
    check(`2.2.status.${status}`, `A record can be ${status}`, async (world) =>
      (await all(world)).some((record) => record["status"] === status) ? undefined : cannotShow("no record is")
    )
  )
]

const inTable = (
  id: string,
  path: string,
  names: ReadonlyArray<readonly [name: string, value: string]>
): ReadonlyArray<Check> => {
  const query = names.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")
  return names.map(([name]) =>
    check(`${id}.${name}`, `The query parameter \`${name}\` is taken`, async (world) => {
      await Scenes.past(world)
      const answer = await world.history(`${path}?${query}`)
      that(answer.status === 200, `${answer.status} ${answer.text.slice(0, 200)}`)
      return "together with the others"
    })
  )
}

/** Those that can be sent together. */
const filters = (token: string): ReadonlyArray<readonly [string, string]> => [
  ["search", "alice"],
  ["fromTokenId", token],
  ["toTokenId", token],
  ["depositMemo", "memo"],
  ["referral", "conformance"],
  ["affiliate", "alice"],
  ["statuses", statuses.join(",")],
  ["showTestTxs", "true"],
  ["minUsdPrice", "0"],
  ["maxUsdPrice", "1000000"],
  ["startTimestamp", "2020-01-01T00:00:00.000Z"],
  ["endTimestamp", "2040-01-01T00:00:00.000Z"],
  ["startTimestampUnix", "1577836800"],
  ["endTimestampUnix", "2208988800"]
]

const refusals: ReadonlyArray<readonly [path: string, query: string]> = [
  ...[
    "numberOfTransactions=0",
    "numberOfTransactions=1001",
    "numberOfTransactions=many",
    "direction=up",
    "fromChainId=mars",
    "toChainId=mars",
    "statuses=KNOWN_DEPOSIT_TX",
    "minUsdPrice=-1",
    "maxUsdPrice=-1",
    "startTimestamp=yesterday",
    "endTimestamp=tomorrow",
    "startTimestampUnix=soon",
    "lastDepositAddress=no-such-address"
  ].map((query) => ["/api/v0/transactions", query] as const),
  ...["page=0", "perPage=0", "perPage=1001", "minUsdPrice=-1", "fromChainId=mars", "statuses=NONE"].map(
    (query) => ["/api/v0/transactions-pages", query] as const
  )
]

const refusing = refusals.flatMap(([path, query]): ReadonlyArray<Check> => {
  const id = `7.3.${path.split("/").at(-1)}.${query}`
  const ask = (world: World) => world.history(`${path}?${query}`)
  const sentence = `${path}?${query} is refused`
  return [
    check(id, `${sentence} with 400`, async (world) => {
      same((await ask(world)).status, 400, "status")
      return undefined
    }),
    check(`${id}.status`, `${sentence}: the body says the status as a number`, async (world) => {
      same(at((await ask(world)).body, "status"), 400, "status")
      return undefined
    }),
    check(`${id}.code`, `${sentence}: \`error.code\` is a string`, async (world) => {
      that(text(at((await ask(world)).body, "error.code")) === undefined, "it is none")
      return undefined
    }),
    check(`${id}.message`, `${sentence}: \`error.message\` is a string`, async (world) => {
      that(text(at((await ask(world)).body, "error.message")) === undefined, "it is none")
      return undefined
    })
  ]
})

const every = Scenes.everyStatus

/** Filters that only swaps have the fields for. */
const masked: ReadonlyArray<readonly [name: string, query: (base: string, quote: string, world: World) => string]> = [
  [
    "fromChainId",
    (_, __, world) =>
      chains(world.ledger)
        .map((one) => `fromChainId=${one}&toChainId=${one}`)
        .join("&")
  ],
  [
    "toChainId",
    (_, __, world) =>
      chains(world.ledger)
        .map((one) => `fromChainId=${one}&toChainId=${one}`)
        .join("&")
  ],
  ["fromTokenId", (base, quote) => [base, quote].map((id) => `fromTokenId=${encodeURIComponent(id)}`).join("&")],
  ["toTokenId", (_, quote) => `toTokenId=${encodeURIComponent(quote)}&toChainId=doge`],
  ["referral", () => "referral=conformance"],
  ["affiliate", (_, __, world) => `affiliate=${world.account().signerId}`],
  ["minUsdPrice", () => "minUsdPrice=0"],
  ["maxUsdPrice", () => "maxUsdPrice=1000000"]
]

const orderAddresses = async (world: World): Promise<ReadonlySet<string>> => {
  await Scenes.past(world)
  const data = at((await Scenes.list(world, "?page[size]=50")).body, "data")
  return new Set((Array.isArray(data) ? data : []).map((entry) => String(at(entry, "attributes.depositAddress"))))
}

const cursors: ReadonlyArray<Check> = [
  check("4.9.count", "`numberOfTransactions` limits the page", async (world) => {
    that((await Scenes.history(world, `?${every}&numberOfTransactions=1`)).length <= 1, "it does not")
    return undefined
  }),
  check("4.9.next", "The last record's address and memo lead to older records", async (world) => {
    const [first, second] = await all(world)
    if (first === undefined || second === undefined) return cannotShow("there are fewer than two records")
    const memo = first["depositMemo"]
    const tail = typeof memo === "string" ? `&lastDepositMemo=${encodeURIComponent(memo)}` : ""
    const older = await Scenes.history(world, `?${every}&lastDepositAddress=${first["depositAddress"]}${tail}`)
    that(!older.some((record) => record["depositAddress"] === first["depositAddress"]), "the last record is repeated")
    that(older.length > 0, "nothing is older")
    return undefined
  }),
  check("4.9.prev", "`direction=prev` leads to newer records", async (world) => {
    const found = await all(world)
    const last = found.at(-1)
    if (last === undefined || found.length < 2) return cannotShow("there are fewer than two records")
    const memo = last["depositMemo"]
    const tail = typeof memo === "string" ? `&lastDepositMemo=${encodeURIComponent(memo)}` : ""
    const newer = await Scenes.history(
      world,
      `?${every}&direction=prev&lastDepositAddress=${last["depositAddress"]}${tail}`
    )
    that(
      newer.length > 0 && !newer.some((record) => record["depositAddress"] === last["depositAddress"]),
      "it does not"
    )
    return undefined
  }),
  check("9.deprecated", "`lastDepositAddressAndMemo` is still taken", async (world) => {
    const [first] = await all(world)
    if (first === undefined) return cannotShow("the history is empty")
    const combined = encodeURIComponent(String(first["depositAddressAndMemo"]))
    const older = await Scenes.history(world, `?${every}&lastDepositAddressAndMemo=${combined}`)
    that(!older.some((record) => record["depositAddress"] === first["depositAddress"]), "the last record is repeated")
    return undefined
  }),
  check("4.9.cursor.lasting", "A cursor stays good when its record is not in the filter", async (world) => {
    const found = await all(world)
    const success = found.find((record) => record["status"] === "SUCCESS" && record["depositMemo"] === null)
    if (success === undefined) return cannotShow("no record is SUCCESS")
    await Scenes.history(world, `?statuses=PENDING_DEPOSIT&lastDepositAddress=${success["depositAddress"]}`)
    return undefined
  }),
  check("4.9.statuses.default", "Left out, `statuses` is FAILED, PROCESSING, REFUNDED, SUCCESS", async (world) => {
    const other = (await Scenes.history(world, "")).find((record) => !defaults.includes(String(record["status"])))
    that(other === undefined, `there is ${other?.["status"]}`)
    return undefined
  }),
  ...statuses.map((status) =>
    check(`4.9.statuses.${status}`, `${status} is allowed in \`statuses\``, async (world) => {
      await all(world)
      return "in the list of all six"
    })
  ),
  check("4.9.statuses.one", "Only the statuses that were asked for are shown", async (world) => {
    const found = await Scenes.history(world, "?statuses=PENDING_DEPOSIT")
    that(
      found.every((record) => record["status"] === "PENDING_DEPOSIT"),
      "there are others"
    )
    return `${found.length} records`
  }),
  check("4.9.search", "`search` matches the deposit address", async (world) => {
    const [first] = await all(world)
    if (first === undefined) return cannotShow("the history is empty")
    const found = await Scenes.history(world, `?${every}&search=${encodeURIComponent(String(first["depositAddress"]))}`)
    same(found[0]?.["depositAddress"], first["depositAddress"], "the first found")
    return undefined
  }),
  check("4.9.bounds", "Bounds in time are not inclusive", async (world) => {
    const [first] = await all(world)
    if (first === undefined) return cannotShow("the history is empty")
    const at = encodeURIComponent(String(first["createdAt"]))
    const found = await Scenes.history(world, `?${every}&startTimestamp=${at}`)
    that(
      !found.some((record) => record["depositAddress"] === first["depositAddress"]),
      "the record at the bound is shown"
    )
    return undefined
  }),
  ...["minUsdPrice", "maxUsdPrice", "startTimestamp", "endTimestamp", "startTimestampUnix", "endTimestampUnix"].map(
    (name) =>
      check(`4.9.null.${name}`, `\`${name}\` may be null`, async (world) => {
        const query =
          "minUsdPrice=null&maxUsdPrice=null&startTimestamp=null&endTimestamp=null&startTimestampUnix=null&endTimestampUnix=null"
        that((await world.history(`/api/v0/transactions?${query}`)).status === 200, "it is refused")
        return "together with the others"
      })
  ),
  ...masked.map(([name, queryOf]) =>
    check(`4.9.masking.${name}`, `\`${name}\` leaves masking transactions out, such as orders`, async (world) => {
      const { base, quote } = await world.assets()
      const known = await all(world)
      const orders = await orderAddresses(world)
      if (!known.some((record) => orders.has(String(record["depositAddress"])))) {
        return cannotShow("no order is in the history at all")
      }
      const found = await Scenes.history(world, `?${every}&${queryOf(base.id, quote.id, world)}`)
      that(!found.some((record) => orders.has(String(record["depositAddress"]))), "an order is shown")
      return `${found.length} records`
    })
  ),
  check("4.9.override.from", "`fromTokenId` overrides `fromChainId`", async (world) => {
    const { base } = await world.assets()
    const found = await Scenes.history(world, `?${every}&fromTokenId=${encodeURIComponent(base.id)}&fromChainId=doge`)
    that(
      found.length > 0 && found.every(({ originAsset }) => originAsset === base.id),
      "the chain is asked for as well"
    )
    return undefined
  }),
  check("4.9.override.to", "`toTokenId` overrides `toChainId`", async (world) => {
    const { quote } = await world.assets()
    const found = await Scenes.history(world, `?${every}&toTokenId=${encodeURIComponent(quote.id)}&toChainId=doge`)
    that(
      found.length > 0 && found.every(({ destinationAsset }) => destinationAsset === quote.id),
      "the chain is asked for as well"
    )
    return undefined
  }),
  check("4.9.or", "Repeated values match as OR", async (world) => {
    const { base, quote } = await world.assets()
    const both = [base.id, quote.id].map((id) => `fromTokenId=${encodeURIComponent(id)}`).join("&")
    const found = await Scenes.history(world, `?${every}&${both}`)
    that(
      found.some(({ originAsset }) => originAsset === base.id),
      "those with one of them are not shown"
    )
    return undefined
  }),
  check("4.9.referral", "`referral` shows only its own", async (world) => {
    const found = await Scenes.history(world, `?${every}&referral=conformance`)
    that(
      found.every(({ referral }) => referral === "conformance"),
      "there are others"
    )
    return found.length === 0 ? cannotShow("there is none") : `${found.length} records`
  }),
  check("4.9.memo", "`depositMemo` narrows the search", async (world) => {
    const withMemo = (await all(world)).find((record) => typeof record["depositMemo"] === "string")
    if (withMemo === undefined) return cannotShow("no record has a memo")
    const memo = encodeURIComponent(String(withMemo["depositMemo"]))
    const found = await Scenes.history(world, `?${every}&search=${withMemo["depositAddress"]}&depositMemo=${memo}`)
    same(found[0]?.["depositMemo"], withMemo["depositMemo"], "depositMemo")
    return undefined
  }),
  check("4.9.usd", "`minUsdPrice` and `maxUsdPrice` apply to input and output", async (world) => {
    const found = await Scenes.history(world, "?statuses=SUCCESS&minUsdPrice=1&maxUsdPrice=1000000")
    const wrong = found.find((record) => [record["amountInUsd"], record["amountOutUsd"]].some((usd) => Number(usd) < 1))
    that(wrong === undefined, JSON.stringify(wrong)?.slice(0, 200) ?? "")
    return found.length === 0 ? cannotShow("no record is that large") : `${found.length} records`
  })
]

const limits: ReadonlyArray<Check> = [
  check("8.rate", "One request per five seconds and partner; more gives 429", async (world) => {
    await world.history("/api/v0/transactions?numberOfTransactions=1")
    const path = "/api/v0/transactions?numberOfTransactions=2"
    const [, second] = [await world.get(path, "partner token"), await world.get(path, "partner token")]
    same(second.status, 429, "status of the second request in a row")
    return undefined
  }),
  check("7.3.429", "429 says how long to wait", async (world) => {
    const path = "/api/v0/transactions?numberOfTransactions=3"
    await world.get(path, "partner token")
    const answer = await world.get(path, "partner token")
    if (answer.status !== 429) return cannotShow(`it is answered ${answer.status}`)
    that(answer.headers.get("retry-after") !== null || /\d/.test(answer.text), "it does not")
    return answer.headers.get("retry-after") ?? answer.text
  }),
  check("8.rate.pages", "The limit is of all history endpoints together", async (world) => {
    const answer = await world.get("/api/v0/transactions-pages?perPage=4", "partner token")
    if (answer.status === 429) return undefined
    same((await world.get("/api/v0/transactions?numberOfTransactions=4", "partner token")).status, 429, "status")
    return undefined
  })
]

const paging: ReadonlyArray<Check> = [
  ...rows("4.10.page", "Page", pageRows, async (world) => [await firstPage(world)]),
  check("4.10.default.page", "Left out, `page` is 1", async (world) => {
    same((await firstPage(world))["page"], 1, "page")
    return undefined
  }),
  check("4.10.default.perPage", "Left out, `perPage` is 50", async (world) => {
    same((await firstPage(world))["perPage"], 50, "perPage")
    return undefined
  }),
  check("4.10.totals", "`totalPages` is the total by the page size", async (world) => {
    const { perPage, total, totalPages } = await firstPage(world)
    same(totalPages, Math.ceil(Number(total) / Number(perPage)), "totalPages")
    return undefined
  }),
  check("4.10.prev", "The first page has no page before it", async (world) => {
    same((await firstPage(world))["prevPage"], null, "prevPage")
    return undefined
  }),
  check("4.10.second", "The second page knows its neighbours", async (world) => {
    const page = await Scenes.pages(world, `?${every}&page=2&perPage=1`)
    if (Number(page["totalPages"]) < 2) return cannotShow("there is one page only")
    same(page["prevPage"], 1, "prevPage")
    same(page["nextPage"], Number(page["totalPages"]) > 2 ? 3 : null, "nextPage")
    return undefined
  })
]

export const historyChecks = (ledger: string): ReadonlyArray<Check> => [
  ...rows("2.2", "Record by cursor", recordRows(ledger), all),
  ...rows("4.10.record", "Record by page", recordRows(ledger), records),
  ...about,
  ...paging,
  ...cursors,
  ...["fromChainId", "toChainId"].flatMap((name) =>
    chains(ledger).map((chain) =>
      check(`4.11.${name}.${chain}`, `${chain} is a value of \`${name}\`; repeated values are taken`, async (world) => {
        await Scenes.past(world)
        const query = chains(ledger)
          .map((one) => `fromChainId=${one}&toChainId=${one}`)
          .join("&")
        const answer = await world.history(`/api/v0/transactions?${query}`)
        that(answer.status === 200, `${answer.status} ${answer.text.slice(0, 200)}`)
        return "together with the others"
      })
    )
  ),
  ...inTable("4.9.parameter", "/api/v0/transactions", [
    ...filters("a"),
    ["numberOfTransactions", "1000"],
    ["direction", "next"]
  ]),
  ...inTable("4.10.parameter", "/api/v0/transactions-pages", [...filters("a"), ["page", "1"], ["perPage", "1000"]]),
  ...refusing,
  ...limits,
  check("9.paths", "History paths carry /api/v0, the others /v0", async (world) => {
    that(isRecord(await firstPage(world)), "they do not")
    return undefined
  })
]
