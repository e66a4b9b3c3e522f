/**
 * The command tree. A command's module is loaded when the first word names it: most of the cost of a start is code,
 * and no command needs another's. For anything else (`--help`, a typing mistake) all of them are loaded.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { version } from "../version.ts"

/** In the order in which the help lists them. */
const commands = {
  demo: () => import("./run/demo.ts").then(({ command }) => command),
  run: () => import("./run/run.ts").then(({ command }) => command),
  init: () => import("./init/init.ts").then(({ command }) => command),
  "first-order": () => import("./first/firstOrder.ts").then(({ command }) => command),
  check: () => import("./check/check.ts").then(({ command }) => command),
  rehearse: () => import("./rehearse/rehearse.ts").then(({ command }) => command),
  plan: () => import("./plan/plan.ts").then(({ command }) => command),
  book: () => import("./plan/book.ts").then(({ command }) => command),
  schema: () => import("./check/schema.ts").then(({ command }) => command),
  status: () => import("./journal/status.ts").then(({ command }) => command),
  orders: () => import("./journal/orders.ts").then(({ command }) => command),
  dashboard: () => import("./control/dashboard.ts").then(({ command }) => command),
  events: () => import("./control/events.ts").then(({ command }) => command),
  journal: () => import("./journal/journal.ts").then(({ command }) => command),
  fills: () => import("./journal/fills.ts").then(({ command }) => command),
  money: () => import("./money/money.ts").then(({ command }) => command),
  profit: () => import("./money/profit.ts").then(({ command }) => command),
  dust: () => import("./money/dust.ts").then(({ command }) => command),
  recover: () => import("./journal/recover.ts").then(({ command }) => command),
  evidence: () => import("./money/evidence.ts").then(({ command }) => command),
  stuck: () => import("./money/stuck.ts").then(({ command }) => command),
  replay: () => import("./money/replay.ts").then(({ command }) => command),
  export: () => import("./money/export.ts").then(({ command }) => command),
  explain: () => import("./plan/explain.ts").then(({ command }) => command),
  resolve: () => import("./journal/resolve.ts").then(({ command }) => command),
  kill: () => import("./run/kill.ts").then(({ kill }) => kill),
  release: () => import("./run/kill.ts").then(({ release }) => release),
  signer: () => import("./signer/signer.ts").then(({ command }) => command),
  keygen: () => import("./signer/key.ts").then(({ keygen }) => keygen),
  key: () => import("./signer/key.ts").then(({ key }) => key),
  mcp: () => import("./control/mcp/mcp.ts").then(({ command }) => command),
  doctor: () => import("./control/doctor.ts").then(({ command }) => command),
  canary: () => import("./canary/canary.ts").then(({ command }) => command),
  notify: () => import("./control/notify/notify.ts").then(({ command }) => command),
  pause: () => import("./control/commands.ts").then(({ pause }) => pause),
  resume: () => import("./control/commands.ts").then(({ resume }) => resume),
  cancel: () => import("./control/commands.ts").then(({ cancel }) => cancel),
  "cancel-all": () => import("./control/commands.ts").then(({ cancelAll }) => cancelAll),
  drain: () => import("./control/commands.ts").then(({ drain }) => drain),
  reload: () => import("./control/commands.ts").then(({ reload }) => reload),
  swap: () => import("./swap/swap.ts").then(({ command }) => command),
  shield: () => import("./swap/moves.ts").then(({ shield }) => shield),
  unshield: () => import("./swap/moves.ts").then(({ unshield }) => unshield),
  history: () => import("./history/history.ts").then(({ command }) => command),
  reconcile: () => import("./history/reconcile.ts").then(({ command }) => command),
  balances: () => import("./history/balances.ts").then(({ command }) => command),
  swaps: () => import("./swap/swaps.ts").then(({ command }) => command),
  backtest: () => import("./backtest/backtest.ts").then(({ command }) => command),
  sweep: () => import("./search/sweep.ts").then(({ command }) => command),
  "walk-forward": () => import("./search/walkForward.ts").then(({ command }) => command),
  "monte-carlo": () => import("./search/monteCarlo.ts").then(({ command }) => command),
  data: () => import("./data/data.ts").then(({ command }) => command),
  sandbox: () => import("./run/sandbox.ts").then(({ command }) => command)
}

const root = Command.make("limitbot").pipe(
  Command.withDescription("Places resting limit orders and accounts for every unit of their money")
)

/** Runs the command line given as words. Whatever a command opens is closed when it ends. */
export const runCommand = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Object.entries(commands).find(([name]) => name === words[0])
    const loads = asked === undefined ? Object.values(commands) : [asked[1]]
    const subcommands = yield* Effect.promise(() => Promise.all(loads.map((load) => load())))
    return yield* Command.runWith(root.pipe(Command.withSubcommands(subcommands)), { version })(words)
  }).pipe(Effect.scoped)
