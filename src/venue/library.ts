/**
 * The client for other programs: `import { … } from "limitbot/venue"`. It offers the contract, the ports, their
 * layers and the signer, and nothing of the bot. Inside this repository, files import each other directly.
 *
 * @module limitbot/venue
 */
import { Layer, type Redacted } from "effect"
import * as Guard from "../signing/IntentGuard.ts"
import { Signer } from "../signing/Signer.ts"
import { History } from "./History.ts"
import * as HttpVenue from "./HttpVenue.ts"
import { Session } from "./http/Session.ts"
import { VenueClient } from "./http/VenueClient.ts"
import { Swaps } from "./Swaps.ts"
import { payerOf, VenueConfig } from "./VenueConfig.ts"

export { implicitAccount } from "../signing/Ed25519.ts"
export {
  type ExpectedTransfer,
  IntentGuard,
  IntentRefused,
  IntentValidity,
  SignatureRefused,
  SignerUnavailable
} from "../signing/IntentGuard.ts"
export { verify as verifyQuoteSignature } from "../signing/QuoteSignature.ts"
export { KeyMalformed, publicKeyOf, Signer, SigningRefused } from "../signing/Signer.ts"
export type { TransactionPagesQuery, TransactionsQuery } from "./api/HistoryApi.ts"
export { VenueApi, WholeVenueApi } from "./api/VenueApi.ts"
export { type AccountHistory, History, type TransactionPage } from "./History.ts"
export { HistoryRateLimiter } from "./http/HistoryRateLimiter.ts"
export { Session } from "./http/Session.ts"
export { VenueClient } from "./http/VenueClient.ts"
export { QuoteRefused, Swaps } from "./Swaps.ts"
export * from "./Venue.ts"
export {
  chainAccount,
  defaultPatience,
  ownAccount,
  type Patience,
  type VenueAccount,
  VenueConfig
} from "./VenueConfig.ts"
export { OutcomeUnknown, Rejected, RetryLater, Unauthorized, VenueError } from "./VenueError.ts"
export type { AccountEntry, HistoryEntry, OddTransaction, Transaction } from "./wire/HistoryEntry.ts"
export type { AccountHistoryItem, TransactionRecord } from "./wire/WireHistory.ts"
export type { QuoteRequest, QuoteResponse } from "./wire/WireQuote.ts"
export type { Swap } from "./wire/WireSwap.ts"

/** Orders, swaps, payments and histories of one account over an `HttpClient`. Without a key, calls that need a signature fail. */
export const layer = (config: VenueConfig["Service"], key?: Redacted.Redacted) =>
  layerSignedBy(config, key === undefined ? Signer.layerRefusing : Signer.layer(key))

/** Like `layer`, with a signer that holds the key elsewhere. */
export const layerSignedBy = <E>(config: VenueConfig["Service"], signer: Layer.Layer<Signer, E>) =>
  Layer.mergeAll(
    Layer.mergeAll(HttpVenue.layer, Swaps.layer, History.layer).pipe(
      Layer.provide(Session.layer),
      Layer.provide(VenueClient.layer)
    ),
    Guard.layer(payerOf(config))
  ).pipe(Layer.provide(signer), Layer.provide(Layer.succeed(VenueConfig, config)))
