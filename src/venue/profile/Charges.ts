/** Forecasts the cost of a trade by a fee schedule, in basis points of the input. An order's echo states its real costs. */
import { type Amount, type Asset, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { TradeCosts } from "../../domain/Market.ts"
import type { VenueFacts } from "./Facts.ts"
import { factsOf } from "./Profiles.ts"

interface AppFee {
  readonly recipient: string
  readonly fee: number
}

interface Trade {
  readonly hasPartner: boolean
  /** Symbols. */
  readonly assets: readonly [origin: string, destination: string]
  readonly appFees: ReadonlyArray<AppFee>
}

export interface Charges {
  readonly appFees: ReadonlyArray<AppFee>
  readonly service: number
}

const sumOf = (fees: ReadonlyArray<AppFee>): number => Decimal.sumOf(fees.map(({ fee }) => fee))

/** Half of a shared fee goes to its recipient, rounded up: 21 becomes 11. */
const half = ({ fee, recipient }: AppFee): AppFee => ({ recipient, fee: Math.ceil(fee / 2) })

export const chargesOf = (schedule: VenueFacts["fees"], { appFees, assets, hasPartner }: Trade): Charges => {
  const [origin, destination] = assets
  const { alike, settlement, stable, withPartner, withoutPartner } = schedule
  if (!hasPartner) return { appFees, service: Decimal.sumOf([withoutPartner, settlement]) }
  const isAlike = origin === destination || (stable.includes(origin) && stable.includes(destination))
  const least = isAlike ? alike : withPartner
  if (appFees.length === 0 || schedule.appFees === "added")
    return { appFees, service: Decimal.sumOf([least, settlement]) }
  const halves = appFees.map(half)
  const serviceShare = Math.max(least, Decimal.sumOf([sumOf(appFees), -sumOf(halves)]))
  return { appFees: halves, service: Decimal.sumOf([serviceShare, settlement]) }
}

export const totalOf = ({ appFees, service }: Charges): number => Decimal.sumOf([sumOf(appFees), service])

export const usualOf = (schedule: VenueFacts["fees"], hasPartner: boolean): number =>
  chargesOf(schedule, { hasPartner, assets: ["one", "other"], appFees: [] }).service

/** Share of the output of every fill. A schedule that shares app fees takes its fee from inputs, beyond the limit of an order. */
export const ofFills = (schedule: VenueFacts["fees"], hasPartner: boolean): number =>
  schedule.appFees === "added" ? usualOf(schedule, hasPartner) : 0

export const tradeCosts = (
  schedule: VenueFacts["fees"],
  hasPartner: boolean,
  assets: ReadonlyArray<Asset>,
  isOnChain: (asset: Asset) => boolean = () => false
): TradeCosts => ({
  fillBasisPoints: ofFills(schedule, hasPartner),
  payouts: flatFeesOf(schedule.flat === "everywhere" ? assets : assets.filter(isOnChain))
})

export const documentedCosts = (assets: ReadonlyArray<Asset>): TradeCosts =>
  tradeCosts(factsOf("document", "any").fees, false, assets)

/**
 * The maximum that an order's echo may give to others, including the protocol's fee, and the key of the echo. Only echoes with shared app
 * fees have a maximum, because only they contain the service's own share. `ofAccount`: the terms of orders whose strategy sets none.
 */
export const echoes = (schedule: VenueFacts["fees"], hasPartner: boolean, ofAccount: Asked) => {
  const appFeesOf = (own: Asked) => ({ ...ofAccount, ...own }).appFees ?? []
  const echoOf = (own: Asked) => ({
    ...echoedWith(hasPartner, appFeesOf(own)),
    ...(schedule.fillsNet ? { fillsNet: true as const } : {})
  })
  if (schedule.appFees === "added") return schedule.fillsNet ? { echoOf } : {}
  return {
    echoedBasisPoints: ({ base, quote }: Pair, own: Asked): number => {
      const assets = [base.symbol, quote.symbol] as const
      const charged = chargesOf(schedule, { hasPartner, assets, appFees: appFeesOf(own) })
      const others = charged.appFees.filter(({ recipient }) => recipient !== "self")
      return Decimal.sumOf([sumOf(others), charged.service])
    },
    echoOf
  }
}

export const echoedWith = (hasPartner: boolean, appFees: ReadonlyArray<AppFee> = []) => ({
  credential: hasPartner ? ("partner" as const) : ("none" as const),
  askedBasisPoints: sumOf(appFees)
})

interface Asked {
  readonly appFees?: ReadonlyArray<AppFee>
}

type Pair = Readonly<Record<"base" | "quote", { readonly symbol: string }>>

/** A configuration always has `venue.apiKey`. */
export const isPartner = (facts: VenueFacts, hasPartnerJwt: boolean): boolean =>
  hasPartnerJwt || facts.fees.credential === "apiKey"

/** Fees of one payout or refund, in units of the asset: assumed until an order shows others, because the venue publishes no list. */
const fees: Readonly<Record<string, string>> = {
  BTC: "0.0000003",
  ETH: "0.000008",
  SOL: "0.00013",
  USDC: "0.02",
  USDT: "0.02",
  wNEAR: "0.004"
}

/** Returns `undefined` for unknown assets, or for those with too few decimals for the amount. */
export const flatFeeOf = ({ decimals, symbol }: Pick<Asset, "decimals" | "symbol">): Amount | undefined => {
  const fee = Decimal.parse(fees[symbol] ?? "")
  return fee === undefined ? undefined : fromDecimal(fee, decimals)
}

const flatFeesOf = (assets: ReadonlyArray<Asset>): ReadonlyMap<string, Amount> =>
  new Map(
    assets.flatMap((asset) => {
      const fee = flatFeeOf(asset)
      return fee === undefined ? [] : [[asset.symbol, fee] as const]
    })
  )
