/** `limitbot history account`: the end user's own transactions, with the session of the account. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Answer from "../../app/process/Answer.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as HistoryText from "../../app/reconcile/HistoryText.ts"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import { present } from "../../domain/Present.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { anyKind } from "../../venue/api/AccountHistoryApi.ts"
import { History } from "../../venue/History.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import * as HistoryFlags from "./HistoryFlags.ts"

/** Lists that are read together, position by position. */
const kinds = <const Known extends ReadonlyArray<string>>(name: string, known: Known) =>
  Flag.Literals(name, [...known, anyKind]).pipe(
    Flag.withDescription("May be repeated; the first ones of the three belong together, and so on. null: any"),
    Flag.between(0, 20)
  )

export const account = Command.make(
  "account",
  {
    older: flags.text("prev-cursor", "Older than this cursor"),
    newer: flags.text("next-cursor", "Newer than this cursor"),
    status: Flag.Literals("status", transactionStatuses).pipe(Flag.between(0, 6)),
    limit: HistoryFlags.count("limit", 100, "Most records; default: 20"),
    depositAddress: flags.text("deposit-address", "Of this deposit address"),
    depositMemo: flags.text("deposit-memo", "Narrows --deposit-address"),
    search: flags.text("search", "Address or transaction hash"),
    depositType: kinds("deposit-type", Wire.depositTypes),
    recipientType: kinds("recipient-type", Wire.recipientTypes),
    refundType: kinds("refund-type", Wire.depositTypes),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({
    config: file,
    depositType,
    json: _,
    newer,
    older,
    recipientType,
    refundType,
    status,
    ...given
  }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* VenueAccess.signerOf(config)
    if (Option.isSome(older) && Option.isSome(newer)) {
      return yield* new WrongUsage({ message: "--prev-cursor and --next-cursor exclude each other" })
    }
    const query = present({
      prevCursor: Option.getOrUndefined(older),
      nextCursor: Option.getOrUndefined(newer),
      status: HistoryFlags.unlessEmpty(status),
      depositType: HistoryFlags.unlessEmpty(depositType),
      recipientType: HistoryFlags.unlessEmpty(recipientType),
      refundType: HistoryFlags.unlessEmpty(refundType),
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Option.getOrUndefined<unknown>(value)]))
    })
    const { value } = yield* History.use((history) => history.account(query)).pipe(
      Effect.provide(VenueAccess.venue(config, signerId))
    )
    const { items, nextCursor = null, prevCursor = null } = value
    const cursors = [
      ...(prevCursor === null ? [] : [`Older ones: --prev-cursor ${prevCursor}`]),
      ...(nextCursor === null ? [] : [`Newer ones: --next-cursor ${nextCursor}`])
    ]
    return {
      data: () => ({ items: items.map(({ said }) => said), nextCursor, prevCursor }),
      lines: () => (items.length === 0 ? ["No transactions."] : [...HistoryText.accountTable(items), ...cursors])
    }
  }, Answer.print)
).pipe(help("Your own transactions: this account's, with its session"))
