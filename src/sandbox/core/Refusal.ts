/** A refused request: its code and faults, before an endpoint puts them into its own form of error. */
import { Result } from "effect"
import type { Fault, OrderErrorCode } from "../../venue/wire/WireError.ts"

export interface Refusal {
  readonly code: OrderErrorCode
  readonly faults: readonly [Fault, ...Array<Fault>]
}

export const refuse = (code: OrderErrorCode, detail: string, pointer?: string): Result.Result<never, Refusal> =>
  Result.fail({ code, faults: [pointer === undefined ? { detail } : { detail, pointer }] })
