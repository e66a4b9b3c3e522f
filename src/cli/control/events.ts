/** `limitbot events`: the events of the journal, newest last; with `--follow` also new ones. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { ChosenBot } from "../../app/journal/ChosenBot.ts"
import * as EventLog from "../../app/journal/EventLog.ts"
import { requestedOrAfter } from "../../process/Stop.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

export const command = Command.make(
  "events",
  {
    search: flags
      .textFlag("search", "Text that the sentence, the slot or the kind of event must contain")
      .pipe(Flag.withDefault("")),
    limit: flags.integerIn("limit", 0).pipe(Flag.withDescription("Number of past events"), Flag.withDefault(50)),
    follow: flags
      .toggle("follow", "Continue with new events of the running bot; needs its control server")
      .pipe(Flag.withAlias("f")),
    forMillis: flags.forDuration,
    bot: WhichBot.flags,
    json: flags.json
  },
  Effect.fn(function* ({ follow, forMillis, ...shown }) {
    const { file } = yield* ChosenBot
    if (follow) yield* file("--follow needs a standalone bot: an account of a fleet has no live stream")
    const past = yield* EventLog.printPast(shown)
    if (follow) yield* Effect.raceFirst(EventLog.follow(past, shown), requestedOrAfter(forMillis))
  })
).pipe(
  WhichBot.ofBot,
  flags.help("Show what happened, newest last, and follow a running bot", {
    "limitbot events --follow --search fill": "Fills as they happen"
  })
)
