/** Lists every account of a fleet, worst first: its target state, its runner, its orders and its problems. */
import { Effect } from "effect"
import { type FleetAccount, Registry } from "../../journal/postgres/Registry.ts"
import * as Answer from "../../process/Answer.ts"
import * as Table from "../../report/text/Table.ts"
import { type BotLine, lineOf, worstFirst } from "../server/FleetView.ts"

const problemsIn = ({ problems }: BotLine): string => problems.map(({ kind, text }) => `${kind}: ${text}`).join("; ")

const columns = Table.of<FleetAccount>([
  { key: "account", title: "ACCOUNT", value: ({ name }) => name },
  { key: "class", value: (account) => account.class },
  { key: "wanted", title: "WANTED", value: ({ wanted }) => wanted },
  { key: "why", value: ({ why }) => why },
  { key: "runner", title: "RUNNER", value: ({ isOwned, owner }) => (isOwned ? owner : "none") },
  { key: "openOrders", title: "ORDERS", value: ({ told }) => told?.openOrders },
  { key: "fills", title: "FILLS", value: ({ told }) => told?.fills },
  { key: "events", value: ({ told }) => told?.events },
  { key: "revision", value: ({ revision }) => revision },
  { key: "toldSecondsAgo", value: ({ toldSecondsAgo }) => toldSecondsAgo },
  { key: "problems", title: "PROBLEMS", value: (account) => account.told && problemsIn(lineOf(account)) }
])

export const listAccounts = Effect.gen(function* () {
  const accounts = yield* (yield* Registry).all
  const byName = new Map(accounts.map((account) => [account.name, account]))
  const sorted = worstFirst(accounts.map(lineOf)).flatMap(({ name }) => byName.get(name) ?? [])
  return Answer.ofList(columns, sorted, "The fleet has no accounts: limitbot fleet --apply FOLDER")
})

export const has = (account: string) =>
  Registry.use((registry) => Effect.map(registry.one(account), (row) => row !== undefined))

/** Returns false if the account is not killed or may have orders. The journal stays. */
export const remove = (account: string) => Registry.use((registry) => registry.remove(account))
