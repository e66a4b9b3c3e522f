/** `limitbot demo`: the whole bot on the whole service, without configuration. */
import { Command } from "effect/cli"
import { run } from "../../rehearsal/demo/Demo.ts"
import * as flags from "../flags.ts"
import * as sandboxFlags from "./sandboxFlags.ts"

export const command = Command.make(
  "demo",
  {
    candles: sandboxFlags.candles,
    seed: sandboxFlags.seed,
    speed: flags.byDefault(sandboxFlags.speedText, 120)(flags.figureIn("speed", 0, sandboxFlags.maxSpeed)),
    forMillis: flags.forDuration,
    json: flags.json
  },
  run
).pipe(
  flags.help("Show the bot at work on its own sandbox: no configuration, no network, no money", {
    "limitbot demo --for 60s --speed 600": "An hour of the market every six seconds",
    "limitbot demo --candles prices.csv": "Replay real prices"
  })
)
