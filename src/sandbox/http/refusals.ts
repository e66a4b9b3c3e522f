/** The sandbox for a group of endpoints: a refusal of the core has the error body of that group. */
import { Effect, type Result } from "effect"
import { historyError, messageError, orderError, orderErrorCodes } from "../../venue/wire/WireError.ts"
import type { Command, CommandTag } from "../core/Commands.ts"
import type { Refusal } from "../core/Refusal.ts"
import type { State } from "../core/State.ts"
import { Sandbox } from "../Sandbox.ts"

const sandboxWith = <E>(asError: (refusal: Refusal) => Effect.Effect<never, E>) =>
  Effect.map(Sandbox, ({ change, read, settings }) => ({
    settings,
    read: <A>(view: (state: State) => A) => Effect.catch(read(view), asError),
    ask: <A>(view: (state: State) => Result.Result<A, Refusal>) =>
      Effect.catch(Effect.flatMap(read(view), Effect.fromResult), asError),
    change: <T extends CommandTag>(command: Command<T>) => Effect.catch(change(command), asError)
  }))

const sentence = ({ code, faults }: Refusal): string => faults.map(({ detail = code }) => detail).join("; ")

export const sandboxForOrders = sandboxWith(({ code, faults }) => orderError(code, faults))

export const sandboxForMessages = sandboxWith((refusal) =>
  messageError(orderErrorCodes[refusal.code][0], sentence(refusal))
)

export const sandboxForHistory = sandboxWith((refusal) =>
  historyError(orderErrorCodes[refusal.code][0], refusal.code, sentence(refusal))
)
