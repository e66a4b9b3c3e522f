/**
 * The command tree. A command's module is loaded when the first word names it: most of what a start costs is code, and no
 * command needs that of another. Anything else (`--help`, a typing mistake) is answered with all of them at hand.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { version } from "../version.ts"

/** In the order of the help. */
const commands = {
  demo: () => import("./demo.ts").then(({ command }) => command),
  run: () => import("./run.ts").then(({ command }) => command),
  init: () => import("./init.ts").then(({ command }) => command),
  check: () => import("./check.ts").then(({ command }) => command),
  plan: () => import("./plan.ts").then(({ command }) => command),
  schema: () => import("./schema.ts").then(({ command }) => command),
  status: () => import("./status.ts").then(({ command }) => command),
  orders: () => import("./orders.ts").then(({ command }) => command),
  fills: () => import("./fills.ts").then(({ command }) => command),
  explain: () => import("./explain.ts").then(({ command }) => command),
  kill: () => import("./kill.ts").then(({ kill }) => kill),
  release: () => import("./kill.ts").then(({ release }) => release),
  swap: () => import("./swap.ts").then(({ command }) => command),
  history: () => import("./history.ts").then(({ command }) => command),
  reconcile: () => import("./reconcile.ts").then(({ command }) => command),
  balances: () => import("./balances.ts").then(({ command }) => command),
  swaps: () => import("./swaps.ts").then(({ command }) => command),
  backtest: () => import("./backtest.ts").then(({ command }) => command),
  sweep: () => import("./sweep.ts").then(({ command }) => command),
  "walk-forward": () => import("./walkForward.ts").then(({ command }) => command),
  "monte-carlo": () => import("./monteCarlo.ts").then(({ command }) => command),
  data: () => import("./data.ts").then(({ command }) => command),
  sandbox: () => import("./sandbox.ts").then(({ command }) => command)
}

const root = Command.make("limitbot").pipe(
  Command.withDescription("Rests limit orders and accounts for every unit of their money")
)

/** Runs the command line given as words. What a command opens is closed when it ends. */
export const runCommand = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Object.entries(commands).find(([name]) => name === words[0])
    const loads = asked === undefined ? Object.values(commands) : [asked[1]]
    const subcommands = yield* Effect.promise(() => Promise.all(loads.map((load) => load())))
    return yield* Command.runWith(root.pipe(Command.withSubcommands(subcommands)), { version })(words)
  }).pipe(Effect.scoped)
