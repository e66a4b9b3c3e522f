/**
 * The face of the client for other programs: `import { … } from "limitbot/venue"`. The contract, the ports, the layers behind
 * them and the signer; nothing of the bot. Inside this repository files import each other directly.
 */
import { Layer, type Redacted } from "effect"
import { History } from "./History.ts"
import * as HttpVenue from "./HttpVenue.ts"
import * as Guard from "./IntentGuard.ts"
import { Session } from "./Session.ts"
import { Signer } from "./Signer.ts"
import { Swaps } from "./Swaps.ts"
import { VenueClient } from "./VenueClient.ts"
import { VenueConfig } from "./VenueConfig.ts"

export { implicitAccount } from "./Ed25519.ts"
export { History, type TransactionPage } from "./History.ts"
export type { TransactionPagesQuery, TransactionsQuery } from "./HistoryApi.ts"
export { HistoryLane } from "./HistoryLane.ts"
export { type ExpectedTransfer, IntentGuard, IntentRefused, IntentValidity } from "./IntentGuard.ts"
export { verify as verifyQuoteSignature } from "./QuoteSignature.ts"
export { Session } from "./Session.ts"
export { KeyMalformed, publicKeyOf, Signer, SigningRefused } from "./Signer.ts"
export { QuoteRefused, Swaps } from "./Swaps.ts"
export * from "./Venue.ts"
export { VenueApi, WholeVenueApi } from "./VenueApi.ts"
export { VenueClient } from "./VenueClient.ts"
export {
  chainAccount,
  defaultPatience,
  ownAccount,
  type Patience,
  type VenueAccount,
  VenueConfig
} from "./VenueConfig.ts"
export { OutcomeUnknown, Rejected, RetryLater, Unauthorized, VenueError } from "./VenueError.ts"
export type { AccountHistoryResponse, Transaction, TransactionRecord } from "./WireHistory.ts"
export type { QuoteRequest, QuoteResponse } from "./WireQuote.ts"
export type { Swap } from "./WireSwap.ts"

/**
 * Orders, signed intents, swaps and histories of one account over whichever `HttpClient` is provided. Without a key everything
 * works that needs no signature.
 */
export const layer = (config: VenueConfig["Service"], key?: Redacted.Redacted) =>
  Layer.mergeAll(
    Layer.mergeAll(HttpVenue.layer, Swaps.layer, History.layer).pipe(
      Layer.provide(Session.layer),
      Layer.provide(VenueClient.layer)
    ),
    Guard.layer
  ).pipe(
    Layer.provide(key === undefined ? Signer.layerRefusing : Signer.layer(key)),
    Layer.provide(Layer.succeed(VenueConfig, config))
  )
