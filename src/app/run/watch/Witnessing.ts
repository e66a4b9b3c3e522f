/**
 * Reports the journal's progress to an outside witness at intervals, and at the start asks it for the last report. That reveals an old copy
 * of the journal that was put back with all files beside it: the witness knows more events, or others. Then nothing is paid until a person
 * decides, and the witness gets no report that would hide it. A silent witness is reported once and tried again; it blocks nothing.
 */
import { Cause, Clock, Effect, Exit, FileSystem } from "effect"
import { Mailer } from "../../../control/notify/email.ts"
import { monotonicMillis } from "../../../domain/Durations.ts"
import { messageOf } from "../../../domain/Text.ts"
import * as Timestamp from "../../../domain/Timestamp.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import type * as ConfigFile from "../../../files/ConfigFile.ts"
import type { WitnessPlace } from "../../../files/sections/WitnessSection.ts"
import * as Head from "../../../journal/Head.ts"
import * as Sqlite from "../../../journal/Sqlite.ts"
import * as JournalTree from "../../../journal/tree/JournalTree.ts"
import * as Merkle from "../../../journal/tree/Merkle.ts"
import * as Layers from "../../../Layers.ts"
import * as Checkpoint from "../../../signing/Checkpoint.ts"
import * as Witness from "../../journal/Witness.ts"

export interface Witnessing {
  readonly config: ConfigFile.BotConfig
  readonly signerId: string
  readonly terms: WitnessPlace
}

/** Asks the witness, and returns the effect that keeps it informed. */
export const begin = Effect.fn("Witnessing.begin")(function* ({ config, signerId, terms }: Witnessing) {
  const books = yield* Bookkeeper
  const fileSystem = yield* FileSystem.FileSystem
  const reading = Sqlite.layer({ filename: config.journal, readOnly: true })
  const tree = Merkle.make()
  let [isCompared, isSilent, told] = [false, false, 0]
  let newest: string | undefined
  let mailedAt = Number.NEGATIVE_INFINITY
  const mailboxes = config.notify.flatMap(({ mailbox, secret, url }) =>
    mailbox === undefined ? [] : [{ mailbox, secret, url }]
  )

  const lastTold = Witness.last(terms, signerId, config)
  const judge = Effect.fnUntraced(function* ({ at, head, size }: NonNullable<Effect.Success<typeof lastTold>>) {
    const mistake = yield* Head.mistakeBy({ ...Head.none, read: Effect.succeed({ sequence: size, hash: head }) })
    if (mistake === undefined) return
    const text = `${mistake.text}, as it signed at ${Timestamp.format(at)}`
    yield* books.record({ _tag: "WitnessDisagreed", size, head, text })
  })
  const compare = Effect.gen(function* () {
    const last = yield* lastTold
    if (last !== undefined && last.head !== books.state.witnessed?.head) yield* judge(last)
    // Only now: a comparison that fails halfway is made again before the witness is told anything.
    isCompared = true
  }).pipe(Effect.provide(reading))

  const tell = Effect.gen(function* () {
    yield* JournalTree.grow(tree)
    const { head, size } = tree
    if (size === told) return
    const at = yield* Clock.currentTimeMillis
    const note = yield* Checkpoint.signed({ account: signerId, size, root: Merkle.rootOf(tree), head, at })
    yield* Witness.tell(terms, note)
    told = size
    newest = note
  }).pipe(Effect.provide(reading), Effect.provide(Layers.signerLayer(config.account)))

  const mail = Effect.gen(function* () {
    const now = yield* monotonicMillis
    if (newest === undefined || terms.mailMillis === undefined || now - mailedAt < terms.mailMillis) return
    const [send, note] = [yield* Mailer, newest]
    for (const { mailbox, secret, url } of mailboxes)
      yield* send(url, mailbox, secret, `limitbot: a checkpoint of ${signerId}`, note).pipe(
        Effect.mapError(({ reason }) => Witness.silent("by e-mail", reason))
      )
    mailedAt = now
    newest = undefined
  })

  const mayTell = () => isCompared && books.state.witnessed?.isAccepted !== false
  const trackSilence = Effect.fnUntraced(function* <E, R>(step: Effect.Effect<void, E, R>) {
    const exit = yield* Effect.exit(step)
    if (Exit.isFailure(exit)) {
      const { cause } = exit
      if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
      if (!isSilent)
        yield* books.record({ _tag: "LoopFailed", what: "the witness", reason: messageOf(Cause.squash(cause)) })
    }
    isSilent = Exit.isFailure(exit)
  })

  const turn = Effect.gen(function* () {
    if (!isCompared) yield* compare
    if (mayTell()) yield* Effect.andThen(tell, mail)
  })
  // Under the kill switch nothing is paid anyway, and cancelling must not wait.
  if (books.state.killed === undefined) yield* trackSilence(compare)
  return Effect.forever(Effect.andThen(trackSilence(turn), Effect.sleep(terms.everyMillis))).pipe(
    Effect.provideService(FileSystem.FileSystem, fileSystem)
  )
})
