/** Sections 2.2, 4.9, 4.10, 8 and 9: the records of the partner's history. Requests are few, because one is allowed in five seconds. */
import { type Check, check } from "../Check.ts"
import {
  amount,
  decimal,
  depositTypes,
  fees,
  filled,
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
import { at, cannotShow, fail, isRecord, same, that } from "../Seen.ts"
import type { Fields, World } from "../World.ts"
import { all, queryChecks, statuses } from "./historyQueries.ts"
import { refundReasons } from "./swaps.ts"

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
    return depositMemo === null
      ? String(depositAddressAndMemo).startsWith(String(depositAddress))
      : depositAddressAndMemo === `${depositAddress}_${depositMemo}`
  }),
  each("`createdAtTimestamp` is the Unix time of `createdAt`", "2.2.timestamp", ({ createdAt, createdAtTimestamp }) => {
    const millis = Date.parse(String(createdAt))
    return [Math.floor(millis / 1000), millis / 1000, millis].includes(Number(createdAtTimestamp))
  }),
  each("amounts read 0 while the swap is in flight", "2.2.in-flight", ({ amountIn, amountOut, status }) =>
    ["PENDING_DEPOSIT", "PROCESSING"].includes(String(status)) ? amountIn === "0" && amountOut === "0" : true
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

const limits: ReadonlyArray<Check> = [
  check("8.rate", "One request per five seconds and partner; more gives 429", async (world) => {
    await world.history("/api/v0/transactions?numberOfTransactions=1")
    const path = "/api/v0/transactions?numberOfTransactions=2"
    const begun = world.options.now()
    const [, second] = [await world.get(path, "partner token"), await world.get(path, "partner token")]
    if (second.status !== 429 && world.options.now() - begun >= 5000) return cannotShow("the answers take too long")
    same(second.status, 429, "status of the second request in a row")
    return undefined
  }),
  check("7.3.429", "429 says how long to wait", async (world) => {
    const path = "/api/v0/transactions?numberOfTransactions=3"
    await world.get(path, "partner token")
    const answer = await world.get(path, "partner token")
    if (answer.status !== 429) return cannotShow(`it is answered ${answer.status}`)
    const isTold = [...answer.headers.keys()].some((name) => /retry|reset/.test(name))
    that(isTold || /\d/.test(answer.text), "it does not")
    return answer.headers.get("retry-after") ?? answer.text
  }),
  check("8.rate.pages", "The limit is of all history endpoints together", async (world) => {
    const begun = world.options.now()
    const answer = await world.get("/api/v0/transactions-pages?perPage=4", "partner token")
    if (answer.status === 429) return undefined
    if (world.options.now() - begun >= 5000) return cannotShow("the answers take too long")
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
    const page = await Scenes.pages(world, `?${Scenes.everyStatus}&page=2&perPage=1`)
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
  ...queryChecks(ledger),
  ...limits,
  check("9.paths", "History paths carry /api/v0, the others /v0", async (world) => {
    that(isRecord(await firstPage(world)), "they do not")
    return undefined
  })
]
