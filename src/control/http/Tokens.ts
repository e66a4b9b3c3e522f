/**
 * The two bearer tokens of a journal: `<journal>.token` commands, `<journal>.viewer-token` looks. They are made once,
 * with 256 bits of randomness, readable only by their owner, and survive restarts, so whatever uses them goes on
 * working. To replace a token, remove its file and start again. Tokens are compared in constant time and never
 * logged.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { Effect, FileSystem, Option, Redacted, Schema } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import { isLoopback } from "../Address.ts"
import type { TokenRole } from "../api/Access.ts"
import type { ControlOptions } from "../ControlOptions.ts"

/** A token file is unusable as it is. */
export class TokenUnusable extends Schema.TaggedError<TokenUnusable>()("TokenUnusable", { message: Schema.String }) {}

export const operatorFile = (journal: string): string => `${journal}.token`
export const viewerFile = (journal: string): string => `${journal}.viewer-token`

export interface Tokens {
  /** Whose token it is; `undefined` for any other text. */
  readonly roleOf: (token: Redacted.Redacted) => TokenRole | undefined
  /** Where somebody who has none finds one. */
  readonly where: string
}

const form = /^[A-Za-z0-9_-]{43}$/
const othersMayAccess = 0o077

const unusable = (file: string, problem: string) =>
  new TokenUnusable({ message: `The token file ${file} ${problem}. Remove it, and the next start makes a new one.` })

/** Reads a token; type, mode and content come from one open handle. */
export const read = Effect.fn("Tokens.read")(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const handle = yield* fileSystem.open(file, { noFollow: true })
  const { type, mode } = yield* handle.stat
  if (type !== "File") return yield* unusable(file, "is not a plain file")
  if ((mode & othersMayAccess) !== 0) return yield* unusable(file, "can be read by others (it must have mode 0600)")
  const text = new TextDecoder().decode(Option.getOrUndefined(yield* handle.readAlloc(200))).trim()
  return form.test(text) ? Redacted.make(text) : yield* unusable(file, "holds no token")
}, Effect.scoped)

const create = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const token = Buffer.from(randomBytesUnsafe(32)).toString("base64url")
  yield* fileSystem.writeFileString(file, `${token}\n`, { mode: 0o600, flag: "wx" })
  return Redacted.make(token)
})

const readOrCreate = (file: string) =>
  read(file).pipe(
    Effect.catchTag("PlatformError", (error) => (error.reason._tag === "NotFound" ? create(file) : Effect.fail(error))),
    Effect.catchTag("PlatformError", ({ message }) => unusable(file, `cannot be used: ${message}`))
  )

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

/** The configuration may name a further token that looks. Only people of this machine are told where its files are. */
export const open = Effect.fn("Tokens.open")(function* (
  journal: string,
  { host, viewerToken: furtherViewer }: Pick<ControlOptions, "host" | "viewerToken">
) {
  const operator = digest(Redacted.value(yield* readOrCreate(operatorFile(journal))))
  const viewer = digest(Redacted.value(yield* readOrCreate(viewerFile(journal))))
  const further = furtherViewer === undefined ? viewer : digest(Redacted.value(furtherViewer))
  const roleOf = (token: Redacted.Redacted): TokenRole | undefined => {
    const given = digest(Redacted.value(token))
    // All are always compared, so the time taken says nothing.
    const [isOperator, ...isViewer] = [operator, viewer, further].map((known) => timingSafeEqual(given, known))
    return isOperator === true ? "operator" : isViewer.includes(true) ? "viewer" : undefined
  }
  const beside = isLoopback(host) ? journal : "<journal>"
  const where = `\`limitbot dashboard\` prints an address with it; it is in ${operatorFile(beside)}, and one that only looks in ${viewerFile(beside)}`
  return { roleOf, where } satisfies Tokens
})
