/**
 * `limitbot history`: the partner's past swaps and orders, by cursor or by page, with every filter of the interface,
 * or the copy kept beside the journal (`--sync`, `--stored`); and the end user's own history (`history account`). One
 * request per five seconds, shared with every process on this journal.
 */
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import * as Answer from "../../app/process/Answer.ts"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { account } from "./account.ts"
import * as HistoryFlags from "./HistoryFlags.ts"
import * as HistoryShow from "./HistoryShow.ts"

/** The partner's history needs the partner's token. */
class NoPartnerJwt extends Schema.TaggedError<NoPartnerJwt>()("NoPartnerJwt", {}) {
  override get message(): string {
    return "The history is the partner's: set venue.partnerJwt in the configuration. `history account` shows your own"
  }
}

export const command = Command.make(
  "history",
  { ...HistoryFlags.filters, ...HistoryFlags.ways },
  Effect.fn(function* ({ config: file, ...given }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* VenueAccess.signerOf(config)
    if (config.venue.partnerJwt === undefined) return yield* new NoPartnerJwt()
    return yield* HistoryShow.found(given, config.venue.ledger).pipe(
      Effect.provide(VenueAccess.withHistory(config, signerId)),
      Effect.provide(Sqlite.layer({ filename: config.journal }))
    )
  }, Answer.print)
).pipe(
  Command.withDescription("Past transactions of the partner: by cursor, by page, or all of them kept locally"),
  Command.withSubcommands([account]),
  Command.withExamples([
    { command: "limitbot history --status REFUNDED --status FAILED --json", description: "What went wrong lately" },
    { command: "limitbot history --sync", description: "Keep everything beside the journal; goes on where it was" },
    { command: "limitbot history --stored --csv", description: "All that is kept, for a spreadsheet" }
  ])
)
