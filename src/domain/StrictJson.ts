/**
 * JSON that means the same to every reader: no duplicate keys (parsers differ in which one wins), bounded length and depth. For text that
 * is signed as it stands, because the verifier reads it again and decides about money.
 */
import { Result } from "effect"

const maxLength = 16_384
const maxDepth = 16

/** On valid JSON this matches exactly the strings and the structural characters; the rest is numbers and words. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g

export const parseJson = (text: string, most = maxLength): Result.Result<unknown, string> => {
  if (text.length > most) return Result.fail(`more than ${most} characters`)
  const parsed = Result.try(() => JSON.parse(text) as unknown)
  if (Result.isFailure(parsed)) return Result.fail("not JSON")
  const problem = scan(text)
  return problem === undefined ? Result.succeed(parsed.success) : Result.fail(problem)
}

const scan = (text: string): string | undefined => {
  const open: Array<Set<string>> = []
  let candidate: string | undefined
  for (const [found] of text.matchAll(token)) {
    if (found === "{" || found === "[") {
      open.push(new Set())
      if (open.length > maxDepth) return `nested more than ${maxDepth} deep`
    } else if (found === "}" || found === "]") {
      open.pop()
    } else if (found === ":" && candidate !== undefined) {
      const keys = open.at(-1)
      if (keys?.has(candidate) === true) return `duplicate key ${candidate.slice(0, 60)}`
      keys?.add(candidate)
    }
    candidate = found.startsWith('"') ? unescape(found) : undefined
  }
  return undefined
}

const unescape = (quoted: string): string =>
  Result.getOrElse(
    Result.try(() => String(JSON.parse(quoted))),
    () => quoted
  )
