/**
 * Sends checkpoints of the journal to an outside witness, and reads the last one back: from a file that only grows, on another disk, or
 * from a server that accepts a note by POST and returns the last one by GET. Its silence proves nothing.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, FileSystem } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { messageOf } from "../../domain/Text.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import type { WitnessPlace } from "../../files/sections/WitnessSection.ts"
import * as Layers from "../../Layers.ts"
import * as Checkpoint from "../../signing/Checkpoint.ts"
import { receive } from "../../venue/http/Reply.ts"
import { commandFailed } from "../CommandFailed.ts"

export const silent = (where: string, why: string) => commandFailed(`The witness ${where} cannot be used now: ${why}`)

const patience = "5 seconds"
const maxBytes = 65_536

const whereOf = (terms: WitnessPlace): string => ("file" in terms ? terms.file : terms.url)

const endOf = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  if (!(yield* fileSystem.exists(file))) return undefined
  const opened = yield* fileSystem.open(file, { flag: "r" })
  const { size } = yield* opened.stat
  yield* opened.seek(size > maxBytes ? size - BigInt(maxBytes) : 0n, "start")
  const bytes = new Uint8Array(maxBytes)
  const byteCount = Number(yield* opened.read(bytes))
  return Buffer.from(bytes.subarray(0, byteCount)).toString("utf8")
}, Effect.scoped)

const answerOf = Effect.fnUntraced(function* (url: string) {
  const client = yield* HttpClient.HttpClient
  const { body, status } = yield* receive({ operation: "ask the witness", kind: "read" }, yield* client.get(url))
  if (status === 404) return undefined
  return status === 200 ? body.slice(-maxBytes) : yield* Effect.fail(`it answered with status ${status}`)
}, Effect.provide(NodeHttpClient.layerUndici))

const using = <A, R>(terms: WitnessPlace, step: Effect.Effect<A, unknown, R>) =>
  step.pipe(
    Effect.timeout(patience),
    Effect.mapError((cause) => silent(whereOf(terms), messageOf(cause)))
  )

/** Returns the last checkpoint of this account; `undefined` if the witness never received any. */
export const last = Effect.fn("Witness.last")(function* (
  terms: WitnessPlace,
  account: string,
  { account: keys }: Pick<ConfigFile.BotConfig, "account">
) {
  const publicKey = yield* Layers.publicKeyOfAccount(keys)
  const where = whereOf(terms)
  if (publicKey === undefined) return yield* silent(where, "the signer process does not report our key now")
  const notes = yield* using(terms, "file" in terms ? endOf(terms.file) : answerOf(terms.url))
  if (notes === undefined || notes === "") return undefined
  const lastCheckpoint = Checkpoint.lastIn(notes, account, publicKey)
  if (lastCheckpoint !== undefined) return lastCheckpoint
  const why = `it has no checkpoint of the account ${account} signed by ${publicKey}`
  return yield* silent(where, why)
})

const append = Effect.fnUntraced(function* (file: string, note: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const opened = yield* fileSystem.open(file, { flag: "a", mode: 0o600 })
  yield* opened.writeAll(new TextEncoder().encode(`${note}\n`))
  yield* opened.sync
}, Effect.scoped)

const post = Effect.fnUntraced(function* (url: string, note: string) {
  const client = yield* HttpClient.HttpClient
  const { status } = yield* client.execute(HttpClientRequest.post(url).pipe(HttpClientRequest.bodyText(note)))
  if (status < 200 || status > 299) return yield* Effect.fail(`it answered with status ${status}`)
}, Effect.provide(NodeHttpClient.layerUndici))

export const tell = (terms: WitnessPlace, note: string) =>
  using(terms, "file" in terms ? append(terms.file, note) : post(terms.url, note))
