/** The failure of a strategy's own code, which stops that strategy and nothing else. */
import { printable } from "../../domain/Text.ts"

const failedName = "OwnCodeFailed"

const maxLength = 1_000

/** Has the words of the code or of its machine. Its name survives the transfer between threads. */
export class OwnCodeFailed extends Error {
  override readonly name = failedName

  constructor(message: string) {
    const excerpt = message.length > maxLength ? `${message.slice(0, maxLength)}…` : message
    super(printable(excerpt))
  }
}

export const isOfOwnCode = (mistake: unknown): mistake is Error =>
  mistake instanceof Error && mistake.name === failedName
