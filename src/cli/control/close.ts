/** `limitbot close`: after the plan is accepted, ends a strategy of the running bot, cancels its orders and sells its position. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { agree, someoneAgrees } from "../../app/swap/Carrying.ts"
import { present } from "../../domain/Present.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "close",
  {
    strategy: flags.argument("strategy", "A running strategy"),
    price: flags.text("price", "The worst price of the sale; default: near the market, which it follows"),
    swap: flags.toggle("swap", "Sell at once by a swap instead of an order"),
    dry: flags.toggle("dry", "Only the plan with its costs: nothing is closed"),
    yes: flags.toggle("yes", "Accept the plan without a question"),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ config, dry, json, price, strategy, swap, yes }) {
    if (!dry) yield* someoneAgrees({ json, yes })
    const { journal } = yield* ConfigFile.loadSettings(config)
    const terms = { strategy, ...present({ price }), ...(swap && { by: "swap" as const }) }
    const ask = (dry: boolean) =>
      RunningBot.askForPlan(journal, (api) => api.command.close({ payload: { ...terms, dry } }))
    const draft = yield* ask(true)
    if (dry) return yield* Console.log(json ? JSON.stringify(draft) : draft.terms.join("\n"))
    yield* agree({ json, yes }, "Close it?")(draft.terms)
    const answer = yield* ask(false)
    yield* Console.log(json ? JSON.stringify(answer) : `${answer.message}. limitbot status shows how far it is.`)
  })
).pipe(
  flags.help("End a strategy: cancel its orders, then sell its position", {
    "limitbot close grid": "Shows the plan with its costs, and asks",
    "limitbot close grid --price 61000": "Not below this price",
    "limitbot close grid --swap": "At once, by a swap"
  })
)
