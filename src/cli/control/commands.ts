/** What an operator says to a running bot: `pause`, `resume`, `drain`, `cancel`, `cancel-all`, `reload`. */
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { allowFlag } from "../../app/plan/PlanRefused.ts"
import * as RunningBot from "../../app/process/RunningBot.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Admission from "../../app/run/Admission.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as flags from "../flags.ts"

const strategy = Argument.String("strategy").pipe(
  Argument.withDescription("A running strategy; all of them when left out"),
  Argument.optional
)
const why = flags.text("why", "Why, for the journal")

const strategyIn = (value: Option.Option<string>) => (Option.isNone(value) ? {} : { strategy: value.value })
const whyIn = (value: Option.Option<string>) => (Option.isNone(value) ? {} : { why: value.value })

const tell = (
  config: string,
  call: Parameters<typeof RunningBot.ask<{ readonly message: string }, { readonly message: string }>>[1]
) =>
  Effect.gen(function* () {
    const { journal } = yield* ConfigFile.loadSettings(config)
    const { message } = yield* RunningBot.ask(journal, call)
    yield* Console.log(`${message}.`)
  })

export const pause = Command.make("pause", { strategy, why, config: flags.config }, ({ config, strategy, why }) =>
  tell(config, (api) => api.command.pause({ payload: { ...strategyIn(strategy), ...whyIn(why) } }))
).pipe(Command.withDescription("Place nothing new; what rests stays, and its money is looked after"))

export const resume = Command.make("resume", { strategy, why, config: flags.config }, ({ config, strategy, why }) =>
  tell(config, (api) => api.command.resume({ payload: { ...strategyIn(strategy), ...whyIn(why) } }))
).pipe(Command.withDescription("Let a paused strategy trade again"))

export const drain = Command.make(
  "drain",
  {
    strategy: Argument.String("strategy").pipe(Argument.withDescription("A running strategy")),
    why,
    config: flags.config
  },
  ({ config, strategy, why }) => tell(config, (api) => api.command.drain({ payload: { strategy, ...whyIn(why) } }))
).pipe(Command.withDescription("Pause a strategy, withdraw its orders and take their money back"))

export const cancel = Command.make(
  "cancel",
  {
    slot: Argument.String("strategy/slot").pipe(Argument.withDescription("A slot as `status` shows it")),
    why,
    config: flags.config
  },
  ({ config, slot, why }) => tell(config, (api) => api.command.cancel({ payload: { slot, ...whyIn(why) } }))
).pipe(Command.withDescription("Withdraw the order of one slot; it is placed anew if its strategy still wants it"))

export const cancelAll = Command.make(
  "cancel-all",
  {
    yes: flags.toggle("yes", "Do it; nothing is asked"),
    why,
    config: flags.config
  },
  Effect.fn(function* ({ config, why, yes }) {
    if (!yes) {
      return yield* new WrongUsage({
        message: "cancel-all pauses every strategy and withdraws every order. Add --yes to do it."
      })
    }
    yield* tell(config, (api) => api.command.cancelAll({ payload: { confirm: "cancel all", ...whyIn(why) } }))
  })
).pipe(Command.withDescription("Pause every strategy and withdraw every order"))

export const reload = Command.make(
  "reload",
  { allow: allowFlag, config: flags.config },
  Effect.fn(function* ({ allow, config }) {
    const told = tell(config, (api) => api.command.reload({ payload: {} }))
    if (allow.length === 0) return yield* told
    const { journal } = yield* ConfigFile.loadSettings(config)
    yield* Admission.allowNext(journal, allow)
    yield* Console.log(`Allowed for the next edit: ${allow.join(", ")}. A running bot takes it up within a second.`)
    yield* Effect.ignore(told)
  })
).pipe(Command.withDescription("Read the strategy files now"))
