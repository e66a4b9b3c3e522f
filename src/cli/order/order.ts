/** `limitbot order`: one limit order by hand, followed to its end like every order; and to list, move or cancel such orders. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Ordering from "../../app/order/Ordering.ts"
import { OrderChange, OrderId, OrderKey, OrderRequest, type OrderStanding } from "../../control/api/Order.ts"
import { present } from "../../domain/Present.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"

const { argument } = flags
const order = argument("order", "An order as `order list` shows it, for example buy-1a2b3c4d")
export const ways = {
  dry: flags.toggle("dry", "Only the plan with its costs: nothing is placed or changed"),
  yes: flags.toggle("yes", "Accept the plan without a question"),
  config: flags.config,
  json: flags.json
}

const placing = (side: "buy" | "sell") =>
  Command.make(
    side,
    {
      amount: argument("amount", "Of the base asset, for example 0.01; or `all`: as much as is free"),
      asset: argument("asset", "BTC, or a market such as BTC/ETH; default quote: the configuration's stable asset"),
      at: argument("at", "The word `at`"),
      price: argument("price", "In the quote asset, for one of the base asset"),
      takeProfit: flags.text(
        "take-profit",
        "Exit with profit: a price, or a distance such as 5%; several with their parts: 2%:50%,5%:50%"
      ),
      stop: flags.text(
        "stop",
        "Exit with loss: a price, or a distance such as 3%. With --take-profit one cancels the other (OCO)"
      ),
      trail: flags.text("trail", "The stop follows this far behind the best price, for example 4%"),
      breakevenAt: flags.text("breakeven", "From this price or distance on, the stop is at least the entry"),
      expire: flags.text("expire", "Cancel it if nothing has filled after this long, for example 6h"),
      when: flags.text("when", "Place it when this is true, for example `rsi(close, 14) < 30`"),
      parts: flags.count("in-parts", "In this many equal parts, one after the other", 2, 1_000),
      key: flags.text("key", "The same key never places a second order; default: a new one"),
      ...ways
    },
    Effect.fn(function* ({ amount, asset, at, config, dry, json, key: given, price, yes, ...more }) {
      if (at !== "at") return yield* wrongUsage(`"${at}": write limitbot order ${side} ${amount} ${asset} at ${price}`)
      const request = yield* Ordering.checked(OrderRequest, { side, market: asset, amount, price, ...present(more) })
      const chosenKey = given ?? randomBytes(12).toString("hex")
      const key = yield* Ordering.checked(OrderKey, chosenKey)
      const options = yield* Ordering.optionsOf({ config, json, yes })
      // `all` becomes the size that the user accepted in the plan.
      const placing: Parameters<typeof Ordering.carry>[0] = (client, dry, draft) =>
        client.place({ ...request, ...(draft && { amount: draft.amount }), dry }, key)
      yield* Ordering.carry(placing, options, dry, { key })
    })
  )

const buy = placing("buy").pipe(
  flags.help("Place one limit order to buy, and follow it to its end", {
    "limitbot order buy 0.01 BTC at 59000 --take-profit 5% --stop 57000 --expire 2d": "With exits"
  })
)
const sell = placing("sell").pipe(flags.help("Place one limit order to sell, and follow it to its end"))

const columns = Table.of<OrderStanding>([
  { key: "order", title: "ORDER", value: (row) => row.order },
  { key: "terms", title: "TERMS", value: ({ terms }) => terms },
  { key: "filled", title: "FILLED", value: ({ filled }) => filled },
  { key: "state", title: "STATE", value: ({ state }) => state },
  { key: "why", title: "WHY", value: ({ why }) => why },
  { key: "exit", title: "EXIT", value: ({ exit }) => exit }
])

const list = Command.make("list", { config: flags.config, csv: flags.csv, json: flags.json }, ({ config, ...form }) => {
  const rows = Effect.flatMap(ConfigFile.loadSettings(config), Ordering.listed)
  const answer = Effect.map(rows, (all) => Answer.ofList(columns, all, "No orders by hand."))
  return Answer.print(answer, form)
}).pipe(flags.help("List the orders by hand and where each stands"))

const change = Command.make(
  "change",
  { order, price: flags.text("price", "The new price"), ...ways },
  Effect.fn(function* ({ dry, order, price, ...given }) {
    const request = yield* Ordering.checked(OrderChange, { order, price })
    const options = yield* Ordering.optionsOf(given)
    yield* Ordering.carry((client, dry) => client.change({ ...request, dry }), options, dry)
  })
).pipe(flags.help("Move an order by hand to another price; the old order is cancelled first"))

const cancel = Command.make(
  "cancel",
  { order, config: flags.config, json: flags.json },
  Effect.fn(function* ({ order, ...given }) {
    const id = yield* Ordering.checked(OrderId, order)
    yield* Ordering.cancel(id, yield* Ordering.optionsOf({ ...given, yes: true }))
  })
).pipe(flags.help("Cancel an order by hand for good; its money is refunded"))

export const command = Command.make("order").pipe(
  flags.help("Place one limit order by hand, and list, move or cancel such orders", {
    "limitbot order buy 0.01 BTC at 59000": "Shows the plan with its costs, and asks",
    "limitbot order change buy-1a2b3c4d --price 58500": "The old order is cancelled first",
    "limitbot order cancel buy-1a2b3c4d": "Its money is refunded"
  }),
  Command.withSubcommands([buy, sell, list, change, cancel])
)
