/**
 * Checks everything that `Containment` lists, in an order in which a later check can only know more: first the processes and people that
 * may act, then the journal, then the signer's record, and the venue last.
 */
import { Clock, Effect, Option, Schema } from "effect"
import * as People from "../../control/http/People.ts"
import * as Tokens from "../../control/http/Tokens.ts"
import { theOperator } from "../../control/Operator.ts"
import { formatWithSymbol } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import * as Lease from "../../journal/Lease.ts"
import { type CommandAnswer, PrintedFailure } from "../../process/Answer.ts"
import * as KillFile from "../../process/KillFile.ts"
import * as SignerFile from "../../signer/files/SignerFile.ts"
import * as Record from "../../signer/remote/Record.ts"
import * as Spending from "../../signer/remote/Spending.ts"
import { Venue } from "../../venue/Venue.ts"
import { AccountWord, isLook, NotHeard } from "../cluster/AccountWord.ts"
import * as AccountWords from "../journal/AccountWords.ts"
import { isThere, type JournalView, withJournal } from "../journal/JournalView.ts"
import { type AccountOfFleet, inRegistry, settingsOf, type WhichBot } from "../journal/WhichBot.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import { dataOf, isContained, type Looked, type LookedAt, type Loose, linesOf, openIn } from "./Containment.ts"
import * as JournalLists from "./JournalLists.ts"
import * as VenueOrders from "./VenueOrders.ts"

const now = Clock.currentTimeMillis

const actors = Effect.fnUntraced(function* (journal: string) {
  const holder = yield* Lease.holder(journal)
  const killed = yield* yield* KillFile.watch(journal)
  const who = holder === undefined ? "a bot that is started" : `the bot in process ${holder.pid}`
  const switchEntries = killed === undefined ? [{ id: "kill switch", text: `off: ${who} creates and pays` }] : []
  const looked: LookedAt = {
    name: "May begin anew",
    at: `${journal}.kill and .lease`,
    lookedAt: yield* now,
    found: switchEntries
  }
  return { looked, isRunning: holder !== undefined }
})

/** Tokens give no access while no bot runs. */
const tokens = Effect.fnUntraced(function* (journal: string, isRunning: boolean) {
  const tokenEntries: Array<Loose> = []
  if (isRunning) {
    const file = Tokens.operatorFile(journal)
    if (yield* isThere(file))
      tokenEntries.push({
        id: "the operator's token",
        text: `commands the bot: stop it, and remove ${file} for a new one`
      })
    for (const { name, role } of yield* People.list(journal))
      if (role !== "viewer")
        tokenEntries.push({ id: name, text: `commands the bot as ${role}: limitbot people ${name} --revoke` })
  }
  const at = isRunning ? `${journal}.token and .people` : "no bot runs, so no token works"
  return { name: "Tokens that command", at, lookedAt: yield* now, found: tokenEntries } satisfies LookedAt
})

/** Payments that a signer process has signed for any caller, and those that an approval still lets it sign. */
const ofRecord = Effect.fnUntraced(function* (file: string, { assets }: JournalView) {
  const { record } = yield* SignerFile.load(file)
  const entries = yield* Record.readRecord(record)
  const lookedAt = yield* now
  const byId = new Map([...assets.values()].map((asset) => [asset.id, asset]))
  const amountOf = ({ amount = "0", asset = "" }: Record.RecordEntry): string => {
    const assetOfId = byId.get(asset)
    return assetOfId === undefined
      ? `${amount} smallest units of ${asset}`
      : formatWithSymbol(BigInt(amount), assetOfId)
  }
  const alive = Spending.aliveIn(entries, lookedAt).map((each) => ({
    id: each.depositAddress ?? "",
    text: "signed for this address",
    amount: amountOf(each),
    ...present({ until: each.until ?? each.validUntil })
  }))
  const words = Spending.unspentWords(entries, lookedAt).map((each) => ({
    id: each.by ?? "",
    text: "an approval of one payment",
    amount: amountOf(each),
    ...present({ until: each.validUntil })
  }))
  return [
    { name: "Payments that the signer signed, still valid", at: record, lookedAt, found: alive },
    { name: "Approvals that are not used yet", at: record, lookedAt, found: words }
  ] satisfies ReadonlyArray<LookedAt>
})

const ofVenue = Effect.fnUntraced(function* (file: string, state: BotState) {
  const { found } = yield* VenueAccess.look(file, (config, signerId) => VenueOrders.listed(config, signerId, state))
  return { name: VenueOrders.name, lookedAt: yield* now, ...found } satisfies LookedAt
})

/** Public money of the account that a signed payment can still move; none if no source reports public money. */
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
  return [
    { name: publicName, at: saltFrom, lookedAt: yield* now, found: verifierBalances }
  ] satisfies ReadonlyArray<LookedAt>
})
const publicName = "Public money that a signed payment can take"

