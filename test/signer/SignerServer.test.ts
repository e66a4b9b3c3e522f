/** The signer behind its socket: it answers one line with one, signs exactly what it may, and records the rest. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Console, Effect, Fiber, Layer, Redacted } from "effect"
import { utc } from "../../src/domain/Text.ts"
import * as Record from "../../src/signer/remote/Record.ts"
import * as RemoteSigner from "../../src/signer/remote/RemoteSigner.ts"
import * as SignerServer from "../../src/signer/remote/SignerServer.ts"
import * as Policies from "../../src/signer/serving/Policies.ts"
import * as Checkpoint from "../../src/signing/Checkpoint.ts"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import * as Guard from "../../src/signing/IntentGuard.ts"
import * as Nep413 from "../../src/signing/Nep413.ts"
import { Signer, SigningRefused } from "../../src/signing/Signer.ts"
import { payer, testAccount, testKey } from "../world/service/scriptedVenue.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-signer-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const verifier = "intents.native"
const publicKey = Ed25519.format(Buffer.from(testAccount, "hex"))
const caps = new Map([["nep141:base", { symbol: "BASE", decimals: 0, maxTransfer: 100n, maxPerDay: 150n }]])
const good = Layer.orDie(Signer.layer(testKey))
const away = Layer.succeed(Signer, { sign: () => Effect.fail(new SigningRefused({ text: "the service is away" })) })

/** All that comes back on one connection until it ends. */
const said = (socket: string, text: string, isWhole = true): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let heard = ""
    const connection = connect(socket, () => connection.write(isWhole ? `${text}\n` : text))
    connection.setEncoding("utf8").on("data", (part: string) => {
      heard += part
    })
    connection.on("error", () => undefined)
    connection.on("close", () => resume(Effect.succeed(heard)))
  })

let count = 0
const options = Effect.fnUntraced(function* (change: Partial<SignerServer.SignerOptions> = {}) {
  count += 1
  const record = yield* Record.open(join(folder, `${count}.log`))
  const socket = join(folder, `${count}.sock`)
  return {
    socket,
    openTo: "owner",
    signerId: testAccount,
    publicKey,
    loginVerifier: verifier,
    policies: () => [{ caps }],
    record,
    ...change
  } as const
})
const layerOf = (signer: Layer.Layer<Signer>) => Layer.merge(Guard.layer(payer).pipe(Layer.provide(signer)), signer)

/** A signer that answers; its record, and what to ask it with. */
const serving = Effect.fnUntraced(function* (
  signer: Layer.Layer<Signer> = good,
  change: Partial<SignerServer.SignerOptions> = {}
) {
  const all = yield* options(change)
  const answering = yield* Effect.provide(SignerServer.serve(all), layerOf(signer))
  const fiber = yield* Effect.forkScoped(answering)
  const line = (text: string) => said(all.socket, text)
  const ask = (request: object) =>
    Effect.map(line(JSON.stringify(request)), (answer): globalThis.Record<string, unknown> => JSON.parse(answer))
  const noted = () => all.record.entries.map(({ what, reason }) => (reason === undefined ? what : `${what}: ${reason}`))
  return { ...all, fiber, line, ask, noted }
})

const nonce = Buffer.alloc(32, 7).toString("base64")
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const payloadOf = (amount: string, message: object = {}) => ({
  message: JSON.stringify({
    deadline: inMinutes(5),
    intents: [{ intent: "transfer", receiver_id: "d", tokens: { "nep141:base": amount } }],
    signer_id: testAccount,
    ...message
  }),
  nonce,
  recipient: verifier
})
const transfer = (amount = "60", change: object = {}) => ({
  _tag: "Transfer",
  standard: "nep413",
  payload: payloadOf(amount),
  depositAddress: "d",
  asset: "nep141:base",
  amount,
  ...change
})
const login = (message: unknown = {}, change: object = {}) => ({
  _tag: "Login",
  message:
    typeof message === "object" && message !== null && !Array.isArray(message)
      ? JSON.stringify({ deadline: inMinutes(5), intents: [], signer_id: testAccount, ...message })
      : String(message),
  nonce,
  recipient: verifier,
  ...change
})

