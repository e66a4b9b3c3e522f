/** Writes one file with everything that the journal has on an order and the venue's present answer, ready for a support ticket. */
import { Clock, Console, Effect, FileSystem } from "effect"
import type { Recorded, Tag } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { present } from "../../domain/Present.ts"
import { countText, iso, utc } from "../../domain/Text.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import { readOrder } from "../../engine/tracking/OrderReads.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as JournalTree from "../../journal/tree/JournalTree.ts"
import * as Merkle from "../../journal/tree/Merkle.ts"
import * as Layers from "../../Layers.ts"
import * as Evidence from "../../ledger/Evidence.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Money from "../../report/text/Money.ts"
import * as Checkpoint from "../../signing/Checkpoint.ts"
import { History } from "../../venue/History.ts"
import { Venue } from "../../venue/Venue.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"
import { version } from "../../version.ts"
import { encoded } from "../../views/Events.ts"
import { commandFailed } from "../CommandFailed.ts"
import { ChosenBot } from "../journal/ChosenBot.ts"
import { type JournalView, withJournal } from "../journal/JournalView.ts"
import * as Witness from "../journal/Witness.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

interface Asked {
  readonly id: string
  readonly depositAddress: string
  readonly depositMemo?: string
  readonly by: "swap" | undefined
}

type Answer = { readonly answered: unknown; readonly correlationId?: string } | { readonly notAsked: string }

interface Testimony {
  readonly order: Answer
  readonly history: Answer
}

const notAsked = (why: string): Testimony => ({ order: { notAsked: why }, history: { notAsked: why } })

const patience = "20 seconds"
const fewLines = 20

const orderOf = Effect.fnUntraced(function* ({ by, ...order }: Asked) {
  const { value, correlationId } = yield* readOrder(yield* Venue, by, order)
  const { price, ...others } = value
  return { answered: { ...others, price: Decimal.format(price) }, ...present({ correlationId }) }
})

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

/** Returns answers by placement. A bot without a file, and a failure of its configuration, secrets or network, are answers too. */
const ask = Effect.fn("EvidenceFile.ask")(function* (orders: ReadonlyMap<string, Asked>) {
  if (orders.size === 0) return new Map<string, Testimony>()
  const { file, flag } = yield* ChosenBot
  return yield* Effect.gen(function* () {
    const configFile = yield* file(`its runner has the key; limitbot reconcile ${flag} asks the venue`)
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
    ).pipe(Effect.provide(VenueAccess.besideJournal(config, signerId)))
    return new Map<string, Testimony>(records)
  }).pipe(
    Effect.catch(({ message }) =>
      Effect.succeed(new Map([...orders.keys()].map((placement) => [placement, notAsked(message)] as const)))
    )
  )
})

/** Fails if the file exists. Only its owner can read it. */
const writeNew = (file: string, text: string) =>
  FileSystem.FileSystem.use((files) => files.writeFileString(file, `${text}\n`, { flag: "wx", mode: 0o600 })).pipe(
    Effect.mapError((cause) => commandFailed(`Cannot write ${file}: ${cause.message}`))
  )

const ofMoney: ReadonlySet<Tag> = new Set(["PaymentMade", "DepositSeen", "FillSeen", "PaidOut", "Refunded"])

const signedNow = Effect.fnUntraced(function* (account: string, { account: keys }: ConfigFile.BotConfig) {
  const tree = Merkle.make()
  yield* JournalTree.grow(tree)
  const at = yield* Clock.currentTimeMillis
  const checkpoint = { account, size: tree.size, root: Merkle.rootOf(tree), head: tree.head, at }
  const note = yield* Effect.provide(Checkpoint.signed(checkpoint), Layers.signerLayer(keys))
  return { ...checkpoint, note }
})

interface ProofAsked {
  readonly order: string
  readonly config: string
  readonly out: string
  readonly events: ReadonlyArray<Recorded>
}

const writeProof = Effect.fn("EvidenceFile.writeProof")(function* ({ config: file, events, order, out }: ProofAsked) {
  const config = yield* ConfigFile.load(file)
  const { signerId } = yield* Layers.accountOf(config)
  const moneySequences = events.filter(({ event }) => ofMoney.has(event._tag)).map(({ sequence }) => sequence)
  if (moneySequences.length === 0)
    return yield* commandFailed(`The journal has no deposit, fill, payout or refund of ${order} yet.`)
  const { checkpoint, records } = yield* Effect.gen(function* () {
    const witnessCheckpoint = config.witness && (yield* Witness.last(config.witness, signerId, config))
    const checkpoint = witnessCheckpoint ?? (yield* signedNow(signerId, config))
    const covered = moneySequences.filter((sequence) => sequence <= checkpoint.size)
    return { checkpoint, records: yield* JournalTree.prove(checkpoint.size, covered) }
  }).pipe(Effect.provide(Sqlite.layer({ filename: config.journal, readOnly: true })))
  const when = `the checkpoint of ${utc(checkpoint.at)}, over ${countText(checkpoint.size, "event")}`
  if (records.length === 0)
    return yield* commandFailed(`All of ${order} came after ${when}: try again after the next one.`)
  yield* writeNew(out, JSON.stringify({ checkpoint: checkpoint.note, records }, null, 2))
  const later = moneySequences.length - records.length
  const rest = later === 0 ? "" : `; not included: ${countText(later, "later record")}`
  yield* Console.log(`${out}: ${countText(records.length, "record")}, by ${when}${rest}`)
})

