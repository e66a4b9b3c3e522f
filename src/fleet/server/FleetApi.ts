/** The contract of the page over many bots: the same tokens, roles and commands as for one bot. A command names its bots, or says `all`. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Commands, NeededRole, Reads, Understood } from "../../control/api/Access.ts"
import { exactly, Refused, Unknown } from "../../control/api/ControlApi.ts"
import { operatorCommands } from "../../control/api/OperatorCommands.ts"
import { Amount } from "../../domain/EventValues.ts"
import { version } from "../../version.ts"
import { Word } from "../../views/Problems.ts"
import { BotDetail, botStates, FleetOverview } from "./FleetView.ts"

export type FleetCommand = "pause" | "resume" | "kill" | "release"

const error = [Refused, Unknown]
const Name = Schema.String.check(Schema.isBetweenLength(1, 200))

const LookGroup = HttpApiGroup.make("look")
  .add(
    HttpApiEndpoint.get("fleet", "/api/v1/fleet", {
      query: {
        search: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
        state: Schema.optionalKey(Schema.Literals(botStates)),
        class: Schema.optionalKey(Name),
        problem: Schema.optionalKey(Name),
        limit: Schema.optionalKey(
          Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 10_000 }))
        )
      },
      success: FleetOverview,
      error
    }).annotate(
      OpenApi.Summary,
      "All bots: counts by state, problems by kind, exact totals by asset, and the bots that match the filter, worst first"
    ),
    HttpApiEndpoint.get("bot", "/api/v1/bots/:name", { params: { name: Name }, success: BotDetail, error }).annotate(
      OpenApi.Summary,
      "One bot: its problems, its orders, and where its money is"
    )
  )
  .middleware(Understood)
  .middleware(Reads)

const bots = Schema.Union([
  Schema.Literal("all"),
  Schema.Array(Name).check(Schema.isMinLength(1), Schema.isMaxLength(10_000))
])
const Done = Schema.Struct({ message: Schema.String })
const why = Schema.optionalKey(Schema.String.check(Schema.isBetweenLength(1, 500)))

const commanded = <const Id extends FleetCommand, Fields extends Schema.Struct.Fields>(id: Id, payload: Fields) =>
  HttpApiEndpoint.post(id, `/api/v1/${id}`, {
    payload: Schema.Struct({ bots, why, ...payload }),
    success: Schema.Struct({ ...Done.fields, notTold: Schema.Array(Schema.String) }),
    error
  })
    .annotate(NeededRole, operatorCommands[id].role)
    .annotate(OpenApi.Summary, `${operatorCommands[id].does}: all strategies of the named bots`)

const CommandGroup = HttpApiGroup.make("command")
  .add(
    commanded("pause", {}),
    commanded("resume", {}),
    commanded("kill", { confirm: Schema.Literal(operatorCommands.kill.confirm) }),
    commanded("release", {}),
    HttpApiEndpoint.post("resolve", "/api/v1/bots/:name/resolve", {
      params: { name: Name },
      payload: Schema.Struct({ placement: Name, word: Word, received: Schema.optionalKey(Amount), why }),
      success: Done,
      error
    }).annotate(OpenApi.Summary, "Resolves an unclear payment, a stuck or frozen slot, or a contradiction of one bot")
  )
  .middleware(Understood)
  .middleware(Commands)
  .annotate(HttpApi.PayloadParseOptions, exactly)

export const FleetApi = HttpApi.make("fleet")
  .add(LookGroup, CommandGroup)
  .annotateMerge(
    OpenApi.annotations({
      title: "limitbot fleet",
      version,
      description:
        "Shows and commands many bots. Tokens are in NAME.token and NAME.viewer-token, where NAME is the file that the page was started with."
    })
  )
