/** `limitbot status`: slots, orders and money as the journal has them, whether or not the bot runs. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as DashboardPage from "../../app/control/DashboardPage.ts"
import { withJournal } from "../../app/journal/JournalView.ts"
import { type AccountOfFleet, inRegistry } from "../../app/journal/WhichBot.ts"
import { newestPrices } from "../../app/money/NewestPrices.ts"
import * as Answer from "../../app/process/Answer.ts"
import * as KillFile from "../../app/process/KillFile.ts"
import * as RunningBot from "../../app/process/RunningBot.ts"
import { Terminal } from "../../app/process/Terminal.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import { age } from "../../domain/Words.ts"
import * as Lease from "../../journal/Lease.ts"
import * as StoredProfit from "../../views/profit/StoredProfit.ts"
import { journalStatus } from "../../views/Status.ts"
import * as Watch from "../control/watch.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"
import * as StatusText from "../screen/StatusText.ts"

/** Only the running bot knows; one that does not answer at once is not waited for. */
const seenByBot = (journal: string) =>
  RunningBot.ask(journal, (api) => api.look.status(), "viewer", 1_000).pipe(
    Effect.map(({ seenAfter }) => seenAfter),
    Effect.orElseSucceed(() => undefined)
  )

/** Who runs it, and whether it is to withdraw everything. */
interface Standing {
  readonly running: string | undefined
  readonly pid: number | undefined
  readonly killSwitch: string | undefined
}

const standingOfFile = Effect.fnUntraced(function* (journal: string, now: number) {
  const holder = yield* Lease.holder(journal)
  const running = holder && `running as process ${holder.pid} for ${age(now - holder.since)}`
  return { running, pid: holder?.pid, killSwitch: yield* Effect.flatten(KillFile.watch(journal)) } satisfies Standing
})

const standingInFleet = Effect.fnUntraced(function* (bot: AccountOfFleet) {
  const { isOwned, owner, wanted, why } = yield* inRegistry(bot, (registry) => registry.one(bot.account))
  return {
    running: isOwned ? `running on ${owner}` : undefined,
    pid: undefined,
    killSwitch: wanted === "killed" ? why : undefined
  } satisfies Standing
})

export const command = Command.make(
  "status",
  {
    watch: flags.toggle("watch", "Go on showing it, with the live stream of the running bot"),
    forMillis: flags.forDuration,
    bot: WhichBot.flags,
    json: flags.json
  },
  Effect.fn(function* ({ bot: given, forMillis, json, watch }) {
    if (watch && json)
      return yield* new WrongUsage({ message: "--watch is for people; `events --follow --json` for programs" })
    const bot = yield* WhichBot.named(given)
    if (watch && typeof bot !== "string")
      return yield* new WrongUsage({
        message: "--watch needs a bot of its own: an account of a fleet has no live stream"
      })
    if (watch) return yield* withJournal(bot, (view) => Watch.watch(view, forMillis))
    const found = withJournal(
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
        }
      })
    )
    yield* Answer.print(found, { json })
  })
).pipe(help("Show slots, orders and money as the journal has them"))
