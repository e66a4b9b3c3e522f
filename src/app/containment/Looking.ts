/**
 * Looks at everything that `Containment` lists, in the order in which a later look can only know more: first who may act, then the
 * journal, then the signer's record, and the venue last.
 */
import { Clock, Effect, Stream } from "effect"
import * as People from "../../control/http/People.ts"
import * as Tokens from "../../control/http/Tokens.ts"
import { formatWithSymbol, toDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import { orderPages } from "../../engine/tracking/OrderReads.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as SignerFile from "../../files/SignerFile.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Record from "../../signing/remote/Record.ts"
import * as Spending from "../../signing/remote/Spending.ts"
import { Venue } from "../../venue/Venue.ts"
import { isThere, type JournalView, withJournal } from "../journal/JournalView.ts"
import * as KillFile from "../process/KillFile.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import type { Looked, LookedAt, Loose } from "./Containment.ts"
import * as JournalLists from "./JournalLists.ts"

const now = Clock.currentTimeMillis

/** Whoever may begin something new: a bot that is not killed. */
const actors = Effect.fnUntraced(function* (journal: string) {
  const holder = yield* Lease.holder(journal)
  const killed = yield* yield* KillFile.watch(journal)
  const who = holder === undefined ? "a bot that is started" : `the bot in process ${holder.pid}`
  const found = killed === undefined ? [{ id: "kill switch", text: `off: ${who} creates and pays` }] : []
  const looked: LookedAt = { name: "May begin anew", at: `${journal}.kill and .lease`, lookedAt: yield* now, found }
  return { looked, isRunning: holder !== undefined }
})

/** Tokens open nothing while no bot runs. */
const tokens = Effect.fnUntraced(function* (journal: string, isRunning: boolean) {
  const found: Array<Loose> = []
  if (isRunning) {
    const file = Tokens.operatorFile(journal)
    if (yield* isThere(file))
      found.push({ id: "the operator's token", text: `commands the bot: stop it, and remove ${file} for a new one` })
    for (const { name, role } of yield* People.list(journal))
      if (role !== "viewer")
        found.push({ id: name, text: `commands the bot as ${role}: limitbot people revoke ${name}` })
  }
  const at = isRunning ? `${journal}.token and .people` : "no bot runs, so none opens anything"
  return { name: "Tokens that command", at, lookedAt: yield* now, found } satisfies LookedAt
})

/** What a signer process has signed, whoever asked, and what it still may sign by an approver's word. */
const ofRecord = Effect.fnUntraced(function* (file: string, { assets }: JournalView) {
  const { record } = yield* SignerFile.load(file)
  const entries = yield* Record.read(record)
  const lookedAt = yield* now
  const byId = new Map([...assets.values()].map((asset) => [asset.id, asset]))
  const amountOf = ({ amount = "0", asset = "" }: Record.RecordEntry): string => {
    const known = byId.get(asset)
    return known === undefined ? `${amount} smallest units of ${asset}` : formatWithSymbol(BigInt(amount), known)
  }
  const alive = Spending.aliveIn(entries, lookedAt).map((each) => ({
    id: each.depositAddress ?? "",
    text: "signed for this address",
    amount: amountOf(each),
    ...present({ until: each.until ?? each.validUntil })
  }))
  const words = Spending.unspentWords(entries, lookedAt).map((each) => ({
    id: each.by ?? "",
    text: "an approver's word for one payment",
    amount: amountOf(each),
    ...present({ until: each.validUntil })
  }))
  return [
    { name: "Payments that the signer signed, still valid", at: record, lookedAt, found: alive },
    { name: "Words of approvers, not used yet", at: record, lookedAt, found: words }
  ] satisfies ReadonlyArray<LookedAt>
})

/** In an emergency nobody waits for a venue that is away; what is contained has a short list. */
const patience = "20 seconds"

/** Neither can come of it: nothing of it can execute, and nothing is to be paid out or back. */
const isOver = ({ fillStatus, payoutIsFinal, refund }: Order): boolean =>
  isTerminal(fillStatus) && payoutIsFinal && refund?.status !== "IN_PROGRESS"

const ordersAtVenue = Effect.fnUntraced(function* (config: ConfigFile.BotConfig, state: BotState) {
  const own = new Set([...state.placements.values()].flatMap(({ order }) => (order === undefined ? [] : [order.id])))
  const pages = yield* Stream.runCollect(orderPages(yield* Venue, { unfinishedOnly: true }))
  const byId = new Map(config.markets.assets.map((asset) => [asset.id, asset]))
  const orders = pages.flatMap((page) => page.orders).filter((order) => !isOver(order))
  const found = orders.map((order): Loose => {
    const base = byId.get(order.baseAsset)
    const quantity = Decimal.format(toDecimal(order.quantity, base?.decimals ?? 0))
    const whose = own.has(order.id) ? "" : ", which the journal does not show"
    const amount = base === undefined ? `${quantity} smallest units` : `${quantity} ${base.symbol}`
    return { id: order.id, text: `${order.side} ${order.fillStatus}${whose}`, amount, until: order.deadline }
  })
  const odd = pages.flatMap((page) => page.odd ?? []).map(({ id }) => ({ id: id ?? "?", text: "cannot be read" }))
  return [...found, ...odd]
})

const atVenue = "Orders that the venue lists"

const ofVenue = Effect.fnUntraced(function* (file: string, state: BotState) {
  const config = yield* ConfigFile.load(file)
  const signerId = yield* VenueAccess.signerOf(config)
  const found = yield* Effect.provide(ordersAtVenue(config, state), VenueAccess.venue(config, signerId)).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail({ message: `it did not answer within ${patience}` })
    })
  )
  const at = `${config.venue.url}, the orders of ${signerId} that are not over`
  return { name: atVenue, at, lookedAt: yield* now, found } satisfies LookedAt
})

const unseen = (name: string, at: string) => (error: { readonly message: string }) =>
  Effect.succeed<Looked>({ name, at, why: error.message })

/** `signerFile`: the signer's own file, where a signer process has the key. */
export const look = Effect.fn("Containment.look")(function* (file: string, signerFile: string | undefined) {
  return yield* withJournal(
    file,
    Effect.fnUntraced(function* (view) {
      const { isRunning, looked } = yield* actors(view.journal)
      const commanding = yield* Effect.catch(
        tokens(view.journal, isRunning),
        unseen("Tokens that command", `${view.journal}.people`)
      )
      const signed = yield* recordOrWhy(file, signerFile, view)
      const venue = yield* Effect.catch(ofVenue(file, view.state), unseen(atVenue, "the venue"))
      return [looked, commanding, ...JournalLists.of(view), ...signed, venue]
    })
  )
})

const recordOrWhy = Effect.fnUntraced(function* (file: string, signerFile: string | undefined, view: JournalView) {
  const name = "What the signer process signed"
  if (signerFile !== undefined)
    return yield* Effect.catch(ofRecord(signerFile, view), (error) =>
      Effect.map(unseen(name, signerFile)(error), (each): ReadonlyArray<Looked> => [each])
    )
  const { account } = yield* ConfigFile.loadSettings(file)
  if (account.signer === undefined) return []
  const why = "another process has the key: name its file with --signer, as a user who may read its record"
  return [{ name, at: "the signer's record", why }] satisfies ReadonlyArray<Looked>
})
