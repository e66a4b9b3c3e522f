/** The command tree. */
import { Command } from "effect/cli"
import { version } from "../version.ts"
import * as backtest from "./backtest.ts"
import * as balances from "./balances.ts"
import * as check from "./check.ts"
import * as data from "./data.ts"
import * as demo from "./demo.ts"
import * as explain from "./explain.ts"
import * as fills from "./fills.ts"
import * as history from "./history.ts"
import * as init from "./init.ts"
import * as kill from "./kill.ts"
import * as monteCarlo from "./monteCarlo.ts"
import * as orders from "./orders.ts"
import * as plan from "./plan.ts"
import * as reconcile from "./reconcile.ts"
import * as run from "./run.ts"
import * as sandbox from "./sandbox.ts"
import * as schema from "./schema.ts"
import * as status from "./status.ts"
import * as swap from "./swap.ts"
import * as swaps from "./swaps.ts"
import * as sweep from "./sweep.ts"
import * as walkForward from "./walkForward.ts"

const root = Command.make("limitbot").pipe(
  Command.withDescription("Rests limit orders and accounts for every unit of their money"),
  Command.withSubcommands([
    demo.command,
    run.command,
    init.command,
    check.command,
    plan.command,
    schema.command,
    status.command,
    orders.command,
    fills.command,
    explain.command,
    kill.kill,
    kill.release,
    swap.command,
    history.command,
    reconcile.command,
    balances.command,
    swaps.command,
    backtest.command,
    sweep.command,
    walkForward.command,
    monteCarlo.command,
    data.command,
    sandbox.command
  ])
)

/** Runs the command line given as words. */
export const runCommand = Command.runWith(root, { version })
