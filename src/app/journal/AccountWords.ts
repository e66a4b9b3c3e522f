/**
 * What an operator says to an account of a fleet, and what its owner answers. The journal of the account has one writer, so a word never
 * goes past it: it waits in the database until the owner takes it up, which does what a bot of its own does at the same word.
 */
import { Clock, Effect, Schema } from "effect"
import { commandNames } from "../../control/api/OperatorCommands.ts"
import { Amount } from "../../domain/EventValues.ts"
import { Words } from "../../journal/postgres/Words.ts"
import { Word as Resolution } from "../../views/Problems.ts"
import { Reconciliation } from "../../views/Reconciliation.ts"
import { type AccountOfFleet, fleetDatabase, NoSuchAccount } from "./WhichBot.ts"

const Text = Schema.String
const optional = Schema.optionalKey(Text)

const AccountWord = Schema.TaggedUnion({
  Command: { name: Schema.Literals(commandNames), target: optional, why: optional },
  Resolve: { placement: Text, word: Resolution, text: Text, received: Schema.optionalKey(Amount) },
  /** `acceptBalances`: a person says that they are right as they are. */
  Reconcile: { acceptBalances: Schema.optionalKey(Schema.Boolean) },
  /** What the venue lists of it that is not over. */
  ListOrders: {}
})
export type AccountWord = typeof AccountWord.Type

const ListedOrder = Schema.Struct({ id: Text, text: Text, amount: optional, until: Schema.optionalKey(Schema.Finite) })

const AccountAnswer = Schema.TaggedUnion({
  Done: { message: Text },
  /** Nothing has changed. */
  Refused: { message: Text },
  Reconciled: { found: Reconciliation },
  Listed: { at: Text, found: Schema.Array(ListedOrder) }
})
export type AccountAnswer = typeof AccountAnswer.Type

/** It changes nothing, whenever it is taken up. */
export const isLook = (word: AccountWord): boolean =>
  word._tag === "ListOrders" || (word._tag === "Reconcile" && word.acceptBalances !== true)

export const WordText = Schema.fromJsonString(AccountWord)
export const AnswerText = Schema.fromJsonString(AccountAnswer)
const encodeWord = Schema.encodeSync(WordText)
const decodeAnswer = Schema.decodeUnknownEffect(AnswerText)

/** The owner refused it, or nobody has taken it up. */
export class NotHeard extends Schema.TaggedError<NotHeard>()("NotHeard", { message: Text }) {}

/** Owners look every second; a comparison with the venue takes longer. */
const patienceMillis = { Command: 15_000, Resolve: 15_000, Reconcile: 120_000, ListOrders: 25_000 } as const
const lookMillis = 200

/** Says it, and waits for the answer of the account's owner. */
export const say = Effect.fn("AccountWords.say")(function* (bot: AccountOfFleet, by: string, word: AccountWord) {
  return yield* saidTo(bot.account, by, word).pipe(Effect.provide(fleetDatabase(bot.database)))
})

export const saidTo = Effect.fn("AccountWords.saidTo")(function* (account: string, by: string, word: AccountWord) {
  const words = yield* Words
  const id = yield* words.say(account, by, encodeWord(word))
  if (id === undefined) return yield* new NoSuchAccount({ account })
  const until = (yield* Clock.currentTimeMillis) + patienceMillis[word._tag]
  for (;;) {
    const text = yield* words.answerOf(id)
    if (text !== undefined) {
      const answer = yield* decodeAnswer(text)
      return answer._tag === "Refused" ? yield* new NotHeard({ message: answer.message }) : answer
    }
    if ((yield* Clock.currentTimeMillis) > until)
      return yield* new NotHeard({
        message: `Nobody who runs ${account} has taken it up yet; whoever does will (limitbot fleet status)`
      })
    yield* Effect.sleep(lookMillis)
  }
})
