/** `limitbot history account`: the end user's own transactions, with the session of the account. */
import { Command, Flag } from "effect/cli"
import { transactions } from "../../app/history/AccountHistory.ts"
import * as Answer from "../../process/Answer.ts"
import { anyKind } from "../../venue/api/AccountHistoryApi.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import * as HistoryFlags from "./HistoryFlags.ts"

const kinds = <const Known extends ReadonlyArray<string>>(name: string, known: Known) =>
  flags.several(
    Flag.Literals(name, [...known, anyKind]).pipe(
      Flag.withDescription("May be repeated; the first ones of the three belong together, and so on. null: any")
    ),
    20
  )

export const account = Command.make(
  "account",
  {
    query: {
      prevCursor: flags.textOrMissing("prev-cursor", "Older than this cursor"),
      nextCursor: flags.textOrMissing("next-cursor", "Newer than this cursor"),
      status: flags.several(Flag.Literals("status", transactionStatuses), 6),
      limit: HistoryFlags.count("limit", 100, "Most records; default: 20"),
      depositAddress: flags.textOrMissing("deposit-address", "Of this deposit address"),
      depositMemo: flags.textOrMissing("deposit-memo", "Narrows --deposit-address"),
      search: flags.textOrMissing("search", "Address or transaction hash"),
      depositType: kinds("deposit-type", Wire.depositTypes),
      recipientType: kinds("recipient-type", Wire.recipientTypes),
      refundType: kinds("refund-type", Wire.depositTypes)
    },
    config: flags.config,
    json: flags.json
  },
  Answer.printAnswerOf(transactions)
).pipe(help("Your own transactions: this account's, with its session"))
