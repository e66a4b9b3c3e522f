/**
 * Reads the assets and markets that may be traded: names and spellings at the venue, the place of the money, price steps, sources of
 * candles, and the largest distance from a second source (`orderbook/SecondSource`); and the limits of all strategies together.
 */
import { type Asset, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { DepositType } from "../../domain/MoneyPath.ts"
import { present } from "../../domain/Present.ts"
import type { OverallLimits } from "../../engine/EngineSettings.ts"
import { defaultSecondSourceTerms, type SecondSourceTerms } from "../../orderbook/SecondSource.ts"
import * as Program from "../../programs/Program.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Markets, market } from "../../strategy/Markets.ts"
import { quoted, type Report, report, suggestion } from "../../strategy/Problem.ts"
import { canonicalAssetId } from "../../venue/wire/AssetId.ts"

export const depositType = Read.oneOf("INTENTS", "CONFIDENTIAL_INTENTS", "ORIGIN_CHAIN")

const asset = Read.settingsReader({
  id: Read.required(Read.located(Read.text), "the venue's identifier"),
  decimals: Read.required(Read.integer(0, 36), "places of the smallest unit"),
  aliases: Read.optional(Read.list(Read.text), "other identifiers that the venue may answer with"),
  depositType: Read.optional(
    depositType,
    "where this asset is paid from, refunded and paid out to",
    "account.depositType"
  )
})
export const reader = (symbol: Read.Reader<string>) => Read.table(symbol, asset)

type Rows = NonNullable<ReturnType<ReturnType<typeof reader>>>

export const assetsOf = (assets: Rows | undefined, to: Report): ReadonlyArray<Asset> | undefined => {
  const ids = new Map<string, string>()
  const assetList = assets?.flatMap(([symbol, { value }]) => {
    const { id, decimals } = value
    if (id === undefined || decimals === undefined) return []
    const other = ids.get(id.value)
    if (other !== undefined) report(to, id, `${symbol.value} and ${other} have the same id: one asset needs one name`)
    ids.set(id.value, symbol.value)
    // Answers and payloads have the plain id, so an order under another spelling would contradict its request.
    const plain = canonicalAssetId(undefined, id.value)
    if (plain !== id.value) report(to, id, `the venue's plain form of this id is ${plain}: write that`)
    return [{ symbol: symbol.value, id: id.value, decimals }]
  })
  return assetList?.length === assets?.length ? assetList : undefined
}

/** Keyed by asset id, only for assets whose money is not where the account's money is. */
export const depositTypesOf = (assets: Rows | undefined): ReadonlyMap<string, DepositType> =>
  new Map(
    (assets ?? []).flatMap(([, { value }]) =>
      value.depositType === undefined || value.id === undefined ? [] : [[value.id.value, value.depositType] as const]
    )
  )

/** Reports an alias that is also another asset's name: it would turn two assets into one. */
export const spellingsOf = (assets: Rows | undefined, to: Report): ReadonlyMap<string, string> => {
  const ids = new Set((assets ?? []).flatMap(([, { value }]) => value.id?.value ?? []))
  const spellings = new Map<string, string>()
  for (const [symbol, { value }] of assets ?? []) {
    for (const alias of value.aliases ?? []) {
      if (ids.has(alias.value) || spellings.has(alias.value)) {
        report(to, alias, `${quoted(alias.value)} names an asset already: an alias of ${symbol.value} must be its own`)
      } else if (value.id !== undefined) spellings.set(alias.value, value.id.value)
    }
  }
  return spellings
}

const noAsset = (name: Read.Located<string>, assets: ReadonlyArray<Asset>, to: Report) => {
  const symbols = assets.map(({ symbol }) => symbol)
  report(to, name, `no asset ${quoted(name.value)} in the configuration`, suggestion(name.value, symbols))
}

export const addresses = (
  rows: ReadonlyArray<readonly [Read.Located<string>, Read.Located<string>]> | undefined,
  assets: ReadonlyArray<Asset>,
  to: Report
): ReadonlyMap<string, string> => {
  for (const [name] of rows ?? []) if (!assets.some(({ symbol }) => symbol === name.value)) noAsset(name, assets, to)
  return new Map((rows ?? []).map(([name, { value }]) => [name.value, value]))
}

const share = Read.written(Read.mapped(Read.ratio, Decimal.toNumber), (value) =>
  Decimal.percent(Decimal.fromNumber(value))
)

export const marketsReader = Read.table(
  Read.text,
  Read.section({
    tick: Read.optional(Read.price, "price step"),
    candles: Read.optional(Read.text, "source of volumes and of candles before the bot's start"),
    within: Read.optional(share, "how far its price may be from a second source", "prices.within")
  })
)

export const pricesReader = Read.section({
  within: Read.withDefault(
    share,
    defaultSecondSourceTerms.within,
    "how far a price may be from a second source (token list, last known price)"
  ),
  after: Read.withDefault(
    Read.duration,
    defaultSecondSourceTerms.agreeMillis,
    "how long quotes must agree if there is no second source"
  ),
  command: Read.optional(
    Read.plainList(Read.text),
    "a program that prints prices, and its arguments: replaces the token list as second source"
  )
})

export const priceProgramOf = (
  prices: ReturnType<typeof pricesReader>,
  resolve: (path: string) => string
): Program.Program | undefined => {
  const program = Program.programOf(prices?.command ?? [])
  return program && Program.located(program, resolve)
}

export const marketsOf = (
  rows: ReturnType<typeof marketsReader>,
  prices: ReturnType<typeof pricesReader>,
  traded: Pick<Markets, "assets" | "costs" | "sharedFeeBasisPoints">,
  folder: string,
  to: Report
): { readonly markets: Markets; readonly prices: SecondSourceTerms } => {
  const ticks = new Map<string, Decimal.Decimal>()
  const sources = new Map<string, { readonly source: string; readonly folder: string }>()
  const withinOf = new Map<string, number>()
  const readMarket = market({ ...traded, ticks: new Map() })
  for (const [{ value: text, ...place }, { value }] of rows ?? []) {
    if (value.candles !== undefined) sources.set(text, { source: value.candles, folder })
    const parsedMarket = readMarket({ type: "scalar", text, isQuoted: true, ...place }, to)
    if (parsedMarket === undefined) continue
    if (value.tick !== undefined) ticks.set(parsedMarket.name, value.tick)
    if (value.within !== undefined) withinOf.set(parsedMarket.name, value.within)
  }
  const { within, after: agreeMillis } = prices ?? {
    ...defaultSecondSourceTerms,
    after: defaultSecondSourceTerms.agreeMillis
  }
  return { markets: { ...traded, ticks, sources }, prices: { within, withinOf, agreeMillis } }
}

/** Reads `limits:`, the limits on all strategies together, beside the limits of each strategy. */
export const limitsReader = (symbol: Read.Reader<string>) =>
  Read.section({
    maxOpenOrders: Read.optional(Read.integer(1, 100_000), "most open orders of all strategies"),
    maxOrdersPerHour: Read.optional(Read.integer(1, 1_000_000), "most orders placed in any hour"),
    exposure: Read.optional(
      Read.table(symbol, Read.price),
      "by symbol: most that may be in orders, deposits and payouts at once"
    )
  })

/** Reports a symbol that is not an asset, and an amount finer than the smallest unit of the asset. */
export const limitsOf = (
  { exposure: rows = [], ...most }: NonNullable<ReturnType<ReturnType<typeof limitsReader>>>,
  assets: ReadonlyArray<Asset>,
  to: Report
): OverallLimits => {
  const exposure = new Map<string, bigint>()
  for (const [name, { value, ...place }] of rows) {
    const asset = assets.find(({ symbol }) => symbol === name.value)
    const amount = asset === undefined ? undefined : fromDecimal(value, asset.decimals)
    if (amount !== undefined) exposure.set(name.value, amount)
    else if (asset !== undefined) report(to, place, `${name.value} has only ${asset.decimals} decimal places`)
    else noAsset(name, assets, to)
  }
  return present({ exposure, ...most })
}
