/** `limitbot replay`: makes every recorded decision again, with the files of that time or with an edited one. */
import { Command, Flag } from "effect/cli"
import { replayed } from "../../lab/replay/Replaying.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "replay",
  {
    config: flags.config,
    journal: flags.file("journal", "A journal or a copy of one; default: that of the configuration"),
    with: flags.textFlag("with", "A strategy file that replaces the one of the same name").pipe(Flag.between(0, 20)),
    certificate: flags.toggle("certificate", "Fail unless every decision follows from the files of that time"),
    json: flags.json
  },
  Answer.printAnswerOf(replayed)
).pipe(
  flags.help("Run every recorded decision again and compare", {
    "limitbot replay --certificate": "The daily proof that the bot followed its files",
    "limitbot replay --with strategies/grid.yaml": "The decisions of an edited file"
  })
)
