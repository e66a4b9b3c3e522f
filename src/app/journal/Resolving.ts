/** Delivers the operator's answer: to the running bot, to a file that a hanging bot reads later, or to the journal if no bot runs. */
import { Clock, Effect, FileSystem, Option, Path, Schema } from "effect"
import { operatorWords } from "../../control/api/OperatorCommands.ts"
import { noteAnswer } from "../../control/Operator.ts"
import { present } from "../../domain/Present.ts"
import * as Problems from "../../engine/funding/Problems.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as Lease from "../../journal/Lease.ts"
import * as WholeFile from "../../journal/WholeFile.ts"
import * as Layers from "../../Layers.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import { Process } from "../../process/Process.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { commandFailed } from "../CommandFailed.ts"
import { operatorAnswer } from "../cluster/AccountWord.ts"
import { ChosenBot } from "./ChosenBot.ts"
import type { JournalView } from "./JournalView.ts"

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
  yield* Effect.mapError(Effect.fromResult(Problems.resolve(state, answer, now)), commandFailed)
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
  const file = yield* putAnswer(journal, answer)
  const until = (yield* Clock.currentTimeMillis) + patienceMillis
  while (yield* fileSystem.exists(file)) {
    if ((yield* Clock.currentTimeMillis) > until) {
      const message = `The running bot (process ${pid}) has not applied it yet; it will at its next turn or start`
      return yield* commandFailed(message)
    }
    yield* Effect.sleep(lookMillis)
  }
  return "bot" as const
})

/**
 * An answer to a running bot that cannot be reached: a file beside the journal, which has only one writer. The bot records the answer, then
 * removes the file. After a crash in between it finds the answer settled.
 */
const Said = Schema.fromJsonString(Schema.Struct(operatorAnswer))

const infix = ".resolve."

export const putAnswer = Effect.fn("ResolveFile.put")(function* (journal: string, answer: Problems.OperatorAnswer) {
  const name = `${journal}${infix}${answer.placement}`
  yield* WholeFile.writeAtomically(name, Schema.encodeSync(Said)(answer))
  return name
})

/** Passes each waiting answer to `note`, then removes its file. A folder or file that cannot be read now counts as empty. */
export const takeUpAnswers = Effect.fn("ResolveFile.takeUp")(function* <E, R>(
  journal: string,
  note: (answer: Problems.OperatorAnswer) => Effect.Effect<void, E, R>
) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(journal)
  const names = yield* fileSystem.readDirectory(folder).pipe(Effect.orElseSucceed(() => []))
  const commandFiles = names.filter(
    (name) => name.startsWith(`${path.basename(journal)}${infix}`) && !name.endsWith(".new")
  )
  for (const name of commandFiles) {
    const file = path.join(folder, name)
    const text = yield* fileSystem.readFileString(file).pipe(Effect.option)
    if (Option.isNone(text)) continue
    const answer = Schema.decodeUnknownOption(Said)(text.value)
    if (Option.isSome(answer)) yield* note(answer.value)
    yield* Effect.ignore(fileSystem.remove(file, { force: true }))
  }
})
