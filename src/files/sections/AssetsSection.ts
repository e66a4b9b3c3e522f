/**
 * What may be traded. `assets:` of the configuration: each asset's name at the venue, its other spellings there, and where its
 * money is. `markets:` and `prices:`: price steps, where candles come from, and how far a price may be from its second witness
 * (`orderbook/PriceWitness`).
 */
import type { Asset } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { DepositType } from "../../domain/MoneyPath.ts"
import { defaultWitnessTerms, type WitnessTerms } from "../../orderbook/PriceWitness.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Markets, market } from "../../strategy/Markets.ts"
import { quoted, type Report, report, suggestion } from "../../strategy/Problem.ts"

export const depositTypes = ["INTENTS", "CONFIDENTIAL_INTENTS", "ORIGIN_CHAIN"] as const

const assetFields = Read.fields({
  id: Read.required(Read.text, "the venue's identifier"),
  decimals: Read.required(Read.integer(0, 36), "places of the smallest unit"),
  aliases: Read.optional(Read.list(Read.text), "other identifiers that the venue may answer with"),
  depositType: Read.optional(
    Read.oneOf(...depositTypes),
    "where this asset is: paid from, refunded and paid out to there; default: account.depositType"
  )
})
export const reader = (symbol: Read.Reader<string>) => Read.table(symbol, assetFields)

type Rows = NonNullable<ReturnType<ReturnType<typeof reader>>>

export const assetsOf = (assets: Rows | undefined, to: Report): ReadonlyArray<Asset> | undefined => {
  const ids = new Map<string, string>()
  const read = assets?.flatMap(([symbol, { value }]) => {
    const { id, decimals } = value
    if (id === undefined || decimals === undefined) return []
    const other = ids.get(id.value)
    if (other !== undefined) report(to, id, `${symbol.value} and ${other} have the same id: one asset needs one name`)
    ids.set(id.value, symbol.value)
    return [{ symbol: symbol.value, id: id.value, decimals: decimals.value }]
  })
  return read?.length === assets?.length ? read : undefined
}

/** By asset id, for assets whose money is not where the account's is. */
export const depositTypesOf = (assets: Rows | undefined): ReadonlyMap<string, DepositType> =>
  new Map(
    (assets ?? []).flatMap(
      ([
        ,
        {
          value: { depositType, id }
        }
      ]) => (depositType === undefined || id === undefined ? [] : [[id.value, depositType.value] as const])
    )
  )

/** An alias that is also another asset's name would turn two assets into one. */
export const spellingsOf = (assets: Rows | undefined, to: Report): ReadonlyMap<string, string> => {
  const ids = new Set((assets ?? []).flatMap(([, { value }]) => value.id?.value ?? []))
  const spellings = new Map<string, string>()
  for (const [symbol, { value }] of assets ?? []) {
    for (const alias of value.aliases?.value ?? []) {
      if (ids.has(alias.value) || spellings.has(alias.value)) {
        report(to, alias, `${quoted(alias.value)} names an asset already: an alias of ${symbol.value} must be its own`)
      } else if (value.id !== undefined) spellings.set(alias.value, value.id.value)
    }
  }
  return spellings
}

/** Addresses by symbol; a symbol that is no asset is a mistake. */
export const addresses = (
  rows: ReadonlyArray<readonly [Read.Located<string>, Read.Located<string>]> | undefined,
  assets: ReadonlyArray<Asset>,
  to: Report
): ReadonlyMap<string, string> => {
  const symbols = assets.map(({ symbol }) => symbol)
  for (const [name] of rows ?? []) {
    if (!symbols.includes(name.value)) {
      report(to, name, `no asset ${quoted(name.value)} in the configuration`, suggestion(name.value, symbols))
    }
  }
  return new Map((rows ?? []).map(([name, { value }]) => [name.value, value]))
}

export const marketsReader = Read.table(
  Read.text,
  Read.fields({
    tick: Read.optional(Read.price, "price step"),
    candles: Read.optional(Read.text, "where volumes, and candles of the time before the bot, come from"),
    within: Read.optional(Read.ratio, "how far its price may be from a second witness; default: prices.within")
  })
)

export const pricesReader = Read.fields({
  within: Read.optional(
    Read.ratio,
    "how far a price may be from a second witness (token list, last known price); default: 3%"
  ),
  after: Read.optional(Read.duration, "how long quotes must agree that no witness confirms or denies; default: 1m")
})

type MarketRows = Read.Located<NonNullable<ReturnType<typeof marketsReader>>> | undefined
type PriceFields = Read.Located<NonNullable<ReturnType<typeof pricesReader>>> | undefined

export const marketsOf = (
  { markets, prices }: { readonly markets?: MarketRows; readonly prices?: PriceFields },
  assets: ReadonlyArray<Asset>,
  folder: string,
  to: Report
): { readonly markets: Markets; readonly prices: WitnessTerms } => {
  const ticks = new Map<string, Decimal.Decimal>()
  const sources = new Map<string, { readonly source: string; readonly folder: string }>()
  const withinOf = new Map<string, number>()
  const known = market({ assets, ticks: new Map() })
  for (const [name, { value }] of markets?.value ?? []) {
    if (value.candles !== undefined) sources.set(name.value, { source: value.candles.value, folder })
    const found = known({ type: "scalar", text: name.value, isQuoted: true, start: name.start, end: name.end }, to)
    if (found === undefined) continue
    if (value.tick !== undefined) ticks.set(found.name, value.tick.value)
    if (value.within !== undefined) withinOf.set(found.name, Decimal.toNumber(value.within.value))
  }
  const { after, within } = prices?.value ?? {}
  return {
    markets: { assets, ticks, sources },
    prices: {
      within: within === undefined ? defaultWitnessTerms.within : Decimal.toNumber(within.value),
      withinOf,
      lastsMillis: after?.value ?? defaultWitnessTerms.lastsMillis
    }
  }
}
