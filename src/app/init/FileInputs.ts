/**
 * Provides a market and its present price for the strategy questions, from a configuration or from answers that make one. Nothing is
 * written before the last answer. Secrets stay in private files or the environment.
 */
import { Config, Console, Effect, FileSystem, Option, Path, Schema } from "effect"
import { url } from "../../control/Address.ts"
import type { Asset } from "../../domain/Amount.ts"
import type { Market, Price } from "../../domain/Market.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import * as Layers from "../../Layers.ts"
import { defaultSettings } from "../../sandbox/Settings.ts"
import * as SandboxConfig from "../../sandbox/serving/SandboxConfig.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Markets, market as marketReader } from "../../strategy/Markets.ts"
import { report, suggestion } from "../../strategy/Problem.ts"
import type { Question } from "../../strategy/Setup.ts"
import { isPartner, tradeCosts } from "../../venue/profile/Charges.ts"
import { defaultProfile, factsOf, ledgerOf, type ProfileName, verifierOf } from "../../venue/profile/Profiles.ts"
import type { Token } from "../../venue/Venue.ts"
import { commandFailed } from "../CommandFailed.ts"
import * as InitText from "./InitText.ts"
import type { Interview } from "./Interview.ts"
import * as VenueLook from "./VenueLook.ts"

export const nothingWritten = () => commandFailed("nothing was written")

export interface FileInputs {
  readonly markets: Markets
  readonly market: Market
  readonly price: Price | undefined
  readonly journal: string | undefined
  readonly write: (schema: string) => ReturnType<typeof writeConfig>
}

const marketOf = Effect.fnUntraced(function* (markets: Markets, name: string) {
  return InitText.readAnswer(marketReader(markets), name).value ?? (yield* nothingWritten())
})

