/** `limitbot swaps`: every swap in the journal, with where its money is. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { formatWithSymbol } from "../../domain/Amount.ts"
import * as SwapAccount from "../../domain/SwapAccount.ts"
import { iso } from "../../domain/Text.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { readSwaps, SwapJournal } from "../../journal/SwapJournal.ts"
import * as SwapLine from "../../report/text/SwapLine.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"
import { withJournal } from "../journal/JournalView.ts"

export const command = Command.make(
  "swaps",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    yield* withJournal(config, ({ journal }) =>
      Effect.gen(function* () {
        const accounts = yield* readSwaps
        if (json) return yield* Console.log(JSON.stringify(accounts.map(SwapLine.evidence)))
        yield* Console.log(accounts.length === 0 ? "No swaps yet." : table(accounts).join("\n"))
      }).pipe(
        Effect.provide(SwapJournal.layerReadOnly),
        Effect.provide(Sqlite.layer({ filename: journal, readOnly: true }))
      )
    )
  })
).pipe(Command.withDescription("List the swaps and where their money is"))

const table = (accounts: ReadonlyArray<SwapAccount.SwapAccount>): ReadonlyArray<string> =>
  Table.render(
    ["SWAP", "AGREED", "PAYS", "RECEIVES", "PHASE", "VENUE SAYS", "OUTCOME"].map((title) => ({ title })),
    accounts.map((account) => {
      const { agreed, ended, id, phase, seen } = account
      const received = ended === undefined ? agreed.amountOut : SwapAccount.moneyOf(account).received
      return [
        id,
        iso(account.agreedAt),
        formatWithSymbol(agreed.amountIn, agreed.origin),
        formatWithSymbol(received, agreed.destination),
        phase,
        seen?.status ?? "-",
        ended?.outcome ?? "-"
      ]
    })
  )
