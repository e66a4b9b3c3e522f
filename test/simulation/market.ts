/** The assets and markets of simulated bots, and their strategies from text. */
import { Result } from "effect"
import { marketsByName } from "../../src/cli/Modes.ts"
import { render } from "../../src/strategy/Problem.ts"
import type { Strategy } from "../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"

export const assets = [
  { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
] as const
export const markets = marketsByName({ assets, ticks: new Map() })

export const parse = (text: string): Strategy => {
  const read = StrategyFile.parse(text, "strategy.yaml", { assets, ticks: new Map() })
  if (Result.isFailure(read)) throw new Error(read.failure.map((problem) => render(problem, text)).join("\n"))
  return read.success
}
