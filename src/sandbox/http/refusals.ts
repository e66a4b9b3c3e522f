/** A refusal of the core in the error body of the requested endpoint. */
import { Effect } from "effect"
import { historyError, messageError, orderError, orderErrorCodes } from "../../venue/wire/WireError.ts"
import type { Refusal } from "../core/Refusal.ts"

export const asOrderError = Effect.catch(({ code, faults }: Refusal) => orderError(code, faults))

export const asMessageError = Effect.catch(({ code, faults }: Refusal) =>
  messageError(orderErrorCodes[code][0], faults.map(({ detail = code }) => detail).join("; "))
)

export const asHistoryError = Effect.catch(({ code, faults }: Refusal) =>
  historyError(orderErrorCodes[code][0], code, faults.map(({ detail = code }) => detail).join("; "))
)
