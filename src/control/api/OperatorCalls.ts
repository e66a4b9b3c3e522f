/** The commands of an operator as requests to a running bot, for the command line and for agents. */
import type { HttpApiClient } from "effect/http-api"
import { present } from "../../domain/Present.ts"
import type { ControlApi } from "./ControlApi.ts"
import { type CommandName, operatorCommands } from "./OperatorCommands.ts"

export type ControlClient = HttpApiClient.ForApi<typeof ControlApi>

export const callOf =
  (name: CommandName, target: string | undefined, why: string | undefined) =>
  ({ command }: ControlClient) => {
    const reason = present({ why })
    const [needed = "", strategies] = [target, present({ strategy: target })]
    switch (name) {
      case "pause":
        return command.pause({ payload: { ...strategies, ...reason } })
      case "resume":
        return command.resume({ payload: { ...strategies, ...reason } })
      case "drain":
        return command.drain({ payload: { strategy: needed, ...reason } })
      case "cancel":
        return command.cancel({ payload: { slot: needed, ...reason } })
      case "cancel-all":
        return command.cancelAll({ payload: { confirm: operatorCommands[name].confirm, ...reason } })
      case "kill":
        return command.kill({ payload: { confirm: operatorCommands[name].confirm, ...reason } })
      case "release":
        return command.release({ payload: {} })
      case "reload":
        return command.reload({ payload: {} })
    }
  }
