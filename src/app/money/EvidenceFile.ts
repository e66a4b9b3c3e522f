/** Writes one file with everything that the journal has on an order and the venue's present answer, ready for a support ticket. */
import { Clock, Console, Effect, FileSystem, Option, Schema } from "effect"
import type { Recorded, Tag } from "../../domain/BotEvent.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as JournalTree from "../../journal/tree/JournalTree.ts"
import * as Merkle from "../../journal/tree/Merkle.ts"
import * as Layers from "../../Layers.ts"
import * as Evidence from "../../ledger/Evidence.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as Money from "../../report/text/Money.ts"
import * as Checkpoint from "../../signing/Checkpoint.ts"
import { version } from "../../version.ts"
import { encoded } from "../../views/Events.ts"
import { type JournalView, withJournal } from "../journal/JournalView.ts"
import type { WhichBot } from "../journal/WhichBot.ts"
import * as Witness from "../journal/Witness.ts"
import type { Asked, Testimony } from "./VenueRecord.ts"
import * as VenueRecord from "./VenueRecord.ts"

class NoProof extends Schema.TaggedError<NoProof>()("NoProof", { message: Schema.String }) {}

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
    return yield* new NoProof({ message: `The journal has no deposit, fill, payout or refund of ${order} yet.` })
  const { checkpoint, records } = yield* Effect.gen(function* () {
    const witnessCheckpoint = config.witness && (yield* Witness.last(config.witness, signerId, config))
    const checkpoint = witnessCheckpoint ?? (yield* signedNow(signerId, config))
    const covered = moneySequences.filter((sequence) => sequence <= checkpoint.size)
    return { checkpoint, records: yield* JournalTree.prove(checkpoint.size, covered) }
  }).pipe(Effect.provide(Sqlite.layer({ filename: config.journal, readOnly: true })))
  const when = `the checkpoint of ${iso(checkpoint.at)}, over ${counted(checkpoint.size, "event")}`
  if (records.length === 0)
    return yield* new NoProof({ message: `All of ${order} came after ${when}: try again after the next one.` })
  const fileSystem = yield* FileSystem.FileSystem
  const text = JSON.stringify({ checkpoint: checkpoint.note, records }, null, 2)
  yield* fileSystem
    .writeFileString(out, `${text}\n`, { flag: "wx", mode: 0o600 })
    .pipe(Effect.mapError((cause) => new NoProof({ message: `Cannot write ${out}: ${cause.message}` })))
  const later = moneySequences.length - records.length
  const rest = later === 0 ? "" : `; not included: ${counted(later, "later record")}`
  yield* Console.log(`${out}: ${counted(records.length, "record")}, by ${when}${rest}`)
})

export class NoEvidence extends Schema.TaggedError<NoEvidence>()("NoEvidence", { message: Schema.String }) {}

const asText = (_key: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

const notAsked: Testimony = {
  order: { notAsked: "skipped by --offline, or the journal has no order id" },
  history: { notAsked: "skipped by --offline, or the journal has no order id" }
}

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

const venueOf = (bot: WhichBot, asked: ReadonlyMap<string, Asked>) =>
  typeof bot === "string"
    ? VenueRecord.ask(bot, asked)
    : Effect.succeed(
        VenueRecord.nobodyAsked(
          `its runner has the key; limitbot reconcile --account ${bot.account} asks the venue`,
          asked
        )
      )

const noProof =
  "--proof needs a checkpoint signed by the account's key, and the accounts of a fleet have none yet: their runners report to no witness. --out FILE works."

const flagOf = (bot: WhichBot): string => (typeof bot === "string" ? `--config ${bot}` : `--account ${bot.account}`)

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
  readonly bot: WhichBot
  readonly out: Option.Option<string>
  readonly proof: Option.Option<string>
  readonly offline: boolean
}

export const write = Effect.fn("EvidenceFile.write")(function* ({ bot, order, out, proof, offline }: EvidenceAsked) {
  if (Option.isNone(out) && Option.isNone(proof))
    return yield* new WrongUsage({ message: "Name the file to write: --out FILE, --proof FILE or both" })
  if (Option.isSome(proof) && typeof bot !== "string") return yield* new WrongUsage({ message: noProof })
  const fold = Evidence.make(order)
  yield* withJournal(
    bot,
    Effect.fnUntraced(function* (view) {
      const histories = fold.result()
      if (histories.length === 0) {
        const message = `The journal has no order ${order}. Its orders: limitbot orders ${flagOf(bot)}`
        return yield* new NoEvidence({ message })
      }
      if (Option.isSome(out)) yield* writeDossier(view, histories, { order, bot, out: out.value, offline })
      if (Option.isNone(proof) || typeof bot !== "string") return
      yield* writeProof({ order, config: bot, out: proof.value, events: histories.flatMap(({ moments }) => moments) })
    }),
    { until: Number.POSITIVE_INFINITY, seen: fold.see }
  )
})

const writeDossier = Effect.fnUntraced(function* (
  view: JournalView,
  found: ReadonlyArray<Evidence.PlacementHistory>,
  { bot, offline, order, out }: Pick<EvidenceAsked, "bot" | "offline" | "order"> & { readonly out: string }
) {
  const venueRequests = askedOf(found)
  const testimonies = offline ? new Map<string, Testimony>() : yield* venueOf(bot, venueRequests)
  const dossier = {
    writtenAt: iso(yield* Clock.currentTimeMillis),
    program: `limitbot ${version}`,
    account: view.state.run?.account ?? null,
    venue: view.state.run?.venue ?? null,
    asked: order,
    orders: found.map((each) => ({ ...dossierOf(each, view), venueNow: testimonies.get(each.placement) ?? notAsked }))
  }
  const fileSystem = yield* FileSystem.FileSystem
  yield* fileSystem
    .writeFileString(out, `${JSON.stringify(dossier, asText, 2)}\n`, { flag: "wx", mode: 0o600 })
    .pipe(Effect.mapError((cause) => new NoEvidence({ message: `Cannot write ${out}: ${cause.message}` })))
  const events = found.reduce((count, { moments }) => count + moments.length, 0)
  const reasons = [...testimonies.values()].flatMap(({ order: now, history }) =>
    [now, history].flatMap((answer) => ("notAsked" in answer ? [answer.notAsked] : []))
  )
  yield* Console.log(
    [`${out}: ${events} events, no secrets`, ...new Set(reasons.map((why) => `Not asked: ${why}`))].join("\n")
  )
})
