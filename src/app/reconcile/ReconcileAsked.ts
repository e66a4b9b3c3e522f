/** Compares journal, orders, history and balances for a person. The command shows the evidence of a contradiction and fails. */
import { Clock, Console, Effect } from "effect"
import { recovered, slotOfFound } from "../../domain/Placement.ts"
import { countText, printable, utc } from "../../domain/Text.ts"
import { isPaid } from "../../engine/reconciliation/Reconciliation.ts"
import { capitalOf, takeIn } from "../../engine/reconciliation/Recovery.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as Layers from "../../Layers.ts"
import { PrintedFailure } from "../../process/Answer.ts"
import { Process } from "../../process/Process.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Table from "../../report/text/Table.ts"
import { Venue } from "../../venue/Venue.ts"
import { type Reconciliation, reconciliationView } from "../../views/Reconciliation.ts"
import { commandFailed } from "../CommandFailed.ts"
import { ChosenBot } from "../journal/ChosenBot.ts"
import { eventsOf } from "../journal/JournalView.ts"
import { deliver } from "../journal/Resolving.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import { bookUnlessRunning, gather } from "./Reconciling.ts"

const foreignOrderOf = Effect.fnUntraced(function* (id: string, signerId: string, config: ConfigFile.BotConfig) {
  const bound = yield* eventsOf("Bound")
  if (bound.some(({ orderId }) => orderId === id))
    return yield* commandFailed(`${id} is an order of this journal: use limitbot cancel`)
  const { value: order } = yield* (yield* Venue).getOrder(id)
  const { recipients, refundTo } = config.account
  if (order.refundTo !== signerId && ![...refundTo.values()].includes(order.refundTo))
    return yield* commandFailed(`${id} refunds to ${order.refundTo}, which is not this account`)
  return { order, isPaidToUs: order.recipient === signerId || [...recipients.values()].includes(order.recipient) }
})

const cancelForeign = Effect.fn("ReconcileAsked.cancelForeign")(function* (
  config: ConfigFile.BotConfig,
  signerId: string,
  id: string
) {
  yield* foreignOrderOf(id, signerId, config)
  const { value } = yield* (yield* Venue).cancelOrder(id)
  yield* Console.log(`${id}: cancel sent, the venue reports ${value.fillStatus}; the refund goes to ${value.refundTo}`)
})

/** Needs the journal's lease, so a running bot must be stopped first. */
const adoptForeign = Effect.fn("ReconcileAsked.adoptForeign")(function* (config: ConfigFile.BotConfig, id: string) {
  const account = yield* Layers.accountOf(config)
  const { pid } = yield* Process
  yield* Effect.gen(function* () {
    const books = yield* Bookkeeper
    const { isPaidToUs, order } = yield* foreignOrderOf(id, account.signerId, config)
    // The bot would pay for an unpaid order in its journal, and book a payout as its own.
    if (order.depositedAmount === 0n) return yield* commandFailed(`${id} holds no money: there is nothing to track`)
    if (isPaid(order)) return yield* commandFailed(`${id} has ended, and its money is already back`)
    if (!isPaidToUs) return yield* commandFailed(`${id} pays out to ${order.recipient}, which is not this account`)
    const market = [...Layers.marketsByName(config.markets).values()].find(
      ({ base, quote }) => base.id === order.baseAsset && quote.id === order.quoteAsset
    )
    if (market === undefined) return yield* commandFailed(`${id} trades assets that are not in the configuration`)
    const place = { strategy: recovered, slot: slotOfFound(id), because: "adopted by the operator" }
    const foreignOrder = { order, market, ...place }
    yield* books.record(yield* capitalOf(foreignOrder))
    const placement = yield* takeIn(foreignOrder)
    yield* Console.log(`${id} is ${placement} now: the bot tracks it until its money is back`)
  }).pipe(Effect.provide(Layers.live(config, account, pid)))
})

type Found = typeof Reconciliation.Type

