/** The MCP tools for agents. `propose` changes nothing; `carry_out` applies a shown proposal, once, within five minutes. */
import { Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { BacktestAnswer } from "../../views/Backtest.ts"
import { Book } from "../../views/Book.ts"
import { Lines } from "../../views/Events.ts"
import { Money } from "../../views/Money.ts"
import { Plan } from "../../views/Plan.ts"
import { Slots } from "../../views/Slots.ts"
import { Status } from "../../views/Status.ts"
import { commandNames, commandOf } from "../api/OperatorCommands.ts"
import { OrderChange, OrderRequest } from "../api/Order.ts"

const failure = Schema.Struct({ message: Schema.String })
const success = Schema.Json

/** Answers are as in the HTTP API. A tool that answers with a list has no answer schema, because clients accept only objects there. */
const readTool = <const Name extends string, Parameters extends Schema.Constraint, Answer extends Schema.Constraint>(
  name: Name,
  description: string,
  parameters: Parameters,
  success: Answer
) =>
  Tool.make(name, { description, parameters, success, failure })
    .annotate(Tool.Readonly, true)
    .annotate(Tool.Destructive, false)

export const Looking = Toolkit.make(
  readTool(
    "status",
    "State of the running bot: prices, strategies, open orders, fills, and problems, worst first",
    Tool.EmptyParams,
    Status
  ),
  readTool(
    "slots",
    "Every slot: its order, state, distance from the price, profit, and the reason",
    Tool.EmptyParams,
    Slots
  ),
  readTool("orders_by_hand", "The orders by hand and where each stands", Tool.EmptyParams, success),
  readTool("money", "Where all money is, by asset and place, as exact decimals", Tool.EmptyParams, Money),
  readTool(
    "book",
    "The price and depth of a market and the bot's own resting orders in it",
    Schema.Struct({ market: Schema.String }),
    Book
  ),
  readTool(
    "explain",
    "Why a slot (strategy/slot, or a strategy) has its order or none, and what would change that",
    Schema.Struct({ slot: Schema.String }),
    success
  ),
  readTool("plan", "What the bot would keep, cancel, create and defer now", Tool.EmptyParams, Plan),
  readTool(
    "backtest",
    "Result of a running strategy file over the prices that the bot has recorded, as a band",
    Schema.Struct({ file: Schema.String }),
    BacktestAnswer
  ),
  readTool("files", "The running strategy files with their text and problems", Tool.EmptyParams, success),
  readTool(
    "events",
    "The latest 200 of the last 20,000 events that contain these words; all when empty",
    Schema.Struct({ search: Schema.String }),
    Lines
  )
)

const proposed = commandNames.filter((name) => commandOf(name).shows !== undefined)

export const Proposal = Schema.Struct({
  action: Schema.Literals([...proposed, "apply", "order", "order-change", "order-cancel"]),
  /** A strategy for pause, resume and drain; a slot for cancel; a file for apply; an order by hand to change or cancel. */
  target: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Schema.String),
  order: Schema.optionalKey(OrderRequest),
  price: Schema.optionalKey(OrderChange.fields.price),
  why: Schema.String
})

export const Operating = Toolkit.merge(
  Looking,
  Toolkit.make(
    Tool.make("propose", {
      description:
        "Shows what a command would do and changes nothing: pause or resume a strategy (target; all when left out), drain one (target), cancel the order of a slot (target), cancel-all, kill, release, apply a strategy file (target, text), place an order by hand (order), move one (order-change: target, price) or cancel one (order-cancel: target). Show the answer to the operator before carry_out.",
      parameters: Proposal,
      success,
      failure
    })
      .annotate(Tool.Readonly, true)
      .annotate(Tool.Destructive, false),
    Tool.make("carry_out", {
      description: "Carries out a proposal, once, within five minutes of it. Only after the operator agreed to it.",
      parameters: Schema.Struct({ proposal: Schema.String }),
      success,
      failure
    })
      .annotate(Tool.Readonly, false)
      .annotate(Tool.Destructive, true)
  )
)
