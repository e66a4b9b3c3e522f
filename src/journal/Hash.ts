/** Links each event of the journal to the one before by a hash. A change, a removal or an insertion breaks every later hash. */
import { hash } from "node:crypto"

export interface Link {
  readonly sequence: number
  readonly at: number
  readonly body: string
}

export const genesis = "0".repeat(64)

export const hashOf = (before: string, { sequence, at, body }: Link): string =>
  hash("sha256", `${before}\n${sequence}\n${at}\n${body}`)
