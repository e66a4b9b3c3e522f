/** Checks everything that `Containment` lists, in an order in which a later check can only know more. The venue comes last. */
import { Clock, Effect, Option, Schema } from "effect"
import * as People from "../../control/http/People.ts"
import * as Tokens from "../../control/http/Tokens.ts"
import { formatWithSymbol } from "../../domain/Amount.ts"
import * as Payload from "../../domain/Payload.ts"
import { present } from "../../domain/Present.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import type { Placement } from "../../engine/state/Placement.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Lease from "../../journal/Lease.ts"
import type { FleetAccount, WaitingWord } from "../../journal/postgres/Registry.ts"
import { type CommandAnswer, PrintedFailure } from "../../process/Answer.ts"
import * as KillFile from "../../process/KillFile.ts"
import * as Money from "../../report/text/Money.ts"
import * as SignerFile from "../../signer/files/SignerFile.ts"
import * as Record from "../../signer/remote/Record.ts"
import * as Spending from "../../signer/remote/Spending.ts"
import { Venue } from "../../venue/Venue.ts"
import { type AccountAnswer, AccountWord, isLook, type Loose } from "../cluster/AccountWord.ts"
import { ChosenBot } from "../journal/ChosenBot.ts"
import { dataOf, isContained, type Looked, type LookedAt, linesOf, openIn } from "../journal/Containment.ts"
import { isThere, type JournalView, withJournal } from "../journal/JournalView.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import * as VenueOrders from "./VenueOrders.ts"

type View = Pick<JournalView, "assets" | "journal" | "now" | "state">

const placementText = ({ order, slot, strategy, id }: Placement): string =>
  `${slotKey(strategy, slot)} ${order?.id ?? id}`

const inputOf = ({ assets }: View, { funding, inputAmount, inputAsset }: Placement): string =>
  Money.withSymbol(assets, inputAsset, funding?.amount ?? inputAmount)

const fates = {
  unsent: "signed, and not sent",
  executed: "paid; no deposit seen yet",
  refused: "sent and refused, but executable while it is valid",
  doubtful: "sent, execution unknown"
} as const

type Fate = Pick<Loose, "text" | "until">

const paymentFate = ({ funding }: Placement): Fate => {
  if (funding?.payment !== undefined) return { text: "requested from a wallet, which may still pay" }
  const certainty = funding === undefined ? "doubtful" : Payload.certaintyOf(funding)
  return { text: fates[certainty], ...present({ until: funding?.validUntil }) }
}

const sparesIn = ({ placements }: BotState): ReadonlyArray<Loose> =>
  [...placements.values()].flatMap(({ spares }) =>
    [...spares].flatMap(([id, isCancelled]) =>
      isCancelled ? [] : [{ id, text: "a spare order, not funded and not cancelled yet" }]
    )
  )

export const journalLists = (view: View): readonly [LookedAt, ...ReadonlyArray<LookedAt>] => {
  const { journal, now: lookedAt, state } = view
  const at = `${journal} up to event ${state.sequence}`
  const listOf = (states: ReadonlyArray<Placement["state"]>, fateOf: (placement: Placement) => Fate) =>
    unfinished(state)
      .filter((each) => states.includes(each.state))
      .map((each): Loose => ({ id: placementText(each), amount: inputOf(view, each), ...fateOf(each) }))
  const payments = listOf(["funding", "in doubt"], paymentFate)
  const unpaid = listOf(["planned", "creating", "created"], (each) => ({ text: `${each.state}, and not paid` }))
  const open = listOf(["open"], ({ cancel, deadline: until }) => ({
    text: `open${cancel === undefined ? "" : ", cancel requested"}`,
    until
  }))
  const closing = listOf(["closing"], ({ payout, refund }) => ({ text: `ended; payout ${payout}, refund ${refund}` }))
  return [
    { name: "Signed payments that may still be executed", at, lookedAt, found: payments },
    { name: "Orders that are not paid", at, lookedAt, found: [...unpaid, ...sparesIn(state)] },
    { name: "Open orders", at, lookedAt, found: open },
    { name: "Money on its way back", at, lookedAt, found: closing }
  ]
}

const checked = (name: string, at: string, found: ReadonlyArray<Loose>) =>
  Effect.map(Clock.currentTimeMillis, (lookedAt): LookedAt => ({ name, at, lookedAt, found }))