const asText = (_key: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

const unasked = notAsked("skipped by --offline, or the journal has no order id")

const askedOf = (found: ReadonlyArray<Evidence.PlacementHistory>): ReadonlyMap<string, Asked> =>
  new Map(
    found.flatMap(({ placement, moments }) => {
      const events = moments.map(({ event }) => event)
      const bound = events.findLast((event) => event._tag === "Bound")
      const planned = events.find((event) => event._tag === "Planned")
      if (bound === undefined) return []
      const { orderId: id, depositAddress, depositMemo } = bound
      return [[placement, { id, depositAddress, ...present({ depositMemo }), by: planned?.by }] as const]
    })
  )

const noProof =
  "--proof needs a checkpoint signed by the account's key, and the accounts of a fleet have none yet: their runners report to no witness. --out FILE works."

const dossierOf = ({ placement, moments }: Evidence.PlacementHistory, { state, assets }: JournalView) => {
  const timeline = moments.map(({ sequence, at, event }) => ({ sequence, at: iso(at), ...encoded(event) }))
  const findings = Evidence.findings(moments)
  const planned = moments[0]?.event
  const balances = [...state.ledger.balances.values()].filter(({ entry: { owner } }) => owner === placement)
  const order = moments.map(({ event }) => event).find((event) => event._tag === "Bound")
  return {
    placement,
    slot: planned === undefined ? null : slotKey(planned.strategy, planned.slot),
    order: order?.orderId ?? null,
    depositAddress: order?.depositAddress ?? null,
    state: state.placements.get(placement)?.state ?? "settled",
    moneyNow: balances.map(({ entry: { account, asset }, amount }) => ({
      place: account,
      asset,
      amount: Money.amountText(assets, asset, amount)
    })),
    contradictions: findings.map(({ text }) => text),
    findings,
    correlationIds: Evidence.correlationIds(moments),
    quoteSignatures: Evidence.quoteSignatures(moments),
    hashes: Evidence.hashes(moments),
    requests: Evidence.requestsOf(moments).map(({ sequence, at, event }) => ({
      sequence,
      at: iso(at),
      request: event._tag
    })),
    timeline
  }
}

interface EvidenceAsked {
  readonly order: string
  readonly out: string | undefined
  readonly proof: string | undefined
  readonly offline: boolean
}

export const write = Effect.fn("EvidenceFile.write")(function* ({ order, out, proof, offline }: EvidenceAsked) {
  if (out === undefined && proof === undefined)
    return yield* wrongUsage("Name the file to write: --out FILE, --proof FILE or both")
  const { file, flag } = yield* ChosenBot
  const config = proof !== undefined ? yield* file(noProof) : undefined
  const fold = Evidence.make(order)
  yield* withJournal(
    Effect.fnUntraced(function* (view) {
      const histories = fold.result()
      if (histories.length === 0) {
        const message = `The journal has no order ${order}. Its orders: limitbot orders ${flag}`
        return yield* commandFailed(message)
      }
      if (out !== undefined) yield* writeDossier(view, histories, { order, out, offline })
      if (proof === undefined || config === undefined) return
      yield* writeProof({ order, config, out: proof, events: histories.flatMap(({ moments }) => moments) })
    }),
    { until: Number.POSITIVE_INFINITY, seen: fold.see }
  )
})

const writeDossier = Effect.fnUntraced(function* (
  view: JournalView,
  found: ReadonlyArray<Evidence.PlacementHistory>,
  { offline, order, out }: Pick<EvidenceAsked, "offline" | "order"> & { readonly out: string }
) {
  const testimonies = offline ? new Map<string, Testimony>() : yield* ask(askedOf(found))
  const dossier = {
    writtenAt: iso(yield* Clock.currentTimeMillis),
    program: `limitbot ${version}`,
    account: view.state.run?.account ?? null,
    venue: view.state.run?.venue ?? null,
    asked: order,
    orders: found.map((each) => ({ ...dossierOf(each, view), venueNow: testimonies.get(each.placement) ?? unasked }))
  }
  yield* writeNew(out, JSON.stringify(dossier, asText, 2))
  const events = found.reduce((count, { moments }) => count + moments.length, 0)
  const reasons = [...testimonies.values()].flatMap(({ order: now, history }) =>
    [now, history].flatMap((answer) => ("notAsked" in answer ? [answer.notAsked] : []))
  )
  yield* Console.log(
    [`${out}: ${events} events, no secrets`, ...new Set(reasons.map((why) => `Not asked: ${why}`))].join("\n")
  )
})
