/** The words of a command as a request. A mistake names its word, the reason and a suggestion. */
import { Effect, Schema } from "effect"
import { sentenceOf } from "../../domain/Text.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import { numberHint, suggestion } from "../../strategy/Problem.ts"

export const checked = <A>(schema: Schema.Decoder<A>, words: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(schema)(words), (error) => {
    const texts = Object.values(Object(words)).filter((word) => typeof word === "string")
    const hints = texts.flatMap((text) => numberHint(text) ?? [])
    return new WrongUsage({ message: [sentenceOf(error), ...hints].join("; ") })
  })

/** BTC is BTC against the first stable asset of the configuration; else against the first other one. */
export const marketOf = Effect.fn("OrderWords.marketOf")(function* (symbol: string, file: string) {
  if (symbol.includes("/")) return symbol
  const { markets, venue } = yield* ConfigFile.loadSettings(file)
  const symbols = markets.assets.map((asset) => asset.symbol)
  const others = symbols.filter((other) => other !== symbol)
  const quote = others.find((other) => venue.facts.fees.stable.includes(other)) ?? others[0]
  if (symbols.includes(symbol) && quote !== undefined) return `${symbol}/${quote}`
  return yield* new WrongUsage({ message: `asset ${symbol}: not in the configuration; ${suggestion(symbol, symbols)}` })
})
