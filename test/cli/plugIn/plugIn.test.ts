/** `limitbot check --plug-in`: good plug-ins of every kind pass, and of ten bad ones none does, each for its own reason. */
import { generateKeyPairSync } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { firstOf } from "../../long.ts"
import { signerText } from "../../profile.ts"
import { type Badness, badScripts, looksLikeKey, program } from "../../world/processes/badPrograms.ts"
import {
  assertSays,
  type Ended,
  newFolder,
  nowhere,
  runHere,
  startHere,
  workspace
} from "../../world/processes/program.ts"

const deploy = resolve(import.meta.dirname, "../../../deploy")

const check = (kind: string, words: ReadonlyArray<string>, flags: ReadonlyArray<string> = []) =>
  runHere(["check", "--plug-in", kind, ...flags, "--", ...words])

const assertTold = ({ code, stderr, stdout }: Ended, expected: number, what: RegExp): void => {
  assert.match(stdout, what)
  assert.strictEqual(code, expected, stdout + stderr)
}

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const ownKey = `ed25519:${bs58.encode(Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url"))}`
const kms = ["--public-key", ownKey]

/** A folder with the key of the example, and a script that is started in it. */
const service = (script: string): string => {
  const folder = newFolder()
  writeFileSync(join(folder, "service.pem"), privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 })
  return program(`cd ${folder}; ${script}`)
}

describe.concurrent("the plug-in check passes", () => {
  it("a notifier", async () => {
    const good = program('test "$1" = --to && cat > /dev/null')
    assertTold(
      await check("notifier", [good, "--to", "me"]),
      0,
      /^ok {5}takes a message\n(?:ok .*\n)+It follows the contract of a notifier/
    )
  })

  it("a price program that knows the market", async () => {
    const good = program(
      `case $(cat) in *'"ETH/USDC"'*) echo '{"price": "3000.5"}' ;; *) echo '{"price": null}' ;; esac`
    )
    assertTold(
      await check("price", [good], ["--market", "ETH/USDC"]),
      0,
      /prints the price of ETH\/USDC\n[\s\S]*follows the contract of a price/
    )
    assertTold(await check("price", [good]), 1, /prints the price of BTC\/USDC: it has no recent price/)
    const always = program(`cat > /dev/null; echo '{"price": 1}'`)
    assertTold(await check("price", [always]), 1, /has no price of a market that does not exist: it told 1/)
  })

  it("the wallet programs of the package", async () => {
    const config = join(newFolder(), "bitcoin.json")
    const assets = { "nep141:btc.omft.native": { most: "1" } }
    writeFileSync(
      config,
      JSON.stringify({ journal: join(newFolder(), "bitcoin.sqlite"), rpc: "http://127.0.0.1:9", assets })
    )
    const words = ["node", join(deploy, "wallets/bitcoin.mjs"), "--config", config]
    assertTold(await check("wallet", words), 0, /follows the contract of a wallet/)
  })

  it("the example of a key service, also if its service prints lines first", async () => {
    assertTold(await check("kms", [service(`sh ${deploy}/kms-openssl.sh`)], kms), 0, /follows the contract of a kms/)
    const talkative = service(`printf '%s vault:v1:' ${ownKey}; sh ${deploy}/kms-openssl.sh`)
    assertTold(await check("kms", [talkative], kms), 0, /follows the contract of a kms/)
  })

  it("the signer process", async () => {
    const folder = workspace(nowhere, { "signer.yaml": signerText(nowhere) })
    const socket = join(folder, "signer.sock")
    const signer = startHere(["signer", "--socket", socket, "--config", join(folder, "signer.yaml")])
    await signer.says(/signs for/)
    const checked = await check("signer", [socket], ["--json"])
    assert.strictEqual(checked.code, 0, checked.stdout)
    const { findings, ok } = JSON.parse(checked.stdout)
    assert.isTrue(ok)
    assert.lengthOf(findings, 7)
    signer.signal("SIGTERM")
    await signer.ended
  })
})

type Faults = Readonly<Record<Badness, RegExp>>