const actors = Effect.fnUntraced(function* (journal: string) {
  const holder = yield* Lease.holder(journal)
  const killed = yield* yield* KillFile.watch(journal)
  const who = holder === undefined ? "a bot that is started" : `the bot in process ${holder.pid}`
  const switchEntries = killed === undefined ? [{ id: "kill switch", text: `off: ${who} creates and pays` }] : []
  const looked = yield* checked("Can place and pay again", `${journal}.kill and .lease`, switchEntries)
  return { looked, isRunning: holder !== undefined }
})

/** Tokens give no access while no bot runs. */
const tokens = Effect.fnUntraced(function* (journal: string, isRunning: boolean) {
  const tokenEntries: Array<Loose> = []
  if (isRunning) {
    const file = Tokens.operatorFile(journal)
    const text = `commands the bot: stop it, and remove ${file} for a new one`
    if (yield* isThere(file)) tokenEntries.push({ id: "the operator's token", text })
    for (const { name, role } of yield* People.list(journal))
      if (role !== "viewer")
        tokenEntries.push({ id: name, text: `commands the bot as ${role}: limitbot people ${name} --revoke` })
  }
  const at = isRunning ? `${journal}.token and .people` : "no bot runs, so no token works"
  return yield* checked("Tokens that command", at, tokenEntries)
})

/** Lists payments that a signer process has signed for any caller, and those that an approval still lets it sign. */
const ofRecord = Effect.fnUntraced(function* (file: string, { assets }: JournalView) {
  const { record } = yield* SignerFile.load(file)
  const entries = yield* Record.readRecord(record)
  const lookedAt = yield* Clock.currentTimeMillis
  const byId = new Map([...assets.values()].map((asset) => [asset.id, asset]))
  const amountOf = ({ amount = "0", asset = "" }: Record.RecordEntry): string => {
    const assetOfId = byId.get(asset)
    return assetOfId === undefined
      ? `${amount} smallest units of ${asset}`
      : formatWithSymbol(BigInt(amount), assetOfId)
  }
  const looseOf = (text: string, entry: Record.RecordEntry, id = "", until?: number): Loose => {
    return { id, text, amount: amountOf(entry), ...present({ until }) }
  }
  const alive = Spending.aliveIn(entries, lookedAt).map((each) =>
    looseOf("signed for this address", each, each.depositAddress, each.until ?? each.validUntil)
  )
  const words = Spending.unusedApprovals(entries, lookedAt).map((each) =>
    looseOf("an approval of one payment", each, each.by, each.validUntil)
  )
  return [
    { name: "Payments that the signer signed, still valid", at: record, lookedAt, found: alive },
    { name: "Approvals that are not used yet", at: record, lookedAt, found: words }
  ] satisfies ReadonlyArray<LookedAt>
})

const ofVenue = Effect.fnUntraced(function* (file: string, state: BotState) {
  const { found } = yield* VenueAccess.look(file, (config, signerId) => VenueOrders.listed(config, signerId, state))
  return yield* checked(VenueOrders.name, found.at, found.found)
})

/** Lists public money of the account that a signed payment can still move. Empty if no source reports public money. */
const publicMoney = Effect.fnUntraced(function* (file: string, { assets }: JournalView) {
  const byId = new Map([...assets.values()].map((asset) => [asset.id, asset]))
  const { config, found } = yield* VenueAccess.look(file, () =>
    Venue.use(({ publicBalances }) => publicBalances([...byId.keys()]))
  )
  const { saltFrom } = config.venue.facts
  if (found === undefined || saltFrom === undefined) return []
  const verifierBalances = found.flatMap(({ available, tokenId }): ReadonlyArray<Loose> => {
    const asset = byId.get(tokenId)
    if (asset === undefined || available === 0n) return []
    const amount = formatWithSymbol(available, asset)
    return [{ id: asset.symbol, text: "in the account at the verifier", amount }]
  })
  return [yield* checked(publicName, saltFrom, verifierBalances)]
})
const publicName = "Public money that a signed payment can take"

const unseen = (name: string, at: string) => (error: { readonly message: string }) =>
  Effect.succeed<Looked>({ name, at, why: error.message })

