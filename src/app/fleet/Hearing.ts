/** Takes what operators said to the accounts of this runner to their bots, and writes the answers. */
import { Effect, Schema } from "effect"
import { type WaitingWord, Words } from "../../journal/postgres/Words.ts"
import { AnswerText, WordText } from "../journal/AccountWords.ts"
import type * as AccountBot from "./AccountBot.ts"

const lookMillis = 1_000
/** Whoever comes first deletes old answers for all. */
const forgetMillis = 3_600_000
/** Answered at once: a comparison with the venue takes seconds, and others do not wait for it. */
const mostTogether = 8

const decode = Schema.decodeUnknownEffect(WordText)
const encode = Schema.encodeSync(AnswerText)

/** For ever. A word for an account that is still starting waits for it. */
export const listen = Effect.fn("Hearing.listen")(function* (
  runner: string,
  botOf: (account: string) => AccountBot.AccountBot | undefined
) {
  const words = yield* Words

  const hear = Effect.fnUntraced(function* ({ account, by, id, word }: WaitingWord) {
    const bot = botOf(account)
    if (bot === undefined) return
    const answer = yield* decode(word).pipe(
      Effect.flatMap((word) => bot.hear(by, word)),
      Effect.catch(({ message }) => Effect.succeed({ _tag: "Refused" as const, message }))
    )
    yield* words.answer(id, encode(answer))
  })

  const look = Effect.gen(function* () {
    const waiting = yield* words.waiting(runner)
    // Those of one account in their order.
    const byAccount = [...Map.groupBy(waiting, ({ account }) => account).values()]
    yield* Effect.forEach(byAccount, (those) => Effect.forEach(those, hear, { discard: true }), {
      concurrency: mostTogether,
      discard: true
    })
  })
  // A database that is away is told of by whoever beats.
  const again = <A, E>(what: Effect.Effect<A, E>, millis: number) =>
    Effect.forever(Effect.andThen(Effect.ignore(what), Effect.sleep(millis)))
  yield* Effect.all([again(look, lookMillis), again(words.forgetAnswered, forgetMillis)], {
    concurrency: 2,
    discard: true
  })
})