export const configured = Effect.fnUntraced(function* ({ ask }: Interview, config: string) {
  const { journal, markets, account, venue } = yield* ConfigFile.loadSettings(config)
  const symbols = markets.assets.map(({ symbol }) => symbol)
  const name = yield* ask({
    key: "market",
    text: `Market, as BASE/QUOTE of ${symbols.join(", ")}`,
    ...usualMarket(symbols),
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
  interview: Interview,
  config: string,
  profile: ProfileName | undefined
) {
  const venue = yield* askVenue(interview)
  const { sandbox, tokens, url } = venue
  yield* Console.log(tokenLine(tokens))
  const { markets: named, name } = yield* askMarket(interview, venue)
  const ledger = sandbox?.ledger ?? ledgerOf(profile ?? defaultProfile)
  const facts = factsOf(profile ?? defaultProfile, verifierOf(ledger))
  const costs = tradeCosts(facts.fees, sandbox !== undefined || isPartner(facts, false), named.assets)
  const markets: Markets = { ...named, costs }
  const market = yield* marketOf(markets, name)
  const account = sandbox === undefined ? yield* askAccount(interview, config) : undefined
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
    writeConfig(config, { venue, account, assets: markets.assets, profile }, schema)
  return { markets, market, price, journal: undefined, write } satisfies FileInputs
})

class Unfit extends Schema.TaggedError<Unfit>()("Unfit", { message: Schema.String }) {}

const sandboxUrl = `http://127.0.0.1:${SandboxConfig.defaultPort}`

const venueQuestion: Question = {
  key: "venue",
  text: "Venue: its address (https://…), or sandbox",
  fallback: "sandbox",
  read: (node, to) => (node.type === "scalar" && node.text === "sandbox" ? sandboxUrl : url(node, to))
}

const askVenue = ({ settle }: Interview) =>
  settle(
    venueQuestion,
    Effect.fnUntraced(function* (answer) {
      const url = answer === "sandbox" ? sandboxUrl : answer.replace(/\/+$/, "")
      const advice =
        answer === "sandbox" ? ". Start a sandbox in another terminal: limitbot sandbox" : ". Check the address"
      const tokens = yield* VenueLook.tokens(url).pipe(
        Effect.mapError(({ message }) => new Unfit({ message: `${url}: ${message}${advice}` }))
      )
      const usable = tokens.filter(({ decimals, symbol }) => isSymbol.test(symbol) && decimals <= maxDecimals)
      if (usable.length < 2) return yield* new Unfit({ message: `${url} offers no two tokens that can be traded` })
      const sandbox = yield* VenueLook.sandboxAt(url)
      return { url, tokens: usable, sandbox }
    })
  )

type FoundVenue = Effect.Success<ReturnType<typeof askVenue>>

const isSymbol = /^[A-Za-z0-9.]{1,20}$/
const maxDecimals = 36
const maxShown = 40

const symbolsOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> => [
  ...new Set(tokens.map(({ symbol }) => symbol))
]

const tokenLine = (tokens: ReadonlyArray<Token>): string => {
  const symbols = symbolsOf(tokens)
  const more = symbols.length > maxShown ? ` and ${symbols.length - maxShown} more` : ""
  return `Tokens of the venue: ${symbols.slice(0, maxShown).join(", ")}${more}`
}

const usualMarket = (symbols: ReadonlyArray<string>): { readonly fallback?: string } =>
  ["BTC", "USDC"].every((symbol) => symbols.includes(symbol)) ? { fallback: "BTC/USDC" } : {}

const marketQuestion = (tokens: ReadonlyArray<Token>): Question => {
  const symbols = symbolsOf(tokens)
  const readMarket: Read.Reader<string> = (node, to) => {
    const text = node.type === "scalar" ? node.text : ""
    const [base = "", quote = "", ...rest] = text.split("/")
    const unknown = [base, quote].find((symbol) => !symbols.includes(symbol))
    if (rest.length > 0 || base === "" || quote === "") return report(to, node, "expected a market such as BTC/USDC")
    if (unknown !== undefined)
      return report(to, node, `the venue has no token "${unknown}"`, suggestion(unknown, symbols))
    return base === quote ? report(to, node, `${base} cannot be traded against itself`) : text
  }
  return { key: "market", text: "Market, as BASE/QUOTE", ...usualMarket(symbols), read: readMarket }
}

/** A symbol may name tokens of several chains: then the chain is asked, or the id if a chain has several. */
const askToken = Effect.fnUntraced(function* ({ ask }: Interview, tokens: ReadonlyArray<Token>, symbol: string) {
  const candidates = tokens.filter((token) => token.symbol === symbol)
  const [only, ...others] = candidates
  const label = ({ assetId, blockchain }: Token) =>
    candidates.filter((token) => token.blockchain === blockchain).length > 1 ? assetId : blockchain
  const chosen =
    others.length === 0
      ? undefined
      : yield* ask({
          key: `chain.${symbol}`,
          text: `${symbol} of which chain: ${candidates.map(label).join(", ")}`,
          read: Read.oneOf(...candidates.map(label))
        })
  const token = candidates.find((candidate) => label(candidate) === chosen) ?? only
  return { symbol, id: token?.assetId ?? "", decimals: token?.decimals ?? 0 } satisfies Asset
})

export const askMarket = Effect.fnUntraced(function* (interview: Interview, { sandbox, tokens }: FoundVenue) {
  const name = yield* interview.ask(marketQuestion(tokens))
  const [base = "", quote = ""] = name.split("/")
  const chosen = [yield* askToken(interview, tokens, base), yield* askToken(interview, tokens, quote)]
  // A sandbox's configuration names all of its assets.
  const assets = sandbox === undefined ? chosen : defaultSettings(sandbox.ledger).assets
  return { name, markets: { assets, ticks: new Map() } satisfies Markets }
})

const apiKeyVariable = "LIMITBOT_API_KEY"
const keyQuestion: Question = {
  key: "key",
  text: "Key of the account: new, or a file of mode 0600 with an ed25519 key",
  fallback: "new",
  read: Read.text
}
const apiKeyQuestion: Question = {
  key: "apiKey",
  text: `API key of the venue: env (the variable ${apiKeyVariable}), or a file of mode 0600`,
  fallback: "env",
  read: Read.text
}

const askAccount = Effect.fnUntraced(function* (interview: Interview, config: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(path.resolve(config))
  const own = path.join(folder, `${path.basename(config, path.extname(config))}.account.key`)
  const relative = (file: string) => path.relative(folder, path.resolve(file))
  const account = yield* interview.settle(
    keyQuestion,
    Effect.fnUntraced(function* (answer) {
      const isNew = answer === "new"
      if (isNew && (yield* fileSystem.exists(own))) {
        return yield* new Unfit({ message: `${own} exists and is not replaced: name it to use it` })
      }
      const key = isNew ? yield* KeyFile.generate : yield* KeyFile.readKey(answer)
      const { account: signerId, publicKey } = yield* KeyFile.ownerOf(key)
      return { signerId, publicKey, key, file: relative(isNew ? own : answer), isNew }
    })
  )
  const apiKey = yield* interview.settle(
    apiKeyQuestion,
    Effect.fnUntraced(function* (answer) {
      if (answer !== "env") return { source: { file: relative(answer) }, value: yield* KeyFile.readKey(answer) }
      const environmentKey = yield* Effect.option(Config.Redacted(apiKeyVariable))
      return { source: { env: apiKeyVariable }, value: Option.getOrUndefined(environmentKey) }
    })
  )
  return { ...account, apiKey }
})

interface Answered {
  readonly venue: FoundVenue
  readonly account: Effect.Success<ReturnType<typeof askAccount>> | undefined
  readonly assets: ReadonlyArray<Asset>
  readonly profile: ProfileName | undefined
}

const writeConfig = Effect.fn("NewConfig.write")(function* (
  config: string,
  { account, assets, profile, venue }: Answered,
  schema: string
) {
  if (venue.sandbox !== undefined) {
    yield* SandboxConfig.write(config, venue.sandbox, profile)
    return [`Wrote ${config} and its keys: a sandbox, with play money.`]
  }
  if (account === undefined) return []
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(path.resolve(config))
  yield* fileSystem.makeDirectory(folder, { recursive: true })
  const { apiKey, file, isNew, key, publicKey, signerId } = account
  const journal = `${path.basename(config, path.extname(config))}.sqlite`
  const parts = { url: venue.url, apiKey: apiKey.source, key: { file }, assets, journal, schema, profile }
  if (isNew) yield* KeyFile.writeSecret(path.join(folder, file), key)
  yield* fileSystem.writeFileString(config, InitText.configText(parts), { flag: "wx" })
  const needed = apiKey.value === undefined ? [`Set ${apiKeyVariable} before running.`] : []
  return [
    `Wrote ${config}.`,
    ...(isNew ? [`Wrote ${path.join(path.dirname(config), file)}: a new key, only you can read it. Keep a copy.`] : []),
    `Account ${signerId} (${publicKey}): send the bot's money to it.`,
    ...needed
  ]
})
