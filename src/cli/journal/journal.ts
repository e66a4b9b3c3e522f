/** `limitbot journal WHAT`: verifies, compacts, archives and copies the journal, restores a copy, or rebuilds a lost journal. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ChosenBot } from "../../app/journal/ChosenBot.ts"
import * as JournalFile from "../../app/journal/JournalFile.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

const whats = ["verify", "compact", "archive", "backup", "restore", "recover"] as const

export const command = Command.make(
  "journal",
  {
    what: Argument.Literals("what", whats).pipe(
      Argument.withDescription(
        "verify: no event was changed, removed or put in between. compact: give back unused space. archive: move old events into a verified file beside the journal, which is read as before. backup: copy it into FILE, even while the bot runs. restore: take up FILE as the journal, after verifying it. recover: rebuild a lost journal from what the venue can prove, with the strategy files that ran"
      )
    ),
    files: flags
      .fileArgument(
        "file",
        "backup: the copy, which must not exist yet. restore: such a copy. recover: the strategy files that ran; without them no order continues in a slot"
      )
      .pipe(Argument.variadic()),
    bot: WhichBot.flags,
    head: flags.text("head", "verify: an earlier hash of this journal, which must still be in its chain"),
    before: flags.text("before", "archive: a date in UTC, such as 2026-01-31: older events are archived"),
    move: flags.toggle("move", "backup: the bot moves elsewhere, and this journal is closed for good"),
    beside: flags
      .fileFlag(
        "beside",
        "recover: the journal of another bot on the same account, whose orders are not touched; may be repeated"
      )
      .pipe(Flag.atLeast(0)),
    json: flags.json
  },
  Effect.fn(function* ({ before, beside, files, head, move, what }) {
    const [file, ...more] = files
    const usage = (message: string) => wrongUsage(`journal ${what} ${message}`)
    const misplaced = [
      ...(head !== undefined && what !== "verify" ? ["--head"] : []),
      ...(before !== undefined && what !== "archive" ? ["--before"] : []),
      ...(move && what !== "backup" ? ["--move"] : []),
      ...(beside.length > 0 && what !== "recover" ? ["--beside"] : [])
    ]
    if (misplaced.length > 0) return yield* usage(`takes no ${misplaced.join(" and no ")}`)
    if (what === "verify" && file === undefined) return yield* JournalFile.verify(head === undefined ? [] : [head])
    if (what === "archive" && file === undefined && before !== undefined) return yield* JournalFile.archive(before)
    const bot = yield* ChosenBot
    const config = yield* bot.file(`journal ${what} is not for an account of a fleet`)
    if (what === "recover") {
      const { rebuilt } = yield* Effect.promise(() => import("../../app/reconcile/Rebuilding.ts"))
      return yield* rebuilt({ files, beside, config })
    }
    if (what === "backup" || what === "restore") {
      if (file === undefined || more.length > 0) return yield* usage("takes one FILE")
      return yield* what === "backup" ? JournalFile.backup(config, file, move) : JournalFile.restore(config, file)
    }
    if (file !== undefined) return yield* usage("takes no file")
    return yield* what === "archive" ? usage("needs --before DATE") : JournalFile.compact(config)
  }, Answer.print)
).pipe(
  WhichBot.ofBot,
  flags.help(
    "Verify, compact, archive, back up and restore the journal, or rebuild a lost one; the bot may run only for verify and backup",
    {
      "limitbot journal verify": "Prints the hash of the newest event",
      "limitbot journal archive --before 2026-01-31": "Older events go into a separate file",
      "limitbot journal backup copy.sqlite": "Even while the bot runs",
      "limitbot journal recover strategies/*.yaml": "After the journal was lost"
    }
  )
)
