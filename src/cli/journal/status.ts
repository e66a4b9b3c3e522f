/** `limitbot status`: slots, orders and money as the journal has them, whether or not the bot runs. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as DashboardPage from "../../app/control/DashboardPage.ts"
import { ChosenBot } from "../../app/journal/ChosenBot.ts"
import { withJournal } from "../../app/journal/JournalView.ts"
import { journalStatusNow, watch as watching } from "../../app/status/JournalStatus.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

export const command = Command.make(
  "status",
  {
    watch: flags.toggle("watch", "Keep showing it, with the live stream of the running bot"),
    dashboard: flags.toggle(
      "dashboard",
      "Only the address of the running bot's page, on a terminal with the token that opens it"
    ),
    forMillis: flags.forDuration,
    bot: WhichBot.flags,
    json: flags.json
  },
  Effect.fn(function* ({ dashboard, forMillis, json, watch }) {
    if (watch && dashboard) return yield* wrongUsage("--watch and --dashboard exclude each other")
    if (watch && json) return yield* wrongUsage("--watch is for people; `events --follow --json` for programs")
    const { file } = yield* ChosenBot
    if (dashboard) {
      const config = yield* file("An account of a fleet has no page: limitbot fleet dashboard")
      return yield* Answer.print(DashboardPage.pageOf(config), { json })
    }
    if (!watch) return yield* Answer.print(journalStatusNow, { json })
    yield* file("--watch needs a standalone bot: an account of a fleet has no live stream")
    yield* withJournal((view) => watching(view, forMillis))
  })
).pipe(WhichBot.ofBot, flags.help("Show slots, orders and money from the journal"))
