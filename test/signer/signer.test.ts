/**
 * The key in a process of its own: a bot without any key trades through it; what a patched bot would ask for is refused and
 * recorded; the caps hold over restarts; keys under a passphrase come back only with it.
 */
import { generateKeyPairSync } from "node:crypto"
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { Effect, Redacted } from "effect"
import * as Keystore from "../../src/files/secrets/Keystore.ts"
import { ledgerOf } from "../../src/venue/profile/Profiles.ts"
import { limitbot } from "../builtProgram.ts"
import { isLong } from "../long.ts"
import { signerText, usualProfile } from "../profile.ts"
import {
  assertSays,
  configText,
  newFolder,
  nowhere,
  ordersAt,
  runHere,
  start,
  startSandbox,
  workspace
} from "../world/processes/program.ts"
import { until } from "../world/processes/runningBot.ts"

/** The example that the package brings, as it stands. */
const example = readFileSync(resolve(import.meta.dirname, "../../deploy/kms-openssl.sh"), "utf8")

const ask = (socket: string, line: string): Promise<string> =>
  new Promise((done) => {
    let said = ""
    const connection = connect(socket, () => connection.write(`${line}\n`))
    connection.setEncoding("utf8").on("data", (part: string) => {
      said += part
    })
    connection.on("error", () => undefined)
    connection.on("close", () => done(said))
  })

const usdc = `nep141:usdc.omft.${ledgerOf(usualProfile)}`

const payload = (signerId: string, verifier: string, changed: Record<string, unknown> = {}, minutes = 5) => ({
  message: JSON.stringify({
    deadline: new Date(Date.now() + minutes * 60_000).toISOString(),
    intents: [{ intent: "transfer", receiver_id: "address-1", tokens: { [usdc]: "1000000" }, ...changed }],
    signer_id: signerId
  }),
  nonce: Buffer.alloc(32, 7).toString("base64"),
  recipient: verifier
})

