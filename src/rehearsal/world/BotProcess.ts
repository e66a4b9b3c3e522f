/**
 * A bot as a process of a simulated world, in a domain that can be killed at any step. Its disk outlives it: the world opens and closes its
 * files from outside, as the operating system does. `launch` runs any program this way; `start` runs only the real engine, client, guard
 * and journal file.
 */
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { HttpClient } from "effect/http"
import type { Reason } from "../../domain/BotEvent.ts"
import type { Market } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import * as Engine from "../../engine/Engine.ts"
import { defaults, EngineSettings, type Settings } from "../../engine/EngineSettings.ts"
import { manual, Wallet, type WalletPort } from "../../engine/funding/Wallet.ts"
import * as StartUp from "../../engine/StartUp.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as Head from "../../journal/Head.ts"
import { Journal } from "../../journal/Journal.ts"
import { LeaseLost } from "../../journal/Lease.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import * as Reserve from "../../journal/Reserve.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import { saltFrom } from "../../sandbox/SandboxApi.ts"
import type { ConnectionRecord } from "../../sandbox/SandboxServer.ts"
import type { IntentGuard, PayingAccount } from "../../signing/IntentGuard.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { type History, layerSignedBy, type Venue } from "../../venue/library.ts"
import * as Charges from "../../venue/profile/Charges.ts"
import {
  defaultPatience,
  factsOf,
  ownAccount,
  payerOf,
  type VenueAccount,
  type VenueConfig
} from "../../venue/VenueConfig.ts"
import * as SandboxSigner from "./SandboxSigner.ts"
import { Domain, runIn, type World } from "./World.ts"

export interface BotOptions {
  readonly world: World
  readonly connection: ConnectionRecord
  readonly network: HttpClient.HttpClient
  readonly journalFile: string
  readonly files?: Layer.Layer<Journal | PriceStore, unknown>
  readonly markets: ReadonlyMap<string, Market>
  readonly strategies: () => ReadonlyArray<Strategy>
  readonly withdraw: () => Reason | undefined
  readonly pace?: Partial<Settings>
  readonly account?: VenueAccount
  readonly isVerifying?: boolean
  readonly guard?: (payer: PayingAccount) => Layer.Layer<IntentGuard>
  readonly beside?: Effect.Effect<void, unknown, Bookkeeper | History | Journal | PriceStore | Venue>
  readonly wallet?: Layer.Layer<never, never, HttpClient.HttpClient>
  readonly leaseLost?: () => string | undefined
  /** Id of the machine's start. With another one, the disk may have lost writes that it had acknowledged. */
  readonly boot?: string
  readonly disk?: (journal: Journal["Service"]) => Journal["Service"]
}

export interface Launched {
  readonly domain: Domain
  /** Undefined while it runs. */
  exit(): Exit.Exit<void, unknown> | undefined
  kill(): void
}

export interface BotProcess extends Launched {
  /** Its state, its engine and the recorder of commands; `undefined` until it has started. */
  inside(): (Pick<Bookkeeper["Service"], "recordFrom" | "state"> & { readonly engine: Engine.Engine }) | undefined
}

export const launch = <R, E, EF>({
  files,
  program,
  seed,
  world
}: {
  world: World
  seed: number
  files: Layer.Layer<R, EF>
  program: Effect.Effect<void, E, R>
}): Launched => {
  const scope = runIn(world, Scope.make())
  const opened = runIn(world, Layer.buildWithScope(files, scope))
  const domain = new Domain(world, seed)
  let exit: Exit.Exit<void, unknown> | undefined
  domain.fork(Effect.provide(program, opened)).addObserver((ended) => {
    exit = ended
  })
  return {
    domain,
    exit: () => exit,
    kill: () => {
      domain.kill()
      runIn(world, Scope.close(scope, Exit.void))
    }
  }
}

export const withJournal = <A, E>(
  { journalFile, world }: Pick<BotOptions, "journalFile" | "world">,
  effect: Effect.Effect<A, E, Journal | PriceStore>
): A => runIn(world, Effect.scoped(Effect.provide(effect, journalLayer(journalFile))))

const journalLayer = (filename: string) =>
  PriceStore.layer.pipe(
    Layer.provideMerge(Journal.layerWith(Reserve.none, Head.beside(filename))),
    Layer.provide(Sqlite.layer({ filename }))
  )

/** `until`: `idle` ends the bot once its orders are closed; `killed` keeps it running. */
export const start = (options: BotOptions, seed: number, until: "idle" | "killed"): BotProcess => {
  const { disk = (journal) => journal, journalFile, strategies, withdraw, world } = options
  let inside: ReturnType<BotProcess["inside"]>

  const bot = Effect.gen(function* () {
    const { recordFrom, state } = yield* Bookkeeper
    const loaded = strategies()
    const { signerId } = options.connection.account
    const { boot = "one", connection } = options
    const run = { pid: 1, boot, version: "0", mode: "simulation", account: signerId, venue: connection.url }
    yield* StartUp.record(run, loaded)
    const engine = yield* Engine.make({ strategies: loaded, markets: options.markets, withdraw: Effect.sync(withdraw) })
    inside = { engine, recordFrom, state }
    if (options.beside !== undefined) yield* Effect.forkScoped(options.beside)
    yield* engine.runUntil(Effect.never, until === "idle" ? engine.isIdle : undefined)
  }).pipe(Effect.provide(services(options)), Effect.scoped)
  const files = Layer.effect(Journal, Effect.map(Journal, disk)).pipe(
    Layer.provideMerge(options.files ?? journalLayer(journalFile))
  )

  return { ...launch({ world, seed, files, program: bot }), inside: () => inside }
}

const services = (options: BotOptions) => {
  const { connection, network, pace = {} } = options
  const { signerId } = connection.account
  const account = options.account ?? ownAccount(signerId, "INTENTS")
  const { addresses, depositType, depositTypes } = account
  const venue: VenueConfig["Service"] = {
    url: connection.url,
    ledger: connection.ledger,
    verifier: connection.verifier,
    ...present({ facts: connection.facts && { ...connection.facts, saltFrom: saltFrom(connection.url) } }),
    apiKey: Redacted.make(connection.apiKey),
    ...(options.beside === undefined ? {} : { partnerJwt: Redacted.make(connection.partnerJwt) }),
    ...present({ quoteKey: options.isVerifying === true ? connection.quoteKey : undefined }),
    account,
    patience: defaultPatience
  }
  const facts = factsOf(venue)
  const settings: Settings = {
    ...defaults,
    ...pace,
    account: {
      signerId,
      depositType,
      maxAppFeeBasisPoints: 100,
      ...present({ addresses, depositTypes }),
      ...Charges.echoes(facts.fees, Charges.isPartner(facts, options.beside !== undefined), account)
    }
  }
  const nobody: WalletPort = manual
  const leaseLost = options.leaseLost ?? (() => undefined)
  const signed = layerSignedBy(venue, SandboxSigner.layer(connection))
  const guarded = options.guard?.(payerOf(venue)) ?? Layer.empty
  return Layer.mergeAll(
    options.wallet ?? Layer.succeed(Wallet, nobody),
    Layer.provideMerge(OrderBook.layer, signed),
    guarded
  ).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, network)),
    Layer.merge(Bookkeeper.layer),
    Layer.merge(Layer.succeed(EngineSettings, settings)),
    Layer.merge(Layer.succeed(LeaseLost, Effect.sync(leaseLost)))
  )
}
