/** Provides a market and its present price for the strategy questions, from a configuration or from answers that make one. */
import { Console, Effect, Option, Schema } from "effect"
import type { Market, Price } from "../../domain/Market.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import { type Markets, market as marketReader } from "../../strategy/Markets.ts"
import { isPartner, tradeCosts } from "../../venue/profile/Charges.ts"
import { defaultProfile, factsOf, ledgerOf, type ProfileName, verifierOf } from "../../venue/profile/Profiles.ts"
import { readAnswer } from "./InitText.ts"
import type * as Interview from "./Interview.ts"
import * as NewConfig from "./NewConfig.ts"
import * as VenueLook from "./VenueLook.ts"

export class NothingWritten extends Schema.TaggedError<NothingWritten>()("NothingWritten", {}) {
  override get message(): string {
    return "nothing was written"
  }
}

export interface FileInputs {
  readonly markets: Markets
  readonly market: Market
  readonly price: Price | undefined
  readonly journal: string | undefined
  readonly write: (schema: string) => ReturnType<typeof NewConfig.write>
}

const marketOf = Effect.fnUntraced(function* (markets: Markets, name: string) {
  return readAnswer(marketReader(markets), name).value ?? (yield* new NothingWritten())
})

export const configured = Effect.fnUntraced(function* ({ ask }: Interview.Interview, config: string) {
  const { journal, markets, account, venue } = yield* ConfigFile.loadSettings(config)
  const symbols = markets.assets.map(({ symbol }) => symbol)
  const name = yield* ask({
    key: "market",
    text: `Market, as BASE/QUOTE of ${symbols.join(", ")}`,
    ...NewConfig.usualMarket(symbols),
    read: marketReader(markets)
  })
  const market = yield* marketOf(markets, name)
  const secrets = yield* Effect.option(ConfigFile.load(config))
  const signerId = yield* Option.match(secrets, {
    onNone: () => Effect.succeed(account.signerId ?? "nobody"),
    onSome: (loaded) => Layers.signerOf(loaded.account)
  })
  const apiKey = Option.getOrUndefined(secrets)?.venue.apiKey
  const { facts, ledger, url } = venue
  const price = yield* VenueLook.price({ url, ledger, facts, signerId, apiKey }, market)
  return { markets, market, price, journal, write: () => Effect.succeed([]) } satisfies FileInputs
})

export const unconfigured = Effect.fnUntraced(function* (
  interview: Interview.Interview,
  config: string,
  profile: ProfileName | undefined
) {
  const venue = yield* NewConfig.askVenue(interview)
  const { sandbox, tokens, url } = venue
  yield* Console.log(NewConfig.tokenLine(tokens))
  const { markets: named, name } = yield* NewConfig.askMarket(interview, venue)
  const ledger = sandbox?.ledger ?? ledgerOf(profile ?? defaultProfile)
  const facts = factsOf(profile ?? defaultProfile, verifierOf(ledger))
  const costs = tradeCosts(facts.fees, sandbox !== undefined || isPartner(facts, false), named.assets)
  const markets: Markets = { ...named, costs }
  const market = yield* marketOf(markets, name)
  const account = sandbox === undefined ? yield* NewConfig.askAccount(interview, config) : undefined
  const spared = sandbox === undefined ? [] : interview.spare("key", "apiKey")
  if (spared.length > 0)
    yield* Console.log(`The sandbox has its own funded account and API key, so ${spared.join(" and ")} is not used.`)
  const asker = {
    url,
    ledger,
    signerId: sandbox?.account.signerId ?? account?.signerId ?? "nobody",
    apiKey: account?.apiKey.value,
    facts
  } as const
  const price = yield* VenueLook.price(asker, market)
  const write: FileInputs["write"] = (schema) =>
    NewConfig.write(config, { venue, account, assets: markets.assets, profile }, schema)
  return { markets, market, price, journal: undefined, write } satisfies FileInputs
})
