/**
 * `limitbot evidence ORDER --out FILE`: one file with all that is known of an order, ready for a support ticket. With `--proof FILE`
 * one that others can verify.
 */
import { Argument, Command, Flag } from "effect/cli"
import { write } from "../../app/money/EvidenceFile.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "evidence",
  {
    order: Argument.String("order").pipe(
      Argument.withDescription("The venue's order id, its deposit address, an intent hash, or our placement (p7)")
    ),
    bot: WhichBot.flags,
    out: flags.fileFlag("out").pipe(Flag.withDescription("The file to write; must not exist yet"), Flag.optional),
    proof: flags
      .fileFlag("proof")
      .pipe(
        Flag.withDescription(
          "A further file, or the only one: its deposits, fills and payouts, to be verified by others with deploy/verify.mjs"
        ),
        Flag.optional
      ),
    offline: flags.toggle("offline", "Only what the journal has; default: the venue and its history are asked as well")
  },
  WhichBot.withBot(write)
).pipe(help("Write all that is known of an order into one file, for a support ticket"))
