/** Reads the strategy of a run: its text, and the markets that it may name. */
import { Effect, FileSystem, Result } from "effect"
import { isScalar, isSeq, parseDocument } from "yaml"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import { type Markets, quotedIn } from "../../strategy/Markets.ts"
import { render } from "../../strategy/Problem.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"

export type StrategySource = Effect.Success<ReturnType<typeof parse>>

/** Without a configuration: the assets that the file names, with enough decimals for any amount that a user writes. */
const marketsOf = (strategyText: string): Markets => {
  const marketNode = parseDocument(strategyText).get("market")
  const names = isSeq(marketNode) ? marketNode.items.map((item) => (isScalar(item) ? item.value : item)) : [marketNode]
  const all = [...names, ...quotedIn(strategyText)]
  const symbols = all.flatMap((name) => (typeof name === "string" ? name.split("/") : []))
  return StrategyFiles.marketsOf(new Set(symbols), 18)
}

/** Loads the reader of configurations on demand, because it imports wallets and venues and most runs have none. */
const configuredMarkets = Effect.fnUntraced(function* (file: string) {
  const { loadSettings } = yield* Effect.promise(() => import("../../files/ConfigFile.ts"))
  return (yield* loadSettings(file)).markets
})

export const readSource = Effect.fn("StrategySource.read")(function* (file: string, config: string | undefined) {
  const fileSystem = yield* FileSystem.FileSystem
  return yield* parse(yield* StrategyFiles.whole(file, yield* fileSystem.readFileString(file)), file, config)
})

export const parse = Effect.fn("StrategySource.parse")(function* (
  text: string,
  file: string,
  config: string | undefined
) {
  const markets = config === undefined ? marketsOf(text) : yield* configuredMarkets(config)
  const parsed = StrategyFiles.suited(StrategyFile.parse(text, file, markets), "backtest")
  if (Result.isSuccess(parsed)) return { markets, strategy: parsed.success }
  const rendered = parsed.failure.map((problem) => render(problem, text))
  return yield* new StrategyFiles.StrategiesInvalid({ rendered })
})
