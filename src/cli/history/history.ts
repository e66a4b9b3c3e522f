/**
 * `limitbot history`: the partner's past swaps and orders, by cursor or by page, with every filter of the interface,
 * or the copy kept beside the journal (`--sync`, `--stored`); and the end user's own history (`history account`). One
 * request per five seconds, shared with every process on this journal.
 */
import { Command } from "effect/cli"
import { historyOf } from "../../app/history/HistoryAsked.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { account } from "./account.ts"
import * as HistoryFlags from "./HistoryFlags.ts"

export const command = Command.make(
  "history",
  {
    filters: HistoryFlags.filters,
    cursor: HistoryFlags.cursor,
    page: HistoryFlags.count("page", Number.MAX_SAFE_INTEGER, "By page number instead of by cursor"),
    perPage: HistoryFlags.count("per-page", 1000, "Records of a page; default: 50"),
    sync: flags.toggle("sync", "Read what is new into the database beside the journal, then say how much that was"),
    stored: flags.toggle("stored", "Show what the last --sync stored; asks nobody"),
    csv: flags.csv,
    config: flags.config,
    json: flags.json
  },
  Answer.printAnswerOf(historyOf)
).pipe(
  help("Past transactions of the partner: by cursor, by page, or all of them kept locally", {
    "limitbot history --status REFUNDED --status FAILED --json": "What went wrong lately",
    "limitbot history --sync": "Keep everything beside the journal; goes on where it was",
    "limitbot history --stored --csv": "All that is kept, for a spreadsheet"
  }),
  Command.withSubcommands([account])
)
