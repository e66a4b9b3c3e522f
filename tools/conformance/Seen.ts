/** What a look sees: the parts of an answer, and what follows where one is not as it should be, or cannot be shown. */
class Failure extends Error {}
export class CannotShow extends Error {}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)]
    return isRecord(inner) ? inner[key] : undefined
  }, value)

export const fail = (text: string): never => {
  throw new Failure(text)
}

export const cannotShow = (text: string): never => {
  throw new CannotShow(text)
}

export const that = (isSo: boolean, otherwise: string): void => {
  if (!isSo) fail(otherwise)
}

/** Where the interface fixes nothing: another answer than the usual one shows nothing, and breaks nothing. */
export const usual = (isSo: boolean, otherwise: string): void => {
  if (!isSo) cannotShow(`the interface leaves it open; here ${otherwise}`)
}

export const same = (found: unknown, expected: unknown, what: string): void =>
  that(
    JSON.stringify(found) === JSON.stringify(expected),
    `${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`
  )
