/** `limitbot alert BTC/USDC above 70000`: sends a message at a price, without an order; also lists and removes alerts. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { marketNamed } from "../../app/byHand/OrderRule.ts"
import * as Alerting from "../../app/control/Alerting.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Answer from "../../process/Answer.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"

const terms = {
  market: flags.argument("market", "BTC, or a market such as BTC/USDC"),
  side: Argument.Literals("side", ["above", "below"]).pipe(Argument.withDescription("above or below")),
  price: flags.argument("price", "In the quote asset"),
  config: flags.config
}

const changing = (name: "alert" | "remove", done: string) =>
  Command.make(
    name,
    terms,
    Effect.fnUntraced(function* ({ config, market, price, side }) {
      const settings = yield* ConfigFile.loadSettings(config)
      const pair = marketNamed(market, settings)
      const text = `${typeof pair === "string" ? market : pair.name} ${side} ${price}`
      yield* Console.log(`${yield* Alerting.change(name === "alert" ? "add" : "remove", text, settings)}: ${done}`)
    })
  )

const columns = Table.of<Effect.Success<ReturnType<typeof Alerting.listed>>[number]>([
  { key: "alert", title: "ALERT", value: ({ alert }) => alert },
  { key: "from", title: "FROM", value: ({ from }) => from },
  { key: "state", title: "STATE", value: ({ state }) => state }
])
const list = Command.make("list", { config: flags.config, json: flags.json }, ({ config, json }) => {
  const rows = Effect.flatMap(ConfigFile.loadSettings(config), Alerting.listed)
  const answer = Effect.map(rows, (all) => Answer.ofList(columns, all, "No alerts."))
  return Answer.print(answer, { json })
}).pipe(flags.help("List the alerts and how far each is from its price"))

export const command = changing("alert", "reported once, to the log and to the receivers of `notify`.").pipe(
  flags.help("Send a message when a price is reached, without an order", {
    "limitbot alert BTC/USDC above 70000": "Reported once, to the log and to the receivers of notify",
    "limitbot alert list": "How far each is from its price",
    "limitbot alert remove BTC/USDC above 70000": "It is not reported any more"
  }),
  Command.withSubcommands([list, changing("remove", "removed.").pipe(flags.help("Remove an alert"))])
)
