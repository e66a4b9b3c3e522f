/** `limitbot journal …`: check it, make it smaller, copy it while the bot runs, take over a copy. */
import { Argument, Command, Flag } from "effect/cli"
import * as JournalFile from "../../app/journal/JournalFile.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

const verify = Command.make(
  "verify",
  {
    bot: WhichBot.flags,
    head: flags.text("head", "A hash that this journal had: says whether it still goes back to it"),
    json: flags.json
  },
  Answer.printAnswerOf(WhichBot.withBot(JournalFile.verify))
).pipe(help("Check that no event was changed, removed or put in between"))

const compact = Command.make(
  "compact",
  { config: flags.config, json: flags.json },
  Answer.printAnswerOf(JournalFile.compact)
).pipe(
  help(
    "Give back unused space of the file, and keep what its events come to for a fast start; events and chain stay. The bot must not run"
  )
)

const archive = Command.make(
  "archive",
  {
    before: Flag.String("before").pipe(
      Flag.withDescription("A date in UTC, such as 2026-01-31: older events are archived")
    ),
    bot: WhichBot.flags,
    json: flags.json
  },
  Answer.printAnswerOf(WhichBot.withBot(JournalFile.archive))
).pipe(help("Move old events into a verified file beside the journal, which is read as before. The bot must not run"))

const backup = Command.make(
  "backup",
  {
    out: flags.fileArgument("file").pipe(Argument.withDescription("The copy; must not exist yet")),
    config: flags.config,
    move: flags.toggle("move", "The bot goes on elsewhere: this journal is closed for good. The bot must not run"),
    json: flags.json
  },
  Answer.printAnswerOf(JournalFile.backup)
).pipe(help("Copy the journal, even while the bot runs; --move hands it over to another machine"))

const restore = Command.make(
  "restore",
  {
    from: flags.fileArgument("file").pipe(Argument.withDescription("A copy that `journal backup` made")),
    config: flags.config,
    json: flags.json
  },
  Answer.printAnswerOf(JournalFile.restore)
).pipe(help("Take up a copy as the journal of this configuration, after verifying it"))

export const command = Command.make("journal").pipe(
  Command.withDescription("Verify, compact, archive, back up and restore the journal"),
  Command.withSubcommands([verify, compact, archive, backup, restore])
)
