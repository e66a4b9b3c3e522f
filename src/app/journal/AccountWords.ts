/**
 * Sends an operator's command to the owner of an account and returns the answer. The command waits in the database, because the journal has
 * one writer. After a crash the next owner takes it again, so applying it twice has the same effect.
 */
import { Effect } from "effect"
import { Registry } from "../../journal/postgres/Registry.ts"
import { commandFailed } from "../CommandFailed.ts"
import type { AccountWord } from "../cluster/AccountWord.ts"

export const noSuchAccount = (account: string) =>
  commandFailed(`No account ${account} in this fleet. limitbot fleet lists them.`)

/** Loaded with the first command, because nothing else needs the cluster. */
export const speaking = Effect.promise(() => import("../cluster/Account.ts"))

export const say = Effect.fn("AccountWords.say")(function* (account: string, by: string, word: AccountWord) {
  const { one } = yield* Registry
  if ((yield* one(account)) === undefined) return yield* noSuchAccount(account)
  const answer = yield* (yield* speaking).say(account, by, word)
  return answer._tag === "Refused" ? yield* commandFailed(answer.message) : answer
})
