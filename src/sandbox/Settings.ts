/** All settings of a sandbox. They are the first line of a state file: equal settings, start and commands give an equal state. */
import type { Asset } from "../domain/Amount.ts"
import { flatFeeOf } from "../venue/profile/Charges.ts"
import type { VenueFacts } from "../venue/profile/Facts.ts"
import type { LedgerName } from "../venue/wire/WireValue.ts"
import type { SolverLaw } from "./Solvers.ts"

export interface SandboxAsset extends Asset {
  readonly blockchain: string
  readonly priceUsd: number
  /** Standard deviation of the logarithm of the price over a year; zero means a constant price. */
  readonly volatility: number
  /** Flat fee of one payout or refund, smallest units as text. */
  readonly fee: string
  /** Whole units. Each account starts with this amount in public and the same amount in private. */
  readonly initial: number
}

/** Lowest and highest, in milliseconds; the seed chooses. */
export type Delay = readonly [number, number]

/** The rules of a sandbox. Amounts in USD are approximate. */
export interface SandboxSettings {
  /** Equal seeds give equal markets. */ readonly seed: number
  /** The spelling of the home ledger in identifiers. */
  readonly ledger: LedgerName
  /** The account of the intents contract. */ readonly verifier: string
  /** Differences from the interface document. */
  readonly facts?: VenueFacts
  /** Assets that it trades. */ readonly assets: ReadonlyArray<SandboxAsset>
  /** Accounts that start with the initial amounts of every asset. */
  readonly accounts: ReadonlyArray<string>
  /** Ratio of market time to service time. At 0 prices stand until a command sets them. */
  readonly speed: number
  /** Replayed candles: the asset whose dollar price they are, and the hash of the file. */
  readonly candles?: { readonly symbol: string; readonly hash: string }
  /** Milliseconds between two comparisons of open orders with the market. */
  readonly stepMillis: number
  /** Distance between bid and ask, as a ratio of the mid. */
  readonly spread: number
  /** Additional distance from the mid per million dollars of size, as a ratio of the mid. */
  readonly impactPerMillionUsd: number
  /** Larger quotes are refused. */ readonly maxQuoteUsd: number
  /** Smaller orders are refused. */ readonly minOrderUsd: number
  /** Share of open orders that fill in two to four slices. */
  readonly partialFillShare: number
  /** Share of cancels near the market for which a solver is already filling the rest of the order. */
  readonly fillWhileCancellingShare: number
  /** The law of the solvers that fill orders. Missing: an order fills when the mid touches its limit. */
  readonly solvers?: SolverLaw
  /** Share of payouts and refunds that the service abandons. */
  readonly failedPayoutShare: number
  /** Share of complete swaps that are refunded. The seed chooses the reason. */
  readonly refundedSwapShare: number
  /** Share of swaps that fail, 0 to 1. */ readonly failedSwapShare: number
  /** From the executed transfer until the order shows it. */
  readonly recognitionMillis: Delay
  /** From an unreported transaction on another chain until the order shows it. */
  readonly chainRecognitionMillis: Delay
  /** From a cancel to its end. */ readonly cancelMillis: Delay
  /** From the end of an order to payouts in progress. */
  readonly payoutStartMillis: Delay
  /** From payouts in progress to their completion. */
  readonly payoutMillis: Delay
  /** From the complete deposit of a swap to its execution. */
  readonly swapMillis: Delay
  /** Validity of a generated transfer. */
  readonly intentMillis: Delay
}

/** The venue publishes no spread, so this is an assumption. */
export const defaultSpread = 0.001

export const defaultSettings = (ledger: LedgerName): SandboxSettings => ({
  seed: 1,
  ledger,
  verifier: `intents.${ledger}`,
  assets: defaultAssets(ledger),
  accounts: [],
  speed: 1,
  stepMillis: 100,
  spread: defaultSpread,
  impactPerMillionUsd: 0.001,
  maxQuoteUsd: 50_000_000,
  minOrderUsd: 1,
  partialFillShare: 0.3,
  fillWhileCancellingShare: 0.2,
  failedPayoutShare: 0,
  refundedSwapShare: 0,
  failedSwapShare: 0,
  recognitionMillis: [50, 400],
  chainRecognitionMillis: [2000, 6000],
  cancelMillis: [100, 600],
  payoutStartMillis: [0, 200],
  payoutMillis: [300, 1500],
  swapMillis: [300, 1500],
  intentMillis: [120_000, 300_000]
})

const defaultAssets = (ledger: LedgerName): ReadonlyArray<SandboxAsset> => {
  const rows = [
    ["BTC", `nep141:btc.omft.${ledger}`, 8, "btc", 60_000, 0.8, 20],
    ["ETH", `nep141:eth.omft.${ledger}`, 18, "eth", 2_500, 0.9, 400],
    ["SOL", `nep141:sol.omft.${ledger}`, 9, "sol", 150, 1.1, 7_000],
    ["USDC", `nep141:usdc.omft.${ledger}`, 6, ledger, 1, 0, 1_000_000],
    ["wNEAR", `nep141:wrap.${ledger}`, 24, ledger, 5, 1.2, 200_000],
    ["USDT", `nep141:usdt.tether-token.${ledger}`, 6, ledger, 1, 0, 1_000_000]
  ] as const
  return rows.map(([symbol, id, decimals, blockchain, priceUsd, volatility, initial]) => {
    const asset = { symbol, id, decimals, blockchain, priceUsd, volatility, initial }
    return { ...asset, fee: `${flatFeeOf(asset) ?? 0n}` }
  })
}

export const assetById = (settings: SandboxSettings, id: string): SandboxAsset | undefined =>
  settings.assets.find((candidate) => candidate.id === id)
