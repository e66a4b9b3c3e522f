/** `limitbot status`: slots, orders and money as the journal has them, whether or not the bot runs, and who runs it. */
import { Effect } from "effect"
import { age } from "../../domain/Words.ts"
import * as Lease from "../../journal/Lease.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import * as KillFile from "../../process/KillFile.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { Terminal } from "../../process/Terminal.ts"
import * as StoredProfit from "../../views/profit/StoredProfit.ts"
import { journalStatus } from "../../views/Status.ts"
import * as StatusText from "../../views/screen/StatusText.ts"
import * as DashboardPage from "../control/DashboardPage.ts"
import { withJournal } from "../journal/JournalView.ts"
import { type AccountOfFleet, inRegistry, type WhichBot } from "../journal/WhichBot.ts"
import { newestPrices } from "../money/NewestPrices.ts"

/** Only the running bot knows this; one that does not answer at once is not waited for. */
const seenByBot = (journal: string) =>
  RunningBot.ask(journal, (api) => api.look.status(), "viewer", 1_000).pipe(
    Effect.map(({ seenAfter }) => seenAfter),
    Effect.orElseSucceed(() => undefined)
  )

const standingOfFile = Effect.fnUntraced(function* (journal: string, now: number) {
  const holder = yield* Lease.holder(journal)
  const running = holder && `running as process ${holder.pid} for ${age(now - holder.since)}`
  return { running, pid: holder?.pid, killSwitch: yield* Effect.flatten(KillFile.watch(journal)) }
})

const standingInFleet = Effect.fnUntraced(function* (bot: AccountOfFleet) {
  const { isOwned, owner, wanted, why } = yield* inRegistry(bot, (registry) => registry.one(bot.account))
  return {
    running: isOwned ? `running on ${owner}` : undefined,
    pid: undefined,
    killSwitch: wanted === "killed" ? why : undefined
  }
})

export const journalStatusOf = (bot: WhichBot) =>
  withJournal(
    bot,
    Effect.fnUntraced(function* (journal) {
      const stored = yield* StoredProfit.present
      const lastPrices = yield* newestPrices(stored.books.lastPrices, journal)
      const trading = { ...stored, books: { ...stored.books, lastPrices } }
      const { killSwitch, pid, running } = yield* typeof bot === "string"
        ? standingOfFile(journal.journal, journal.now)
        : standingInFleet(bot)
      const dashboard = yield* RunningBot.addressOf(journal.journal)
      const seenAfter = dashboard === undefined ? undefined : yield* seenByBot(journal.journal)
      const facts = { ...journal, trading, runningPid: pid, killSwitch, dashboard, seenAfter }
      const page = dashboard === undefined ? undefined : yield* DashboardPage.line(journal.journal, dashboard)
      const { colours } = yield* Terminal
      return {
        data: () => journalStatus(facts),
        lines: () => StatusText.screen(facts, running, { colours, page })
      } satisfies CommandAnswer
    })
  )
