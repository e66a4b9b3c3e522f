/** A bot as a process of a simulated world: only the real engine, client, guard and journal file. */
import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import type { Reason } from "../../../src/domain/BotEvent.ts"
import type { Market } from "../../../src/domain/Market.ts"
import { present } from "../../../src/domain/Present.ts"
import * as Engine from "../../../src/engine/Engine.ts"
import { defaults, EngineSettings, type Settings } from "../../../src/engine/EngineSettings.ts"
import { manual, Wallet, type WalletPort } from "../../../src/engine/funding/Wallet.ts"
import * as StartUp from "../../../src/engine/StartUp.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { LeaseLost } from "../../../src/journal/Lease.ts"
import type { PriceStore } from "../../../src/journal/PriceStore.ts"
import { OrderBook } from "../../../src/orderbook/OrderBook.ts"
import { journalLayer, type Launched, launch } from "../../../src/rehearsal/world/BotProcess.ts"
import * as SandboxSigner from "../../../src/rehearsal/world/SandboxSigner.ts"
import type { World } from "../../../src/rehearsal/world/World.ts"
import { saltFrom } from "../../../src/sandbox/SandboxApi.ts"
import type { ConnectionRecord } from "../../../src/sandbox/SandboxServer.ts"
import type { IntentGuard, PayingAccount } from "../../../src/signing/IntentGuard.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { type History, layerSignedBy, type Venue } from "../../../src/venue/library.ts"
import * as Charges from "../../../src/venue/profile/Charges.ts"
import {
  defaultPatience,
  factsOf,
  ownAccount,
  payerOf,
  type VenueAccount,
  type VenueConfig
} from "../../../src/venue/VenueConfig.ts"

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

export interface SimulatedBot extends Launched {
  /** Its state, its engine and the recorder of commands; `undefined` until it has started. */
  inside(): (Pick<Bookkeeper["Service"], "recordFrom" | "state"> & { readonly engine: Engine.Engine }) | undefined
}

/** `until`: `idle` ends the bot once its orders are closed; `killed` keeps it running. */
export const start = (options: BotOptions, seed: number, until: "idle" | "killed"): SimulatedBot => {
  const { disk = (journal) => journal, journalFile, strategies, withdraw, world } = options
  let inside: ReturnType<SimulatedBot["inside"]>

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
