/** Builds the command tree. Loads only the module that the first word names, because loading is most of the cost of a start. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { version } from "../version.ts"
import * as flags from "./flags.ts"
import { presentWords } from "./moved.ts"

const groups = {
  Begin: {
    demo: () => import("./run/demo.ts").then(({ command }) => command),
    init: () => import("./init/init.ts").then(({ command }) => command),
    import: () => import("./init/import.ts").then(({ command }) => command),
    "first-order": () => import("./order/firstOrder.ts").then(({ command }) => command),
    check: () => import("./check/check.ts").then(({ command }) => command),
    plan: () => import("./plan/plan.ts").then(({ command }) => command),
    rehearse: () => import("./rehearse/rehearse.ts").then(({ command }) => command)
  },
  Run: {
    order: () => import("./order/order.ts").then(({ command }) => command),
    run: () => import("./run/run.ts").then(({ command }) => command),
    status: () => import("./journal/status.ts").then(({ command }) => command),
    book: () => import("./plan/book.ts").then(({ command }) => command),
    explain: () => import("./plan/explain.ts").then(({ command }) => command),
    events: () => import("./control/events.ts").then(({ command }) => command)
  },
  "Stop and steer": {
    pause: () => import("./control/commands.ts").then(({ pause }) => pause),
    resume: () => import("./control/commands.ts").then(({ resume }) => resume),
    cancel: () => import("./control/commands.ts").then(({ cancel }) => cancel),
    close: () => import("./control/close.ts").then(({ command }) => command),
    alert: () => import("./control/alert.ts").then(({ command }) => command),
    signal: () => import("./control/signal.ts").then(({ command }) => command),
    reload: () => import("./control/commands.ts").then(({ reload }) => reload),
    kill: () => import("./run/kill.ts").then(({ command }) => command)
  },
  Money: {
    money: () => import("./money/money.ts").then(({ moneyCommand }) => moneyCommand),
    profit: () => import("./money/money.ts").then(({ profitCommand }) => profitCommand),
    fills: () => import("./money/money.ts").then(({ fillsCommand }) => fillsCommand),
    export: () => import("./money/export.ts").then(({ command }) => command)
  },
  Test: {
    backtest: () => import("./backtest/backtest.ts").then(({ command }) => command),
    search: () => import("./search/search.ts").then(({ command }) => command),
    data: () => import("./data/data.ts").then(({ command }) => command),
    replay: () => import("./money/replay.ts").then(({ command }) => command)
  },
  Swap: { swap: () => import("./swap/swap.ts").then(({ command }) => command) },
  "When something is wrong": {
    orders: () => import("./journal/orders.ts").then(({ command }) => command),
    resolve: () => import("./journal/resolve.ts").then(({ command }) => command),
    reconcile: () => import("./history/reconcile.ts").then(({ command }) => command),
    history: () => import("./history/history.ts").then(({ command }) => command)
  },
  "Account and keys": {
    signer: () => import("./signer/signer.ts").then(({ command }) => command),
    people: () => import("./control/people.ts").then(({ command }) => command)
  },
  Machine: {
    fleet: () => import("./fleet/fleet.ts").then(({ command }) => command),
    journal: () => import("./journal/journal.ts").then(({ command }) => command),
    mcp: () => import("./control/mcp.ts").then(({ command }) => command),
    sandbox: () => import("./run/sandbox.ts").then(({ command }) => command)
  }
}

type Groups = typeof groups
type Group = Readonly<Record<string, { [G in keyof Groups]: Groups[G][keyof Groups[G]] }[keyof Groups]>>

const root = Command.make("limitbot").pipe(
  flags.help("Places resting limit orders and accounts for every unit of their money")
)

export const runCommand = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const words = yield* presentWords(given)
  const isKnown = Object.values(groups).some((commands) => Object.keys(commands).some((name) => name === words[0]))
  const subcommands = yield* Effect.forEach(Object.entries<Group>(groups), ([group, commands]) => {
    const commandEntries = Object.entries(commands).filter(([name]) => name === words[0] || !isKnown)
    const loaded = Effect.promise(() => Promise.all(commandEntries.map(([, load]) => load())))
    return Effect.map(loaded, (commands) => ({ group, commands }))
  })
  return yield* Command.runWith(root.pipe(Command.withSubcommands(subcommands)), { version })(words)
}, Effect.scoped)
