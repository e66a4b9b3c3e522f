/**
 * An operator speaks to an account of a fleet, and hears what its owner answers. The account's journal has one writer, so a word never goes past it:
 * it waits in the database until the owner takes it up, which does what a bot of its own does at the same word. After a crash in
 * between the next owner does it again, so what words do is the same when it is done twice.
 */
import { Effect } from "effect"
import { Registry } from "../../journal/postgres/Registry.ts"
import { type AccountWord, NotHeard } from "../cluster/AccountWord.ts"
import { type AccountOfFleet, fleetDatabase, NoSuchAccount } from "./WhichBot.ts"

/** Loaded with the first command: no other code path needs the cluster. */
export const speaking = Effect.promise(() => import("../cluster/Account.ts"))

export const say = Effect.fn("AccountWords.say")(function* (bot: AccountOfFleet, by: string, word: AccountWord) {
  return yield* saidTo(bot.account, by, word).pipe(Effect.provide(fleetDatabase(bot.database)))
})

export const saidTo = Effect.fn("AccountWords.saidTo")(function* (account: string, by: string, word: AccountWord) {
  const { one } = yield* Registry
  if ((yield* one(account)) === undefined) return yield* new NoSuchAccount({ account })
  const answer = yield* (yield* speaking).say(account, by, word)
  return answer._tag === "Refused" ? yield* new NotHeard({ message: answer.message }) : answer
})
