/** `limitbot book [MARKET…]`: the order book that the service does not publish, from dry quotes and our own orders. */
import { Argument, Command, Flag } from "effect/cli"
import { show, usualUsd } from "../../app/plan/BookShown.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "book",
  {
    markets: flags
      .argument("market", "Markets such as BTC/USDC; default: those of the journal")
      .pipe(Argument.variadic({ min: 0 })),
    config: flags.config,
    size: flags
      .textFlag("size", `A base quantity to quote, may be repeated; default: ${usualUsd.join(", ")} USD`)
      .pipe(Flag.between(0, 10)),
    watch: flags.toggle("watch", "Ask again every five seconds until stopped"),
    forMillis: flags.forDuration,
    json: flags.json
  },
  show
).pipe(
  flags.help("Show the market's quotes by size, and your own orders in it", {
    "limitbot book BTC/USDC --config config/limitbot.yaml": "Once",
    "limitbot book BTC/USDC --size 0.1 --size 1 --watch": "Watch two sizes"
  })
)
