/**
 * Sends an operator's command to an account of a fleet, and returns its owner's answer. A command waits in the database until the owner
 * takes it, because the account's journal has one writer. After a crash the next owner takes the command again, so each one has the same
 * effect if it is applied twice.
 */
import { Effect, Schema } from "effect"
import { Registry } from "../../journal/postgres/Registry.ts"
import { type AccountWord, NotHeard } from "../cluster/AccountWord.ts"

export class NoSuchAccount extends Schema.TaggedError<NoSuchAccount>()("NoSuchAccount", { account: Schema.String }) {
  override get message(): string {
    return `No account ${this.account} in this fleet. limitbot fleet lists them.`
  }
}

/** Loaded with the first command, because nothing else needs the cluster. */
export const speaking = Effect.promise(() => import("../cluster/Account.ts"))

export const say = Effect.fn("AccountWords.say")(function* (account: string, by: string, word: AccountWord) {
  const { one } = yield* Registry
  if ((yield* one(account)) === undefined) return yield* new NoSuchAccount({ account })
  const answer = yield* (yield* speaking).say(account, by, word)
  return answer._tag === "Refused" ? yield* new NotHeard({ message: answer.message }) : answer
})