const always = {
  hangs: /did not end in 0.5 seconds/,
  "is slow": /did not end in 0.5 seconds/,
  "crashes by a signal": /it was ended by SIGSEGV/,
  "leaves a child with its output": /a process that it started keeps its input or output open/,
  "prints a secret": /it printed something like a key/,
  "prints without end": /it printed more than \d+ characters/
}
const notifier: Faults = {
  ...always,
  // Nobody reads what a notifier prints.
  "prints garbage": /follows the contract/,
  "fails with code 1": /it ended with code 1: the line is dead/,
  "never reads": /reads the longest message to its end: it reported success, but ended before it read the message/,
  "closes its input early": /reads the longest message to its end: it reported success/
}
const wallet: Faults = {
  ...always,
  "prints garbage": /cannot know if it paid: .*without a transaction hash/,
  // As good as code 65, where it names no transaction.
  "fails with code 1": /follows the contract/,
  "never reads": /cannot know if it paid: it ended with code 0/,
  "closes its input early": /cannot know if it paid: it ended with code 0/
}
const keyService: Faults = {
  ...always,
  "prints garbage": /without a signature in base64/,
  "fails with code 1": /it ended with code 1 and without a signature/,
  "never reads": /it ended with code 0 and without a signature/,
  "closes its input early": /it ended with code 0 and without a signature/
}

const price: Faults = {
  ...always,
  "prints garbage": /it printed no \{"price": …/,
  "fails with code 1": /it ended with code 1: the line is dead/,
  "never reads": /it printed no \{"price": …/,
  "closes its input early": /it printed no \{"price": …/
}

const allBad = Object.keys(badScripts) as ReadonlyArray<Badness>

describe.concurrent("the plug-in check fails", () => {
  const kinds = { notifier: [notifier, []], price: [price, []], wallet: [wallet, []], kms: [keyService, kms] } as const
  for (const [kind, [faults, flags]] of Object.entries(kinds)) {
    it.each(firstOf(kind === "wallet" ? 3 : 1, allBad))(`a ${kind} that %s`, async (badness) => {
      const isLate = /hangs|slow/.test(badness)
      const checked = await check(
        kind,
        [program(badScripts[badness])],
        [...flags, ...(isLate ? ["--within", "0.5s"] : [])]
      )
      const fault = faults[badness]
      assertTold(checked, fault.source.startsWith("follows") ? 0 : 1, fault)
      assert.notInclude(checked.stdout + checked.stderr, looksLikeKey)
    })
  }

  it("a wallet that pays every request", async () => {
    const paying = program('cat > /dev/null; echo \'{"txHash":"0xabc"}\'')
    const said = /refuses an unknown asset .*: it named the transaction 0xabc for a payment that cannot be made/
    assert.match((await check("wallet", [paying])).stdout, said)
  })

  it("a key service that signs another digest, or whose public key is not given", async () => {
    const own = service(`sed 's/"message":"..../"message":"AAAA/' | sh ${deploy}/kms-openssl.sh`)
    assertSays(await check("kms", [own], kms), 1, /4 of 4 checks failed/)
    assertSays(await check("kms", [program("cat")]), 2, /needs --public-key/)
  })
})

/** A signer that gives every request the same answer, or none. */
const sockets: Array<ReturnType<typeof createServer>> = []
afterAll(() => {
  for (const server of sockets) server.close()
})
const signerThatSays = (answer: string | undefined): Promise<string> => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  const socket = join(folder, "signer.sock")
  const server = createServer((connection) => {
    connection.on("error", () => undefined)
    connection.on("data", () => (answer === undefined ? undefined : connection.end(answer)))
  })
  sockets.push(server)
  return new Promise((done) => server.listen(socket, () => done(socket)))
}

describe.concurrent("the plug-in check fails a signer", () => {
  const signed = { _tag: "Signed", body: "{}", intentHash: "hash", validUntil: 1 }
  const cases: ReadonlyArray<readonly [name: string, answer: string | undefined, said: RegExp]> = [
    [
      "signs everything",
      `${JSON.stringify(signed)}\n`,
      /does not sign a payment .*: it answered Signed instead of Refused/
    ],
    ["says nothing", undefined, /names its account: it did not answer in 0.5 seconds/],
    ["hangs up", "", /names its account: it said nothing/],
    ["says garbage", "\u0000garbage\n", /names its account: a bot cannot read its answer/],
    ["says too much", `${"x".repeat(1_000_000)}\n`, /names its account: it said nothing|a bot cannot read its answer/],
    [
      "signs for another account than its key's",
      `${JSON.stringify({ _tag: "Holder", signerId: "a".repeat(64), publicKey: ownKey })}\n`,
      /names its account: account.signerId is a+, and the key/
    ]
  ]
  it.each(cases)("that %s", async (_name, answer, said) => {
    const patience = answer === undefined ? ["--within", "0.5s"] : []
    const checked = await check("signer", [await signerThatSays(answer)], patience)
    assert.strictEqual(checked.code, 1)
    assert.match(checked.stdout, said)
  })

  it("that is missing", async () => {
    assertSays(await check("signer", [join(newFolder(), "none.sock")]), 1, /7 of 7 checks failed/)
  })
})