const unseen = (name: string, at: string) => (error: { readonly message: string }) =>
  Effect.succeed<Looked>({ name, at, why: error.message })

const orUnseen = <E extends { readonly message: string }, R>(
  name: string,
  at: string,
  look: Effect.Effect<ReadonlyArray<LookedAt>, E, R>
) => Effect.catch(look, (error: E) => Effect.map(unseen(name, at)(error), (each): ReadonlyArray<Looked> => [each]))

const aroundFile = Effect.fnUntraced(function* (file: string, { journal, state }: JournalView) {
  const { isRunning, looked } = yield* actors(journal)
  const commanding = yield* Effect.catch(tokens(journal, isRunning), unseen("Tokens that command", `${journal}.people`))
  return {
    before: [looked, commanding],
    after: Effect.catch(ofVenue(file, state), unseen(VenueOrders.name, "the venue"))
  }
})

/** An account counts as killed when its row and its journal say so. */
const actorsOfAccount = Effect.fn("Looking.actorsOfAccount")(function* (
  bot: AccountOfFleet,
  { killed }: Pick<BotState, "killed">
) {
  const { isOwned, owner, told, wanted } = yield* inRegistry(bot, (registry) => registry.one(bot.account))
  const isRun = isOwned && (told === undefined || told.failing === null)
  const who = isRun ? owner : "a runner that takes it"
  const switchEntries =
    wanted !== "killed"
      ? [{ id: "kill switch", text: `off: ${who} creates and pays` }]
      : isRun && killed === undefined
        ? [{ id: "kill switch", text: `on, but ${who} has not obeyed it yet` }]
        : []
  const at = "its row and its journal; anyone with a token of the fleet's page, or its database, can release it"
  const mayBegin: LookedAt = { name: "May begin anew", at, lookedAt: yield* now, found: switchEntries }
  return [mayBegin, yield* waiting(bot)]
})

const decodeWord = Schema.decodeUnknownOption(Schema.fromJsonString(AccountWord))

const waiting = Effect.fnUntraced(function* (bot: AccountOfFleet) {
  const words = yield* inRegistry(bot, (registry) => registry.waitingFor(bot.account))
  const pendingCommands = words.flatMap(({ by, word }): ReadonlyArray<Loose> => {
    const command = decodeWord(word)
    return command._tag === "Some" && isLook(command.value) ? [] : [{ id: by, text: `sent, not done yet: ${word}` }]
  })
  const at = "the table limitbot_messages"
  return { name: "Commands not applied yet", at, lookedAt: yield* now, found: pendingCommands } satisfies LookedAt
})

const venueOfAccount = Effect.fn("Looking.venueOfAccount")(function* (bot: AccountOfFleet) {
  const answer = yield* AccountWords.say(bot, theOperator, { _tag: "ListOrders" })
  if (answer._tag !== "Listed")
    return yield* new NotHeard({ message: `Its owner answered ${answer._tag} instead of its orders` })
  const { at, found } = answer
  return { name: VenueOrders.name, at, lookedAt: yield* now, found } satisfies LookedAt
})

const aroundAccount = Effect.fnUntraced(function* (bot: AccountOfFleet, { state }: JournalView) {
  const venue = Effect.catch(venueOfAccount(bot), unseen(VenueOrders.name, "the venue, by its owner"))
  return { before: yield* actorsOfAccount(bot, state), after: venue }
})

interface Asked {
  readonly bot: WhichBot
  readonly signer: Option.Option<string>
}

export const answerOf = Effect.fn("Looking.found")(function* ({ bot, signer }: Asked) {
  const lists = yield* withJournal(
    bot,
    Effect.fnUntraced(function* (view) {
      const { after, before } = yield* typeof bot === "string" ? aroundFile(bot, view) : aroundAccount(bot, view)
      const signed = yield* recordOrWhy(bot, Option.getOrUndefined(signer), view)
      const [payments, ...others] = JournalLists.of(view)
      const isPayable = !isContained([payments, ...signed])
      const money =
        isPayable && typeof bot === "string" ? yield* orUnseen(publicName, "the ledger", publicMoney(bot, view)) : []
      return [...before, payments, ...others, ...signed, ...money, yield* after]
    })
  )
  const openText = openIn(lists)
  return {
    data: () => dataOf(lists),
    lines: () => linesOf(lists),
    exit: openText === undefined ? undefined : new PrintedFailure({ message: openText })
  } satisfies CommandAnswer
})

const recordOrWhy = Effect.fnUntraced(function* (bot: WhichBot, signerFile: string | undefined, view: JournalView) {
  const name = "What the signer process signed"
  if (signerFile !== undefined) return yield* orUnseen(name, signerFile, ofRecord(signerFile, view))
  const { account } = yield* settingsOf(bot)
  if (account.signer === undefined) return []
  const why = "another process has the key: name its file with --signer, as a user who may read its record"
  return [{ name, at: "the signer's record", why }] satisfies ReadonlyArray<Looked>
})
