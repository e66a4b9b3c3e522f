/** The failure of a strategy's own code, which stops that strategy and nothing else. */
const failedName = "OwnCodeFailed"

/** Code of the user fails, in the words of the code or of its machine. The name survives the way from one thread to another. */
export class OwnCodeFailed extends Error {
  override readonly name = failedName
}

export const isOfOwnCode = (mistake: unknown): mistake is Error =>
  mistake instanceof Error && mistake.name === failedName
