/**
 * Records a signer's requests and answers: one line of JSON each, on disk before a signature leaves. Each line holds the hash of the line
 * before it, so a removed or changed line shows. The record is read again at the start: payloads signed today count against the caps, and
 * an order's deposit address is paid once.
 */
import { createHash } from "node:crypto"
import { closeSync, openSync, readFileSync, statSync, truncateSync, writeSync } from "node:fs"
import { Effect, Schema } from "effect"
import { messageOf } from "../../domain/Text.ts"

const RecordEntry = Schema.Struct({
  at: Schema.Int,
  /** `signing` is written before the key is used, so a payload counts even if the signer dies while signing it. */
  what: Schema.Literals(["signing", "signed", "refused", "login", "approved", "policy"]),
  depositAddress: Schema.optionalKey(Schema.String),
  asset: Schema.optionalKey(Schema.String),
  amount: Schema.optionalKey(Schema.String),
  intentHash: Schema.optionalKey(Schema.String),
  /** The signed payload. A repeated request gets it again; it can only pay this address, once. */
  body: Schema.optionalKey(Schema.String),
  validUntil: Schema.optionalKey(Schema.Int),
  /** The time until which the payload may be executed, by the signer's own time, as in `at`. */
  until: Schema.optionalKey(Schema.Int),
  reason: Schema.optionalKey(Schema.String),
  /** It was refused after `signing`, and nothing was signed. */
  releases: Schema.optionalKey(Schema.Literal(true)),
  /** For an approval, its nonce. For a payment, the approvals that it used. */
  approvals: Schema.optionalKey(Schema.Array(Schema.String)),
  by: Schema.optionalKey(Schema.String),
  /** A policy as it arrived, to be read again at the next start. */
  version: Schema.optionalKey(Schema.Int),
  text: Schema.optionalKey(Schema.String),
  previous: Schema.String
})
type Whole = typeof RecordEntry.Type
export type RecordEntry = Omit<Whole, "previous">

export class RecordBroken extends Schema.TaggedError<RecordBroken>()("RecordBroken", { message: Schema.String }) {}

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(RecordEntry))
const hashOf = (line: string): string => createHash("sha256").update(line).digest("hex")

export interface Record {
  readonly entries: ReadonlyArray<RecordEntry>
  /** The entry is on disk on return. */
  append(entry: RecordEntry): Effect.Effect<void, RecordBroken>
}

const attempt = <A>(file: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => new RecordBroken({ message: `The signer's record ${file}: ${messageOf(cause)}` })
  })

/** Each write is on disk when it returns (Node's permission model does not allow fsync). */
const opened = (file: string): number => {
  // Opening a named pipe would wait without limit and ignore signals.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error("it is not a plain file")
  return openSync(file, "as", 0o600)
}

/** A line cut off by a crash was never answered, so nothing was signed for it. `end`: the offset after the last whole line. */
const readLines = (file: string) => {
  const bytes = readFileSync(file)
  const end = bytes.lastIndexOf("\n") + 1
  return { lines: bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1), end, isCut: end < bytes.length }
}

const checked = (lines: ReadonlyArray<string>): ReadonlyArray<Whole> => {
  let previous = ""
  return lines.map((line, index) => {
    const entry = decode(line)
    if (entry.previous !== previous) throw new Error(`line ${index + 1} does not follow from the one before it`)
    previous = hashOf(line)
    return entry
  })
}

/** A signer may be writing a line at the same time, so nothing is truncated. */
export const readRecord = Effect.fn("Record.read")((file: string) =>
  attempt(file, (): ReadonlyArray<RecordEntry> => checked(readLines(file).lines))
)

export const open = Effect.fn("Record.open")(function* (file: string) {
  const descriptor = yield* Effect.acquireRelease(
    attempt(file, () => opened(file)),
    (held) => Effect.sync(() => closeSync(held))
  )
  const { end, isCut, lines } = yield* attempt(file, () => readLines(file))
  // The next line must not be joined to one that was cut off.
  if (isCut) yield* attempt(file, () => truncateSync(file, end))
  const entries: Array<RecordEntry> = [...(yield* attempt(file, () => checked(lines)))]
  const last = lines.at(-1)
  let previous = last === undefined ? "" : hashOf(last)
  const append = (entry: RecordEntry) =>
    attempt(file, () => {
      const line = JSON.stringify({ ...entry, previous })
      writeSync(descriptor, `${line}\n`)
      previous = hashOf(line)
      entries.push(entry)
    })
  return { entries, append } satisfies Record
})
