/**
 * The link between one event of the journal and the next: a hash of the event and of the hash before it. Nothing can be
 * changed, removed or put in between without breaking every hash that follows.
 */
import { hash } from "node:crypto"

export interface Link {
  readonly sequence: number
  readonly at: number
  readonly body: string
}

export const genesis = "0".repeat(64)

export const hashOf = (before: string, { sequence, at, body }: Link): string =>
  hash("sha256", `${before}\n${sequence}\n${at}\n${body}`)
