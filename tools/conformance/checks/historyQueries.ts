/** Sections 4.9, 4.11, 7.3 and 9: what the history can be asked, what it refuses, and how one page leads to the next. */
import { type Check, check } from "../Check.ts"
import { text } from "../Fields.ts"
import { isRefused, mayBeRefused } from "../Refusals.ts"
import * as Scenes from "../Scenes.ts"
import { at, cannotShow, same, that, usual } from "../Seen.ts"
import type { World } from "../World.ts"

export const statuses = ["FAILED", "INCOMPLETE_DEPOSIT", "PENDING_DEPOSIT", "PROCESSING", "REFUNDED", "SUCCESS"]
const defaults = ["FAILED", "PROCESSING", "REFUNDED", "SUCCESS"]

export const chains = (ledger: string): ReadonlyArray<string> => [
  ledger,
  ..."eth base arb btc sol ton doge xrp zec gnosis bera bsc pol tron sui op avax cardano stellar aptos ltc monad".split(
    " "
  ),
  ..."xlayer starknet bch adi plasma scroll aleo movement dash abs hypercore fogo".split(" ")
]

export const all = (world: World) => Scenes.history(world)

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
  const ask = async (world: World) => {
    const answer = await world.history(`${path}?${query}`)
    that(!Array.isArray(answer.body) || answer.body.length <= 1000, "more than 1000 records are shown")
    mayBeRefused(answer)
    return answer
  }
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

/** What the token alone shows is shown beside a chain that it is not on. */
const overridden = async (world: World, query: string, chain: string): Promise<string> => {
  const alone = await Scenes.history(world, `?${every}&${query}`)
  if (alone.length === 0) return cannotShow("no record is of this token")
  const found = await Scenes.history(world, `?${every}&${query}&${chain}`)
  that(found.length > 0, "the chain is asked for as well")
  return `${found.length} records`
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
        const answer = await world.history(`/api/v0/transactions?${query}`)
        usual(!isRefused(answer), "how null is written is not shown, and `null` is refused")
        same(answer.status, 200, "status")
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
      usual(!found.some((record) => orders.has(String(record["depositAddress"]))), "orders are no masking transactions")
      return `${found.length} records`
    })
  ),
  check("4.9.override.from", "`fromTokenId` overrides `fromChainId`", async (world) => {
    const { base } = await world.assets()
    return overridden(world, `fromTokenId=${encodeURIComponent(base.id)}`, "fromChainId=doge")
  }),
  check("4.9.override.to", "`toTokenId` overrides `toChainId`", async (world) => {
    const { quote } = await world.assets()
    return overridden(world, `toTokenId=${encodeURIComponent(quote.id)}`, "toChainId=doge")
  }),
  check("4.9.or", "Repeated values match as OR", async (world) => {
    const { base, quote } = await world.assets()
    const both = [base.id, quote.id].map((id) => `fromTokenId=${encodeURIComponent(id)}`).join("&")
    const found = await Scenes.history(world, `?${every}&${both}`)
    const wanted = (await all(world)).filter(({ originAsset }) => originAsset === base.id || originAsset === quote.id)
    if (wanted.length === 0) return cannotShow("there is none")
    usual(found.length > 0, "they may all be masking transactions")
    that(
      found.every(({ originAsset }) => originAsset === base.id || originAsset === quote.id),
      "there are others"
    )
    return `${found.length} records`
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

export const queryChecks = (ledger: string): ReadonlyArray<Check> => [
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
    ...filters(`nep141:btc.omft.${ledger}`),
    ["numberOfTransactions", "1000"],
    ["direction", "next"]
  ]),
  ...inTable("4.10.parameter", "/api/v0/transactions-pages", [
    ...filters(`nep141:btc.omft.${ledger}`),
    ["page", "1"],
    ["perPage", "1000"]
  ]),
  ...refusing
]