describe("the signer behind its socket", () => {
  it.live("says for whom it signs, and signs a transfer once", () =>
    Effect.gen(function* () {
      const { ask, noted, record } = yield* serving()
      assert.deepStrictEqual(yield* ask({ _tag: "Who" }), { _tag: "Holder", signerId: testAccount, publicKey })
      const first = yield* ask(transfer())
      assert.strictEqual(first["_tag"], "Signed")
      const { signedData } = JSON.parse(String(first["body"]))
      const digest = Nep413.digest({ ...signedData.payload, nonce: Buffer.from(signedData.payload.nonce, "base64") })
      assert.isTrue(Ed25519.verify(publicKey, digest, signedData.signature))
      assert.deepStrictEqual(yield* ask(transfer()), { ...first, _tag: "SignedBefore" })
      const [, entry] = record.entries
      const { _tag: _, ...signed } = first
      assert.deepInclude(entry, { ...signed, depositAddress: "d", asset: "nep141:base", amount: "60", what: "signed" })
      assert.closeTo(entry?.at ?? 0, Date.now(), 60_000)
      assert.deepStrictEqual(noted(), ["signing", "signed"])
    }).pipe(Effect.scoped)
  )

  it.live("refuses what its file, its record or the payload forbids, and records why", () =>
    Effect.gen(function* () {
      const { ask, noted } = yield* serving()
      const refused = (check: string, expected: string, found: string) => ({ _tag: "Refused", check, expected, found })
      for (const amount of ["0", "-1", "01", "1.5", "", "1e3", "9".repeat(62)])
        assert.deepStrictEqual(
          yield* ask(transfer(amount)),
          refused("amount", "a whole number of smallest units", amount)
        )
      const declined = (reason: string) => ({ _tag: "Declined", reason })
      assert.deepStrictEqual(
        yield* ask(transfer("101")),
        declined("its own maxTransfer allows at most 100 BASE, this is 101 BASE")
      )
      const other = transfer("60", { payload: payloadOf("61") })
      assert.deepStrictEqual(yield* ask(other), refused("intent.tokens amount", '"60"', '"61"'))
      assert.strictEqual((yield* ask(transfer()))["_tag"], "Signed")
      assert.deepStrictEqual(
        yield* ask(transfer("61", { payload: payloadOf("61") })),
        refused("deposit address", "one that was not paid yet", "d")
      )
      assert.deepStrictEqual(
        yield* ask(transfer("91", { depositAddress: "e" })),
        declined("its own maxPerDay allows at most 150 BASE in 24 hours, this is 151 BASE")
      )
      assert.strictEqual(noted()[0], "refused: amount: expected a whole number of smallest units, found 0")
      assert.deepStrictEqual(noted().slice(-6), [
        "signing",
        'refused: intent.tokens amount: expected "60", found "61"',
        "signing",
        "signed",
        "refused: deposit address: expected one that was not paid yet, found d",
        "refused: maxPerDay: expected at most 150 BASE in 24 hours, found 151 BASE"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("signs nothing if a request has a field that the signer does not know", () =>
    Effect.gen(function* () {
      const { ask, noted } = yield* serving()
      for (const request of [transfer("60", { memo: "x" }), login({}, { until: 1 }), { _tag: "Who", whom: "x" }])
        assert.deepInclude(yield* ask(request), { _tag: "Refused", check: "request" })
      assert.isEmpty(noted())
    }).pipe(Effect.scoped)
  )

  it.live("opens sessions of its own account, without intents and with a limit in time", () =>
    Effect.gen(function* () {
      const { ask, noted } = yield* serving()
      const request = login()
      const answer = yield* ask(request)
      const { message } = request
      const digest = Nep413.digest({ message, nonce: Buffer.from(nonce, "base64"), recipient: verifier })
      assert.deepStrictEqual(Object.keys(answer), ["_tag", "publicKey", "signature"])
      assert.strictEqual(answer["publicKey"], publicKey)
      assert.isTrue(Ed25519.verify(publicKey, digest, String(answer["signature"])))
      assert.strictEqual((yield* ask(login({ deadline: inMinutes(14.9) })))["_tag"], "LoggedIn")
      const late = "a deadline too far ahead, or none"
      const cases: ReadonlyArray<readonly [request: object, check: string, found: string]> = [
        [login({ signer_id: "mallory" }), "message", "another signer_id"],
        [login({ signer_id: null }), "message", "another signer_id"],
        [login({ intents: [{ intent: "transfer" }] }), "message", "intents.0: Expected no excess property"],
        [login({ intents: null }), "message", "intents: Expected array"],
        [login({ memo: "x" }), "message", "memo: Expected no excess property"],
        [login({ deadline: undefined }), "message", "deadline: Missing key"],
        [login({ deadline: inMinutes(15.1) }), "message", late],
        [login({ deadline: "soon" }), "message", late],
        [login("null"), "message", "Expected object"],
        [login('"text"'), "message", "Expected object"],
        [login({}, { recipient: "thief" }), "recipient", "thief"],
        [login({}, { nonce: "short" }), "nonce", "short"]
      ]
      for (const [asked, check, found] of cases)
        assert.deepInclude(yield* ask(asked), { _tag: "Refused", check, found }, JSON.stringify(asked))
      assert.deepInclude(yield* ask(login("{")), { _tag: "Refused", check: "message" })
      assert.deepStrictEqual(
        noted().filter((what) => what === "login"),
        ["login", "login"]
      )
      assert.lengthOf(noted(), cases.length + 3)
    }).pipe(Effect.scoped)
  )

  it.live("signs checkpoints of its own account's journal, and no other text", () =>
    Effect.gen(function* () {
      const { ask, noted, socket } = yield* serving()
      const checkpoint = {
        account: testAccount,
        size: 7,
        root: Buffer.alloc(32).toString("base64"),
        head: "0".repeat(64),
        at: 1_790_000_000_000
      }
      const note = yield* Effect.provide(Checkpoint.signed(checkpoint), RemoteSigner.layer(socket))
      assert.deepInclude(Checkpoint.lastIn(note, testAccount, publicKey), checkpoint)
      assert.strictEqual(yield* RemoteSigner.publicKeyOf(socket), publicKey)
      assert.isEmpty(noted())
      const text = Checkpoint.textOf(checkpoint)
      for (const other of [
        Checkpoint.textOf({ ...checkpoint, account: "mallory.near" }),
        `${text}{}`,
        payloadOf("60").message
      ])
        assert.deepInclude(
          yield* ask({ _tag: "Checkpoint", text: other }),
          { _tag: "Refused", check: "checkpoint" },
          other
        )
      assert.lengthOf(noted(), 3)
    }).pipe(Effect.scoped)
  )

  it.live("accepts an approver's approval for the hour or the time after which it is to end", () =>
    Effect.gen(function* () {
      const { record, socket } = yield* serving(good, { policies: () => [{ caps, approvers: [publicKey] }] })
      const [policy, key] = [join(folder, "policy.yaml"), join(folder, "approver.key")]
      const assets = `assets: { BASE: { id: "nep141:base", decimals: 0, maxTransfer: 100, maxPerDay: 150 } }`
      writeFileSync(policy, `version: 1\naccount: ${testAccount}\nlock: 1d\n${assets}\n`)
      writeFileSync(key, Redacted.value(testKey), { mode: 0o600 })
      const approval = { asset: "BASE", amount: "60", policy, key, socket }
      for (const [within, millis] of [
        [undefined, 3_600_000],
        [60_000, 60_000]
      ] as const) {
        const printed: Array<unknown> = []
        const console = { ...globalThis.console, log: (line: unknown) => void printed.push(line) }
        yield* Policies.approve({ ...approval, within }).pipe(
          Effect.provideService(Console.Console, console),
          Effect.provide(NodeServices.layer)
        )
        const { at = 0, validUntil = 0, what } = record.entries.at(-1) ?? {}
        assert.strictEqual(what, "approved")
        assert.closeTo(validUntil - at, millis, 5_000)
        assert.include(printed.join(), `approved until ${utc(validUntil)}`)
      }
    })
  )

  it.live("opens at most as many sessions as its policy allows", () =>
    Effect.gen(function* () {
      const { ask, record } = yield* serving()
      for (let index = 0; index < 60; index += 1) yield* record.append({ at: Date.now(), what: "login" })
      assert.deepInclude(yield* ask(login()), { _tag: "Refused", check: "login", found: "61" })
    }).pipe(Effect.scoped)
  )

  it.live("says if the holder of the key is away, and refuses an invalid request unrecorded", () =>
    Effect.gen(function* () {
      const { ask, line, noted } = yield* serving(away)
      assert.deepStrictEqual(yield* ask(transfer()), { _tag: "Unavailable", reason: "the service is away" })
      assert.deepInclude(yield* ask(login()), { _tag: "Refused", check: "signer", found: "the service is away" })
      assert.deepStrictEqual(noted(), ["signing", "refused: the service is away", "login"])
      assert.deepStrictEqual(JSON.parse(yield* line("x".repeat(70))), {
        _tag: "Refused",
        check: "request",
        expected: "a request of this program",
        found: "x".repeat(60)
      })
      assert.lengthOf(noted(), 3)
    }).pipe(Effect.scoped)
  )

  it.live("ends if its record cannot be written, and signs nothing then", () =>
    Effect.gen(function* () {
      const full = new Record.RecordBroken({ message: "no space" })
      const { fiber, socket } = yield* serving(good, { record: { entries: [], append: () => Effect.fail(full) } })
      const asking = yield* Effect.forkScoped(said(socket, JSON.stringify(transfer())))
      assert.deepStrictEqual(yield* Effect.flip(Fiber.join(fiber)), full)
      yield* Fiber.interrupt(asking)
    }).pipe(Effect.scoped)
  )

  it.live("cuts off an endless line, and continues", () =>
    Effect.gen(function* () {
      const { ask, socket } = yield* serving()
      assert.strictEqual(yield* said(socket, "x".repeat(100_001), false), "")
      assert.strictEqual((yield* ask({ _tag: "Who" }))["_tag"], "Holder")
    }).pipe(Effect.scoped)
  )

  it.live("takes the socket of a dead process, not of a living one, and removes its own", () =>
    Effect.gen(function* () {
      const path = yield* Effect.gen(function* () {
        const { socket } = yield* serving(good, { openTo: "group" })
        assert.strictEqual(statSync(socket).mode & 0o777, 0o660)
        const second = yield* options({ socket })
        const failure = yield* Effect.flip(Effect.provide(SignerServer.serve(second), layerOf(good)))
        assert.match(failure.message, /Another process listens on .* already/)
        return socket
      }).pipe(Effect.scoped)
      assert.strictEqual(statSync(path, { throwIfNoEntry: false }), undefined)
      writeFileSync(path, "left behind")
      const { ask, socket } = yield* serving(good, { socket: path })
      assert.strictEqual((yield* ask({ _tag: "Who" }))["_tag"], "Holder")
      assert.strictEqual(statSync(socket).mode & 0o777, 0o600)
      const nowhere = yield* options({ socket: join(folder, "nowhere", "a.sock") })
      const failure = yield* Effect.flip(Effect.provide(SignerServer.serve(nowhere), layerOf(good)))
      assert.match(failure.message, /Cannot listen on /)
    }).pipe(Effect.scoped)
  )
})