const linesOf = (
  { agrees, contradiction, explained, findings, missing, proven, witnesses }: Found,
  all: boolean,
  withEvidence: boolean
): ReadonlyArray<string> => {
  const visibleFindings = findings.filter(({ verdict }) => all || verdict !== "agrees")
  const rows = visibleFindings.map(({ kind, subject, text, verdict }) => [verdict.toUpperCase(), kind, subject, text])
  const withTheirs = withEvidence
    ? visibleFindings
    : visibleFindings.filter(({ verdict }) => verdict === "contradiction")
  return [
    ...(rows.length === 0 ? [] : Table.render(["VERDICT", "WHAT", "SUBJECT", "WHY"], rows)),
    ...withTheirs.flatMap(evidenceLines),
    `Compared with the journal: ${witnesses.join(", ")}.`,
    ...missing.map((what) => `Not compared: ${what}`),
    ...proven.map(({ placement, text }) => `${placement} can be settled with --resolve: it was paid, ${text}`),
    `${agrees} agree, ${explained} explained, ${contradiction} contradict.`
  ]
}

const evidenceLines = ({ depositAddress, depositMemo, evidence, kind, subject }: Found["findings"][number]) => {
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")
  const memo = depositMemo === null ? "" : ` memo ${depositMemo}`
  return [
    "",
    `${kind} ${subject}`,
    ...(depositAddress === null ? [] : [`  address      ${depositAddress}${memo}`]),
    `  ${kind === "balance" ? "now        " : "journal    "}  ${pairs(evidence.journal)}`,
    ...(evidence.venue === null
      ? []
      : [`  ${kind === "balance" ? "before   " : "venue    "}    ${pairs(evidence.venue)}`]),
    ...(evidence.history === null ? [] : [`  history      ${pairs(evidence.history)}`]),
    ...(evidence.hashes.length === 0 ? [] : [`  hashes       ${evidence.hashes.join(" ")}`]),
    ...(evidence.correlationIds.length === 0 ? [] : [`  correlation  ${evidence.correlationIds.join(" ")}`]),
    ...evidence.timeline.map(({ at, what }) => `    ${utc(at)} ${what}`)
  ].map(printable)
}

interface Asked {
  readonly all: boolean
  readonly evidence: boolean
  readonly acceptBalances: boolean
  readonly resolve: boolean
  readonly cancel: string | undefined
  readonly adopt: string | undefined
  readonly json: boolean
}

const onlyCompares =
  "Of an account of a fleet it only compares: --account goes with --all, --evidence, --accept-balances and --json"

export const reconcile = Effect.fn("ReconcileAsked.reconcile")(function* (asked: Asked) {
  const { acceptBalances, adopt, cancel, resolve } = asked
  if (adopt !== undefined && cancel !== undefined) return yield* wrongUsage("Use either --adopt or --cancel")
  const { compared, file } = yield* ChosenBot
  if (adopt === undefined && cancel === undefined && !resolve)
    return yield* show(yield* compared(acceptBalances), asked)
  const config = yield* ConfigFile.load(yield* file(onlyCompares))
  if (adopt !== undefined) return yield* adoptForeign(config, adopt)
  if (cancel !== undefined) return yield* beside(config, (signerId) => cancelForeign(config, signerId, cancel))
  const gathered = yield* gatherHere(config, acceptBalances)
  const view = { journal: config.journal, now: yield* Clock.currentTimeMillis, state: gathered.state }
  for (const answer of gathered.proven) yield* deliver(view, answer)
  yield* show(reconciliationView(gathered), asked)
})

const beside = Effect.fnUntraced(function* <A, E, R>(
  config: ConfigFile.BotConfig,
  look: (signerId: string) => Effect.Effect<A, E, R>
) {
  const signerId = yield* VenueAccess.signerOf(config)
  return yield* look(signerId).pipe(
    Effect.provide([Journal.layer, VenueAccess.withHistory(config, signerId)]),
    Effect.provide(Sqlite.layer({ filename: config.journal }))
  )
})

const gatherHere = (config: ConfigFile.BotConfig, acceptBalances: boolean) =>
  beside(config, (signerId) =>
    Effect.scoped(gather(config, signerId, { acceptBalances, book: bookUnlessRunning(config) }))
  )

export const compareHere = Effect.fnUntraced(function* (file: string, acceptBalances: boolean) {
  return reconciliationView(yield* gatherHere(yield* ConfigFile.load(file), acceptBalances))
})

const show = Effect.fnUntraced(function* (found: typeof Reconciliation.Type, { all, evidence, json }: Asked) {
  yield* Console.log(json ? JSON.stringify(found) : linesOf(found, all, evidence).join("\n"))
  if (found.contradiction > 0)
    return yield* new PrintedFailure({ message: `${countText(found.contradiction, "contradiction")} found` })
})
