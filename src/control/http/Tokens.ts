/**
 * Keeps two bearer tokens beside the journal: `<journal>.token` for commands, `<journal>.viewer-token` for reading. They survive restarts;
 * to replace one, remove its file and start again. No token is ever logged. `People` keeps the tokens of named people.
 */
import { timingSafeEqual } from "node:crypto"
import { Effect, FileSystem, Option, Redacted, Schedule, Schema } from "effect"
import { isLoopback } from "../Address.ts"
import type { Speaker } from "../api/Access.ts"
import type { ControlOptions } from "../ControlOptions.ts"
import { theOperator } from "../Operator.ts"
import * as OwnFile from "../OwnFile.ts"
import * as People from "./People.ts"
import { digestOf, generateToken, tokenForm } from "./People.ts"

export class TokenUnusable extends Schema.TaggedError<TokenUnusable>()("TokenUnusable", { message: Schema.String }) {}

/** A revoked reader may keep an open stream for this time. */
const lookAgain = "2 seconds"

const lasting = (role: Speaker["role"], name: string, token: Buffer): Speaker => ({
  role,
  name,
  digest: token.toString("hex"),
  left: Effect.never
})

export const operatorFile = (journal: string): string => `${journal}.token`
export const viewerFile = (journal: string): string => `${journal}.viewer-token`

export interface Tokens {
  /** Returns the holder; `undefined` for any other text. Fails if the list of people cannot be trusted. */
  readonly holderOf: (token: Redacted.Redacted) => Effect.Effect<Speaker | undefined, People.PeopleUnusable>
  readonly where: string
}

const unusable = (file: string, problem: string) =>
  new TokenUnusable({ message: `The token file ${file} ${problem}. Remove it, and the next start makes a new one.` })

const stored = Effect.fnUntraced(function* (file: string) {
  const text = yield* OwnFile.readOwnFile(file).pipe(Effect.mapError(({ message }) => unusable(file, message)))
  if (Option.isNone(text)) return undefined
  const token = text.value.trim()
  return tokenForm.test(token) ? Redacted.make(token) : yield* unusable(file, "contains no token")
})

export const readToken = Effect.fn("Tokens.read")(function* (file: string) {
  return (yield* stored(file)) ?? (yield* unusable(file, "is missing"))
})

const readOrCreate = Effect.fnUntraced(function* (file: string) {
  const storedToken = yield* stored(file)
  if (storedToken !== undefined) return storedToken
  const fileSystem = yield* FileSystem.FileSystem
  const token = generateToken()
  yield* fileSystem
    .writeFileString(file, `${Redacted.value(token)}\n`, { mode: 0o600, flag: "wx" })
    .pipe(Effect.mapError(({ message }) => unusable(file, `cannot be used: ${message}`)))
  return token
})

/** True if a token of this digest is still valid; fails if a file of tokens or people cannot be trusted. */
export const isHeld = Effect.fn("Tokens.isHeld")(function* (
  journal: string,
  furtherViewer: Redacted.Redacted | undefined,
  digest: string
) {
  const own = [yield* stored(operatorFile(journal)), yield* stored(viewerFile(journal)), furtherViewer]
  const isOwn = own.some((token) => token !== undefined && digestOf(token).toString("hex") === digest)
  return isOwn || (yield* People.list(journal)).some((person) => person.digest === digest)
})

/** `viewerToken` is a further token for reading. `where` contains the paths of the token files only if the server is on loopback. */
export const open = Effect.fn("Tokens.open")(function* (
  journal: string,
  { host, viewerToken: furtherViewer }: Pick<ControlOptions, "host" | "viewerToken">
) {
  const fileSystem = yield* FileSystem.FileSystem
  const operator = digestOf(yield* readOrCreate(operatorFile(journal)))
  const viewer = digestOf(yield* readOrCreate(viewerFile(journal)))
  const further = furtherViewer === undefined ? viewer : digestOf(furtherViewer)
  const holderOf: Tokens["holderOf"] = Effect.fnUntraced(
    function* (token) {
      const tokenDigest = digestOf(token)
      // All are always compared, so that the time reveals nothing.
      const [isOperator, ...isViewer] = [operator, viewer, further].map((known) => timingSafeEqual(tokenDigest, known))
      if (isOperator === true) return lasting("operator", theOperator, tokenDigest)
      if (isViewer.includes(true)) return lasting("viewer", "a viewer", tokenDigest)
      const person = yield* People.holderOf(journal, token)
      return person && { ...person, left: leftOf(token) }
    },
    Effect.provideService(FileSystem.FileSystem, fileSystem)
  )
  const leftOf = (token: Redacted.Redacted) =>
    People.holderOf(journal, token).pipe(
      Effect.orElseSucceed(() => undefined),
      Effect.repeat({ while: (person) => person !== undefined, schedule: Schedule.spaced(lookAgain) }),
      Effect.asVoid,
      Effect.provideService(FileSystem.FileSystem, fileSystem)
    )
  const beside = isLoopback(host) ? journal : "<journal>"
  const where = `The operator's token is in ${operatorFile(beside)}, a read-only one in ${viewerFile(beside)}; \`limitbot status --dashboard\` prints an address with the first`
  return { holderOf, where } satisfies Tokens
})
