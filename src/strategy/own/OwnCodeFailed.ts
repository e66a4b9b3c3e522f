/** The failure of a strategy's own code, which stops only that strategy. */
import { printable } from "../../domain/Text.ts"

const failedName = "OwnCodeFailed"

const maxLength = 1_000

/** The message is from the code or its machine. The name survives the transfer between threads. */
export class OwnCodeFailed extends Error {
  override readonly name = failedName

  constructor(message: string) {
    const excerpt = message.length > maxLength ? `${message.slice(0, maxLength)}…` : message
    super(printable(excerpt))
  }
}

export const isOfOwnCode = (mistake: unknown): mistake is Error =>
  mistake instanceof Error && mistake.name === failedName
