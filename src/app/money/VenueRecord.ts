/**
 * The venue's present answer on the orders of an evidence file: each order or swap, and its lines in the partner's history. A source that
 * cannot be asked is named with the reason, so evidence can be written without a network.
 */
import { Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import type { Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { readOrder } from "../../engine/tracking/OrderReads.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { History } from "../../venue/History.ts"
import { Venue } from "../../venue/Venue.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

export interface Asked {
  readonly id: string
  readonly depositAddress: string
  readonly depositMemo?: string
  readonly by: "swap" | undefined
}

type Answer = { readonly answered: unknown; readonly correlationId?: string } | { readonly notAsked: string }

export interface Testimony {
  readonly order: Answer
  readonly history: Answer
}

const notAsked = (why: string): Testimony => ({ order: { notAsked: why }, history: { notAsked: why } })

const patience = "20 seconds"
const fewLines = 20

const orderOf = Effect.fnUntraced(function* ({ by, ...order }: Asked) {
  const { value, correlationId } = yield* readOrder(yield* Venue, by, order)
  return { answered: plain(value), ...present({ correlationId }) }
})

const plain = ({ price, ...order }: Order) => ({ ...order, price: Decimal.format(price) })

const historyOf = Effect.fnUntraced(function* ({ depositAddress }: Asked) {
  const history = yield* History
  const lines = yield* history.transactions({
    numberOfTransactions: fewLines,
    statuses: transactionStatuses.join(","),
    showTestTxs: "true",
    search: depositAddress
  })
  return { answered: lines.map(({ said }) => said) }
})

const within = <E extends { readonly message: string }, R>(ask: Effect.Effect<Answer, E, R>) =>
  ask.pipe(
    Effect.timeout(patience),
    Effect.catch(({ message }) => Effect.succeed<Answer>({ notAsked: message }))
  )

export const nobodyAsked = (why: string, orders: ReadonlyMap<string, Asked>): ReadonlyMap<string, Testimony> =>
  new Map([...orders.keys()].map((placement) => [placement, notAsked(why)] as const))

/** Answers by placement. A failure of the configuration, its secrets or the network is an answer too. */
export const ask = Effect.fn("VenueRecord.ask")(function* (configFile: string, orders: ReadonlyMap<string, Asked>) {
  if (orders.size === 0) return new Map<string, Testimony>()
  return yield* Effect.gen(function* () {
    const config = yield* ConfigFile.load(configFile)
    const signerId = yield* VenueAccess.signerOf(config)
    const hasHistory = config.venue.partnerJwt !== undefined
    const records = yield* Effect.forEach([...orders], ([placement, asked]) =>
      Effect.gen(function* () {
        const order = yield* within(orderOf(asked))
        const history: Answer = hasHistory
          ? yield* within(historyOf(asked))
          : { notAsked: "venue.partnerJwt is not set; the history needs it" }
        return [placement, { order, history }] as const
      })
    ).pipe(
      Effect.provide(VenueAccess.withHistory(config, signerId)),
      Effect.provide(Sqlite.layer({ filename: config.journal }))
    )
    return new Map(records)
  }).pipe(Effect.catch(({ message }) => Effect.succeed(nobodyAsked(message, orders))))
})