describe("the signer process", () => {
  it("lets a bot without a key trade, and refuses and records tampered requests", async () => {
    const sandbox = await startSandbox({ speed: 60 })
    const { signerId } = sandbox.account
    const text = configText(sandbox).replace(
      "key: { file: account.key }",
      `signerId: ${signerId}\n  signer: { socket: signer.sock }`
    )
    const folder = workspace(sandbox, { "config.yaml": text, "signer.yaml": signerText(sandbox) })
    const socket = join(folder, "signer.sock")
    // Nothing but the program and this folder: no other file, no child process, no native code.
    const allowed = [dirname(limitbot), folder].map((path) => `--allow-fs-read=${path}/`)
    const confined = {
      environment: { NODE_OPTIONS: ["--permission", ...allowed, `--allow-fs-write=${folder}/`].join(" ") }
    }
    const begin = () => start(["signer", "--socket", socket, "--config", join(folder, "signer.yaml")], confined)
    let signer = begin()
    await signer.says(/signs for/)
    assert.strictEqual(statSync(socket).mode & 0o777, 0o600)
    const bot = start(
      ["run", join(folder, "grid.yaml"), "--config", join(folder, "config.yaml"), "--poll", "0.3s"],
      confined
    )
    const funded = async () => (await ordersAt(sandbox)).filter(({ held }) => held.length > 0).length
    await until("orders are funded", async () => (await funded()) >= 6)
    bot.signal("SIGTERM")
    assert.strictEqual((await bot.ended).code, 0)

    const record = () =>
      readFileSync(join(folder, "signer.log"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    const before = record().filter(({ what }) => what === "signed").length
    assert.isAtLeast(before, 6)
    const good = { depositAddress: "address-1", asset: usdc, amount: "1000000" }
    const standard = "nep413"
    const transfer = (request: unknown, body = payload(signerId, sandbox.verifier)) =>
      ask(socket, JSON.stringify({ _tag: "Transfer", standard, payload: body, ...good, ...(request as object) }))
    const login = (change: Record<string, unknown>, minutes = 5) => {
      const { message, ...rest } = payload(signerId, sandbox.verifier, {}, minutes)
      const text = JSON.stringify({ ...JSON.parse(message), intents: [], ...change })
      return ask(socket, JSON.stringify({ _tag: "Login", ...rest, message: text }))
    }
    assert.match(await login({}), /"_tag":"LoggedIn"/)
    const tampered: ReadonlyArray<readonly [string, Promise<string>]> = [
      ["another receiver", transfer({}, payload(signerId, sandbox.verifier, { receiver_id: "thief" }))],
      ["another amount", transfer({}, payload(signerId, sandbox.verifier, { tokens: { [usdc]: "2000000" } }))],
      ["another intent", transfer({}, payload(signerId, sandbox.verifier, { intent: "native_withdraw" }))],
      ["a further field", transfer({}, payload(signerId, sandbox.verifier, { msg: "x" }))],
      ["another account", transfer({}, payload("thief", sandbox.verifier))],
      ["another verifier", transfer({}, payload(signerId, "thief.near"))],
      ["a year of validity", transfer({}, payload(signerId, sandbox.verifier, {}, 525_600))],
      ["an amount below zero", transfer({ amount: "-1" })],
      [
        "a login with an intent",
        ask(socket, JSON.stringify({ _tag: "Login", ...payload(signerId, sandbox.verifier) }))
      ],
      ["a login that would live for a year", login({}, 525_600)],
      ["a login of another account", login({ signer_id: "thief" })],
      ["bytes to sign", ask(socket, JSON.stringify({ _tag: "Sign", digest: "aa" }))],
      ["no JSON", ask(socket, "give me a signature")]
    ]
    for (const [name, answer] of tampered) assert.match(await answer, /"_tag":"Refused"/, name)
    const declined: ReadonlyArray<readonly [string, Promise<string>]> = [
      ["more than the cap", transfer({ amount: "400000001" })],
      ["an asset that is not listed", transfer({ asset: "nep141:eth" })]
    ]
    for (const [name, answer] of declined) assert.match(await answer, /"_tag":"Declined"/, name)
    assert.strictEqual(record().filter(({ what }) => what === "signed").length, before)

    // A bot that died before it had the answer gets the same bytes once more; for other bytes the address is taken.
    const given = await transfer({})
    assert.match(given, /"_tag":"Signed"/)
    const fresh = { ...payload(signerId, sandbox.verifier), nonce: Buffer.alloc(32, 8).toString("base64") }
    const again = given.replace('"Signed"', '"SignedBefore"')
    assert.strictEqual(await transfer({}, fresh), again)
    const more = payload(signerId, sandbox.verifier, { tokens: { [usdc]: "2000000" } })
    assert.match(await transfer({ amount: "2000000" }, more), /one that was not paid yet/)
    signer.signal("SIGTERM")
    await signer.ended
    assert.isFalse(existsSync(socket))

    const log = join(folder, "signer.log")
    // Where the machine died in the middle of a line nothing was signed, and the signer goes on.
    appendFileSync(log, '{"at":1,"what":"sig')
    signer = begin()
    await signer.says(/signs for/)
    assert.strictEqual(await transfer({}), again, "remembered over a restart")
    assert.match(await transfer({ amount: "2000000" }, more), /one that was not paid yet/)
    signer.signal("SIGTERM")
    await signer.ended
    const lines = readFileSync(log, "utf8").split("\n")
    writeFileSync(log, lines.filter((_, index) => index !== 3).join("\n"))
    assertSays(await begin().ended, 1, /line 4 does not follow from the one before it/)
  })

  it("signs with a key service behind a program, and releases only valid signatures", async () => {
    const sandbox = await startSandbox({ speed: 60 })
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32)
    const text = (program: string) =>
      `${signerText(sandbox).replace("key: { file: account.key }", `kms: { command: [sh, ${program}], publicKey: "ed25519:${bs58.encode(raw)}" }`)}`
    const folder = workspace(sandbox, {
      "service.pem": privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
      "other.pem": generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
      "kms.sh": example,
      "signer.yaml": text("kms.sh")
    })
    const login = async () => {
      const socket = join(folder, "signer.sock")
      const signer = start(["signer", "--socket", socket, "--config", join(folder, "signer.yaml")], { cwd: folder })
      await signer.says(/signs for/)
      const signerId = raw.toString("hex")
      const message = JSON.stringify({
        deadline: new Date(Date.now() + 60_000).toISOString(),
        intents: [],
        signer_id: signerId
      })
      const answer = await ask(
        socket,
        JSON.stringify({ _tag: "Login", ...payload(signerId, sandbox.verifier), message })
      )
      signer.signal("SIGTERM")
      await signer.ended
      return answer
    }
    assert.match(await login(), /"_tag":"LoggedIn"/)
    writeFileSync(join(folder, "kms.sh"), example.replace("service.pem", "other.pem"))
    assert.match(await login(), /the signature of sh is not one of ed25519:/)
  })

  it.skipIf(!isLong)("refuses to start with a key that is not the account's, and so does the bot", async () => {
    const sandbox = await startSandbox()
    const { signerId } = sandbox.account
    const another = "a".repeat(64)
    const folder = workspace(sandbox, {
      "named.yaml": configText(sandbox).replace("account:", `account:\n  signerId: ${another}`),
      "remote.yaml": configText(sandbox).replace(
        "key: { file: account.key }",
        `signerId: ${another}\n  signer: { socket: signer.sock }`
      ),
      "signer.yaml": signerText(sandbox),
      "wrong.yaml": `signerId: ${another}\n${signerText(sandbox)}`
    })
    const file = (name: string) => join(folder, name)
    const said = new RegExp(`account.signerId is ${another}, and the key ed25519:\\w+ signs for ${signerId}`)
    assertSays(await runHere(["run", file("grid.yaml"), "--config", file("named.yaml")]), 1, said)
    assertSays(await runHere(["signer", "--socket", file("no.sock"), "--config", file("wrong.yaml")]), 1, said)
    const { findings } = JSON.parse((await runHere(["check", "--json", "--config", file("named.yaml")])).stdout)
    const { text, verdict } = findings.find(({ check }: { check: string }) => check === "key")
    assert.match(text, said)
    assert.strictEqual(verdict, "wrong")
    const signer = start(["signer", "--socket", file("signer.sock"), "--config", file("signer.yaml")])
    await signer.says(/signs for/)
    assertSays(await runHere(["run", file("grid.yaml"), "--config", file("remote.yaml")]), 1, said)
    signer.signal("SIGTERM")
    await signer.ended
  })

  it.skipIf(!isLong)("reads keys from a keystore only with the passphrase and unchanged files", async () => {
    const folder = newFolder()
    const file = (name: string, text?: string) => {
      const path = join(folder, name)
      if (text !== undefined) writeFileSync(path, text, { mode: 0o600 })
      return path
    }
    const made = await runHere(["signer", "key", "--out", file("new.key")])
    assert.match(made.stdout, /public key ed25519:/)
    assert.strictEqual(statSync(file("new.key")).mode & 0o777, 0o600)
    const key = readFileSync(file("new.key"), "utf8")
    assert.isFalse(made.stdout.includes(key.trim()))
    assertSays(await runHere(["signer", "key", "--out", file("new.key")]), 1, /may exist already/)
    const right = ["--passphrase-file", file("right.txt", "correct horse battery\n")]
    const wrong = ["--passphrase-file", file("wrong.txt", "incorrect horse battery\n")]
    assert.strictEqual(
      (await runHere(["signer", "key", "--seal", file("new.key"), "--out", file("store.json"), ...right])).code,
      0
    )
    assert.isFalse(readFileSync(file("store.json"), "utf8").includes(key.trim().slice(8)))
    assert.strictEqual(
      (await runHere(["signer", "key", "--open", file("store.json"), "--out", file("back.key"), ...right])).code,
      0
    )
    assert.strictEqual(readFileSync(file("back.key"), "utf8"), key)
    const opened = await runHere(["signer", "key", "--open", file("store.json"), "--out", file("no.key"), ...wrong])
    assertSays(opened, 1, /the passphrase is wrong, or the file was changed/)
    const store = JSON.parse(readFileSync(file("store.json"), "utf8"))
    const problemOf = async (change: object): Promise<string> => {
      const text = JSON.stringify({ ...store, ...change })
      const opening = Keystore.open(text, Redacted.make("correct horse battery"))
      return (await Effect.runPromise(Effect.flip(opening))).message
    }
    assert.match(await problemOf({ publicKey: "ed25519:other" }), /the passphrase is wrong, or the file was changed/)
    assert.match(await problemOf({ N: 2 }), /too weak or too large/)
    // The bot's own configuration may name the keystore instead of a key.
    const account = `account:\n  keystore: { file: store.json, passphrase: { file: right.txt } }`
    file("config.yaml", configText(nowhere).replace(/account:\n.*/, account))
    file("api.key", "no-such-key")
    file("partner.key", "no-such-token")
    const { findings } = JSON.parse((await runHere(["check", "--json", "--config", file("config.yaml")])).stdout)
    const named = findings.find(({ check }: { check: string }) => check === "key")
    assert.include(named.text, /public key (\S+)/.exec(made.stdout)?.[1])
    assert.isFalse(existsSync(file("no.key")))
  })
})
