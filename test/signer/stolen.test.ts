/**
 * A bot that was taken over asks the signer behind its socket for whatever it likes, for a week of virtual time: payloads that
 * live for days, to be saved up, sums and assets at random, while the machine's clock is set and the signer dies. However it
 * then sends what it got, no hour, day or month has more in it than the caps.
 */
import { sign } from "node:crypto"
import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { dayMillis, hourMillis, minuteMillis } from "../../src/domain/Durations.ts"
import { type Policy, type SpanName, spanNames, spans } from "../../src/signer/remote/Policy.ts"
import * as Record from "../../src/signer/remote/Record.ts"
import * as SignerServer from "../../src/signer/remote/SignerServer.ts"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import * as Guard from "../../src/signing/IntentGuard.ts"
import { Signer } from "../../src/signing/Signer.ts"
import { isLong } from "../long.ts"
import { randomFrom } from "../world/processes/processes.ts"
import { payer, testAccount, testKey } from "../world/service/scriptedVenue.ts"

const publicKey = Ed25519.format(Buffer.from(testAccount, "hex"))
const privateKey = Ed25519.privateKeyOf(Ed25519.parse(Redacted.value(testKey), 32) ?? Buffer.alloc(32))

const folder = mkdtempSync(join(tmpdir(), "limitbot-stolen-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const caps = (maxPerHour: number, maxPerDay: number, maxPerMonth: number): { readonly [K in SpanName]: number } => ({
  maxPerHour,
  maxPerDay,
  maxPerMonth
})
const limits = { a: caps(100, 400, 900), b: caps(20, 60, 150), total: caps(150, 600, 1200) }
const priceOf = { a: 1, b: 4 } as const
const numbers = <A>(given: { readonly [K in SpanName]: number }, as: (value: bigint) => A) => ({
  maxPerHour: as(BigInt(given.maxPerHour)),
  maxPerDay: as(BigInt(given.maxPerDay)),
  maxPerMonth: as(BigInt(given.maxPerMonth))
})
const capOf = (symbol: "a" | "b", maxTransfer: bigint) => ({
  ...numbers(limits[symbol], (value) => value),
  ...{ symbol, decimals: 0, maxTransfer, price: Decimal.make(BigInt(priceOf[symbol])) }
})
const policy: Policy = {
  caps: new Map([
    ["nep141:a", capOf("a", 60n)],
    ["nep141:b", capOf("b", 10n)]
  ]),
  total: numbers(limits.total, (value) => Decimal.make(value))
}

/** Real time passes as the test says; the clock of the machine shows what it was set to. */
const clockOfMachine = () => {
  const time = { passed: 0, off: 0 }
  const start = 1_790_000_000_000
  const wall = () => start + time.passed + time.off
  const nanos = () => BigInt(time.passed) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: wall,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanosUnsafe: () => BigInt(wall()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(wall()) * 1_000_000n),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: () => Effect.never
  }
  return { clock, time, wall, now: () => start + time.passed }
}

const said = (
  socket: string,
  request: object
): Effect.Effect<{ readonly _tag: string; readonly validUntil?: number }> =>
  Effect.callback((resume) => {
    let heard = ""
    const connection = connect(socket, () => connection.write(`${JSON.stringify(request)}\n`))
    connection.setEncoding("utf8").on("data", (part: string) => {
      heard += part
    })
    connection.on("error", () => undefined)
    connection.on("close", () => {
      if (heard !== "") resume(Effect.succeed(JSON.parse(heard)))
    })
    return Effect.sync(() => connection.destroy())
  })

interface Got {
  readonly asset: "a" | "b"
  readonly amount: number
  readonly from: number
  readonly until: number
}

/** The most that can be executed within a length of time, whenever each payload is sent. It is reached when one is signed. */
const mostIn = (all: ReadonlyArray<Got>, millis: number, worth: (each: Got) => number): number =>
  Math.max(
    0,
    ...all.map(({ from }) =>
      all.filter((each) => each.from <= from && each.until > from - millis).reduce((sum, each) => sum + worth(each), 0)
    )
  )

const transfer = (address: string, asset: "a" | "b", amount: number, deadline: number, nonce: number) => {
  const id = `nep141:${asset}`
  const intents = [{ intent: "transfer", receiver_id: address, tokens: { [id]: String(amount) } }]
  const message = JSON.stringify({ deadline: new Date(deadline).toISOString(), intents, signer_id: testAccount })
  const bytes = Buffer.alloc(32)
  bytes.writeUInt32LE(nonce)
  const payload = { message, nonce: bytes.toString("base64"), recipient: "intents.native" }
  const asked = { depositAddress: address, asset: id, amount: String(amount) }
  return { _tag: "Transfer", standard: "nep413", payload, ...asked }
}