const orUnseen = <E extends { readonly message: string }, R>(
  name: string,
  at: string,
  look: Effect.Effect<ReadonlyArray<LookedAt>, E, R>
) => Effect.catch(look, (error: E) => Effect.map(unseen(name, at)(error), (each): ReadonlyArray<Looked> => [each]))

export const aroundFile = Effect.fnUntraced(function* (file: string, state: BotState) {
  const { journal } = yield* ConfigFile.loadSettings(file)
  const { isRunning, looked } = yield* actors(journal)
  const commanding = yield* Effect.catch(tokens(journal, isRunning), unseen("Tokens that command", `${journal}.people`))
  const orders = Effect.catch(ofVenue(file, state), unseen(VenueOrders.name, "the venue"))
  return { commanding: [looked, commanding], orders }
})

/** The kill switch is on if the row of the account says so, and a runner that runs the account has recorded it. */
const switchOfAccount = Effect.fnUntraced(function* (
  { isOwned, owner, told, wanted }: FleetAccount,
  { killed }: Pick<BotState, "killed">
) {
  const isRun = isOwned && (told === undefined || told.failing === null)
  const who = isRun ? owner : "a runner that takes it"
  const switchEntries =
    wanted !== "killed"
      ? [{ id: "kill switch", text: `off: ${who} creates and pays` }]
      : isRun && killed === undefined
        ? [{ id: "kill switch", text: `on, but ${who} has not obeyed it yet` }]
        : []
  const at = "its row and its journal; anyone with a token of the fleet's page, or its database, can release it"
  return yield* checked("Can place and pay again", at, switchEntries)
})

const decodeWord = Schema.decodeUnknownOption(Schema.fromJsonString(AccountWord))

const waiting = Effect.fnUntraced(function* (words: ReadonlyArray<WaitingWord>) {
  const pendingCommands = words.flatMap(({ by, word }): ReadonlyArray<Loose> => {
    const command = decodeWord(word)
    return command._tag === "Some" && isLook(command.value) ? [] : [{ id: by, text: `sent, not done yet: ${word}` }]
  })
  const at = "the table limitbot_messages"
  return yield* checked("Commands not applied yet", at, pendingCommands)
})

export const aroundAccount = Effect.fnUntraced(function* <E extends { readonly message: string }>(
  row: FleetAccount,
  words: ReadonlyArray<WaitingWord>,
  state: BotState,
  listed: Effect.Effect<Extract<AccountAnswer, { readonly _tag: "Listed" }>, E>
) {
  const orders = listed.pipe(
    Effect.flatMap(({ at, found }): Effect.Effect<Looked> => checked(VenueOrders.name, at, found)),
    Effect.catch(unseen(VenueOrders.name, "the venue, by its owner"))
  )
  return { commanding: [yield* switchOfAccount(row, state), yield* waiting(words)], orders }
})

export const containment = Effect.fn("Looking.containment")(function* (signer: string | undefined) {
  const bot = yield* ChosenBot
  const file = yield* Effect.option(bot.file("the runner has the key"))
  const lists = yield* withJournal(
    Effect.fnUntraced(function* (view) {
      const { commanding, orders } = yield* bot.actors(view.state)
      const signed = yield* recordOrWhy(signer, view)
      const [unexpired, ...others] = journalLists(view)
      const isPayable = !isContained([unexpired, ...signed])
      const money =
        isPayable && Option.isSome(file) ? yield* orUnseen(publicName, "the ledger", publicMoney(file.value, view)) : []
      return [...commanding, unexpired, ...others, ...signed, ...money, yield* orders]
    })
  )
  const openText = openIn(lists)
  return {
    data: () => dataOf(lists),
    lines: () => linesOf(lists),
    exit: openText === undefined ? undefined : new PrintedFailure({ message: openText })
  } satisfies CommandAnswer
})

const recordOrWhy = Effect.fnUntraced(function* (signerFile: string | undefined, view: JournalView) {
  const name = "What the signer process signed"
  if (signerFile !== undefined) return yield* orUnseen(name, signerFile, ofRecord(signerFile, view))
  const { account } = yield* (yield* ChosenBot).settings
  if (account.signer === undefined) return []
  const why = "another process has the key: name its file with --signer, as a user who may read its record"
  return [{ name, at: "the signer's record", why }] satisfies ReadonlyArray<Looked>
})
