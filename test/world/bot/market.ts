/** The assets and markets of simulated bots, and their strategies from text. */
import { Result } from "effect"
import { marketsByName } from "../../../src/Layers.ts"
import { render } from "../../../src/strategy/Problem.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"

export const assets = [
  { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
] as const
export const markets = marketsByName({ assets, ticks: new Map() })

const parsed = new Map<string, Strategy>()

/** A text is read once; each call gives another object, which for the engine is a file that was loaded again. */
export const parse = (text: string): Strategy => {
  const known = parsed.get(text)
  if (known !== undefined) return { ...known }
  const read = StrategyFile.parse(text, "strategy.yaml", { assets, ticks: new Map() })
  if (Result.isFailure(read)) throw new Error(read.failure.map((problem) => render(problem, text)).join("\n"))
  parsed.set(text, read.success)
  return read.success
}
