/** Delivers the operator's answer: to the running bot, to a file that a hanging bot reads later, or to the journal if no bot runs. */
import { Clock, Effect, FileSystem, Schema } from "effect"
import { operatorWords } from "../../control/api/OperatorCommands.ts"
import { noteAnswer } from "../../control/Operator.ts"
import { present } from "../../domain/Present.ts"
import * as Problems from "../../engine/funding/Problems.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Layers from "../../Layers.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import { Process } from "../../process/Process.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { ChosenBot } from "./ChosenBot.ts"
import type { JournalView } from "./JournalView.ts"
import * as ResolveFile from "./ResolveFile.ts"

export class NotResolved extends Schema.TaggedError<NotResolved>()("NotResolved", { message: Schema.String }) {}

const patienceMillis = 15_000

const lookMillis = 200

const answerMillis = 5_000

type View = Pick<JournalView, "journal" | "now" | "state">

export const settle = Effect.fnUntraced(function* (view: View, answer: Problems.OperatorAnswer) {
  const { placement, word } = answer
  const by = yield* deliver(view, answer)
  const text = `${placement}: taken as ${operatorWords[word].taken}`
  return {
    data: () => ({ resolved: placement, word, by }),
    lines: () => [by === "bot" ? `${text}, by the running bot` : text]
  } satisfies CommandAnswer
})

export const deliver = Effect.fnUntraced(function* ({ journal, now, state }: View, answer: Problems.OperatorAnswer) {
  yield* Effect.mapError(
    Effect.fromResult(Problems.resolve(state, answer, now)),
    (message) => new NotResolved({ message })
  )
  const { resolve } = yield* ChosenBot
  return yield* resolve(journal, answer)
})

/** Gives the answer to the bot of this journal on this machine, or writes it into the journal if none runs. */
export const carry = Effect.fnUntraced(function* (journal: string, answer: Problems.OperatorAnswer) {
  const holder = yield* Lease.holder(journal)
  if (holder === undefined) return yield* write(journal, answer)
  return (yield* say(journal, answer)) ? "bot" : yield* handOver(journal, answer, holder)
})

const write = Effect.fnUntraced(function* (journal: string, answer: Problems.OperatorAnswer) {
  const { pid } = yield* Process
  yield* Bookkeeper.use((books) => noteAnswer(answer, books)).pipe(Effect.provide(Layers.books(journal, pid)))
  return "journal" as const
})

const say = (journal: string, { placement, received, text: why, word }: Problems.OperatorAnswer) =>
  RunningBot.ask(journal, (api) =>
    api.command.resolve({ payload: { placement, word, why, ...present({ received }) } })
  ).pipe(
    Effect.timeout(answerMillis),
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )

/** Reaches even a bot that hangs: writes a file that the bot reads at its next turn. */
const handOver = Effect.fnUntraced(function* (journal: string, answer: Problems.OperatorAnswer, { pid }: Lease.Holder) {
  const fileSystem = yield* FileSystem.FileSystem
  const file = yield* ResolveFile.put(journal, answer)
  const until = (yield* Clock.currentTimeMillis) + patienceMillis
  while (yield* fileSystem.exists(file)) {
    if ((yield* Clock.currentTimeMillis) > until) {
      const message = `The running bot (process ${pid}) has not applied it yet; it will at its next turn or start`
      return yield* new NotResolved({ message })
    }
    yield* Effect.sleep(lookMillis)
  }
  return "bot" as const
})