/** A signer process; `dies` makes it die when it uses its key. */
const process = Effect.fnUntraced(function* (name: string, clock: Clock.Clock) {
  const [log, socket] = [join(folder, `${name}.log`), join(folder, `${name}.sock`)]
  const state = { dies: false }
  const signer = Layer.succeed(Signer, {
    sign: (bytes) =>
      Effect.suspend(() => {
        if (state.dies) return Effect.die("killed")
        return Effect.succeed({ publicKey, signature: Ed25519.format(sign(null, bytes, privateKey)) })
      })
  })
  const services = Layer.merge(Guard.layer(payer).pipe(Layer.provide(signer)), signer)
  const start = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const serving = yield* Effect.gen(function* () {
      const record = yield* Record.open(log)
      const answering = yield* SignerServer.serve({
        ...{ socket, record, signerId: testAccount, loginVerifier: "intents.native", openTo: "owner" },
        publicKey,
        policies: () => [policy]
      })
      return yield* Effect.forkScoped(answering)
    }).pipe(Effect.provide(services), Effect.provideService(Scope.Scope, scope))
    return { serving, end: Scope.close(scope, Exit.void) }
  }).pipe(Effect.provideService(Clock.Clock, clock))
  return { log, socket, start, state }
})

const week = Effect.fnUntraced(function* (seed: number) {
  const random = randomFrom(seed)
  const whole = (from: number, to: number) => Math.floor(random(from, to))
  const { clock, now, time, wall } = clockOfMachine()
  const signer = yield* process(String(seed), clock)
  const got: Array<Got> = []
  const tags = new Map<string, number>()
  let running = yield* signer.start
  const restart = Effect.gen(function* () {
    yield* running.end
    if (random(0, 1) < 0.5) appendFileSync(signer.log, '{"at":17,"what":"si')
    // At a start the clock is right: how long it did not run, a process can learn from nobody else.
    time.off = 0
    running = yield* signer.start
  })
  for (let count = 0; time.passed < 7 * dayMillis; count += 1) {
    time.passed += whole(0, random(0, 1) < 0.5 ? 5 * minuteMillis : 2 * hourMillis)
    // Somebody sets the clock of the machine while the signer runs.
    if (random(0, 1) < 0.1) time.off = whole(-2 * dayMillis, 2 * dayMillis)
    if (random(0, 1) < 0.05) yield* restart
    const asset = random(0, 1) < 0.5 ? "a" : "b"
    const amount = whole(1, asset === "a" ? 65 : 12)
    const life = random(0, 1) < 0.5 ? whole(6_000, 5 * minuteMillis) : whole(6_000, 7 * dayMillis)
    const address = random(0, 1) < 0.2 ? `address-${whole(0, 20)}` : `fresh-${count}`
    signer.state.dies = random(0, 1) < 0.05
    const asking = yield* Effect.forkChild(said(signer.socket, transfer(address, asset, amount, wall() + life, count)))
    const answer = yield* Effect.raceFirst(
      Fiber.join(asking),
      Effect.as(Fiber.await(running.serving), { _tag: "Died", validUntil: now() })
    )
    yield* Fiber.interrupt(asking)
    tags.set(answer._tag, (tags.get(answer._tag) ?? 0) + 1)
    // What it died over counts, as if somebody had it.
    if (answer._tag === "Signed" || answer._tag === "Died")
      got.push({ asset, amount, from: now(), until: answer.validUntil ?? 0 })
    if (answer._tag === "Died") yield* restart
  }
  yield* running.end
  for (const name of spanNames) {
    const { millis } = spans[name]
    for (const asset of ["a", "b"] as const) {
      const all = got.filter((each) => each.asset === asset)
      const most = mostIn(all, millis, ({ amount }) => amount)
      assert.isAtMost(most, limits[asset][name], `${asset} ${name}, seed ${seed}`)
    }
    const most = mostIn(got, millis, ({ amount, asset }) => amount * priceOf[asset])
    assert.isAtMost(most, limits.total[name], `total ${name}, seed ${seed}`)
  }
  return tags
})

describe("a stolen bot", () => {
  it.live.skipIf(!isLong)("sends saved payloads, which count in the hour in which they can still be sent", () =>
    Effect.gen(function* () {
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        const tags = yield* week(seed)
        for (const [tag, least] of [
          ["Signed", 5],
          ["Declined", 20],
          ["Refused", 1]
        ] as const)
          assert.isAtLeast(tags.get(tag) ?? 0, least, `${tag}, seed ${seed}`)
      }
    })
  )
})
