/**
 * A signed policy by real processes: no other text is obeyed, an older one does not come back, a looser one waits for its lock, and a
 * larger payment waits for the word of an approver, who has a key that neither the bot nor the signer has.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { signerText } from "../profile.ts"
import { configText, ordersAt, runHere, start, startSandbox, workspace } from "../world/processes/program.ts"
import { until } from "../world/processes/runningBot.ts"

let [folder, socket, signerId, usdc] = ["", "", "", ""]
let sandbox: Awaited<ReturnType<typeof startSandbox>>
const limitbot = (...args: ReadonlyArray<string>) => runHere(args, { cwd: folder })

const policyText = (version: number, perDay: number) => `version: ${version}
account: ${signerId}
lock: 1d
assets:
  USDC: { id: "${usdc}", decimals: 6, maxTransfer: 400, maxPerHour: ${perDay}, maxPerDay: ${perDay}, approveAbove: 150 }
approvers: [APPROVER]
`
const keys = new Map<string, string>()
const newKey = async (name: string): Promise<string> => {
  const { code, stdout, stderr } = await limitbot("signer", "key", "--out", `${name}.key`)
  assert.strictEqual(code, 0, stderr)
  return /public key (\S+)/.exec(stdout)?.[1] ?? ""
}
const write = (version: number, perDay: number) =>
  writeFileSync(
    join(folder, "policy.yaml"),
    policyText(version, perDay).replace("APPROVER", `"${keys.get("approver")}"`)
  )
const sign = async (by = "policy") => {
  const { code, stdout, stderr } = await limitbot("signer", "policy", "policy.yaml", "--key", `${by}.key`)
  assert.strictEqual(code, 0, stderr)
  return stdout
}
const signer = () => start(["signer", "--socket", socket, "--config", join(folder, "signer.yaml")])
const refusal = async (): Promise<string> => {
  const { code, stderr } = await signer().ended
  assert.notStrictEqual(code, 0)
  return stderr
}
const approve = (amount: string, by: string) =>
  limitbot("signer", "approve", "USDC", amount, "--policy", "policy.yaml", "--key", `${by}.key`, "--socket", socket)

beforeAll(async () => {
  sandbox = await startSandbox({ speed: 60 })
  signerId = sandbox.account.signerId
  const whole = signerText(sandbox)
  usdc = /USDC: \{ id: "([^"]+)"/.exec(whole)?.[1] ?? ""
  const text = configText(sandbox).replace(
    "key: { file: account.key }",
    `signerId: ${signerId}\n  signer: { socket: signer.sock }`
  )
  folder = workspace(sandbox, { "config.yaml": text })
  socket = join(folder, "signer.sock")
  for (const name of ["policy", "approver", "thief"]) keys.set(name, await newKey(name))
  const own = whole.replace(/assets:[\s\S]*/, `policy: policy.yaml\npolicyKey: "${keys.get("policy")}"\n`)
  writeFileSync(join(folder, "signer.yaml"), own)
  writeFileSync(
    join(folder, "grid.yaml"),
    `name: grid
market: BTC/USDC
kind: rules
limits: { budget: { quote: 300 }, maxPriceDeviation: 90% }
rules:
  timeframe: 1h
  orders:
    small: { when: mid > 0, side: buy, price: "50000", size: { quote: 100 } }
    large: { when: mid > 0, side: buy, price: "40000", size: { quote: 200 } }
`
  )
})

describe("a signed policy", () => {
  it("is obeyed only if this key has signed this text, for this account", async () => {
    write(2, 1_000)
    assert.include(await refusal(), "policy.yaml is not signed")
    assert.include(await sign(), `policyKey: ${keys.get("policy")}`)
    appendFileSync(join(folder, "policy.yaml"), "# one byte more\n")
    assert.include(await refusal(), "is not the signature of this file by policyKey")
    await sign("thief")
    assert.include(await refusal(), "is not the signature of this file by policyKey")
    await sign()
    const signing = signer()
    await signing.says(/signs for \S+, 1 asset by policy 2, record/)
    signing.signal("SIGTERM")
    await signing.ended
  })

  it("does not return to an older number, to another text of the same number, or to none", async () => {
    write(1, 100_000)
    await sign()
    assert.include(await refusal(), "has the number 1, but number 2 was already used")
    write(2, 100_000)
    await sign()
    assert.include(await refusal(), "a changed policy needs a larger number")
    const known = readFileSync(join(folder, "signer.yaml"), "utf8")
    writeFileSync(join(folder, "signer.yaml"), signerText(sandbox))
    assert.include(await refusal(), "The record has a signed policy, number 2")
    writeFileSync(join(folder, "signer.yaml"), known)
  })

  it("that is looser waits for the lock of the one before it, which holds beside it", async () => {
    write(3, 100_000)
    await sign()
    const signing = signer()
    await signing.says(/by policy 3, beside it 2 until \d{4}-/)
    const shown = await limitbot("signer", "policy", "--config", "signer.yaml")
    assert.match(
      shown.stdout,
      /Policy 2, until \S+\n {2}USDC: at most 400 at once, [^\n]+\n {2}USDC: 0 of 1000 in 1 hour\n/
    )
    assert.match(shown.stdout, /Policy 3\n {2}USDC: [^\n]+\n {2}USDC: 0 of 100000 in 1 hour\n/)
    signing.signal("SIGTERM")
    await signing.ended
  })

  it("has a larger payment wait for an approver's approval alone, and lists who waits", async () => {
    const signing = signer()
    await signing.says(/signs for/)
    const bot = start(["run", "grid.yaml", "--config", "config.yaml", "--poll", "0.3s"], { cwd: folder })
    const funded = async () => (await ordersAt(sandbox)).filter(({ held }) => held.length > 0).length
    await until("the smaller order is funded", async () => (await funded()) === 1)
    await until("it says what the larger one waits for", async () =>
      (await limitbot("events", "--config", "config.yaml")).stdout.includes("limitbot signer approve USDC 200")
    )
    const status = await limitbot("status", "--config", "config.yaml")
    assert.include(
      status.stdout,
      "at most 150 USDC without an approval: limitbot signer approve USDC 200, this is 200 USDC"
    )
    assert.strictEqual(await funded(), 1)
    const stolen = await approve("200", "thief")
    assert.include(stolen.stderr, "expected the signature of an approver over this payment")
    const less = await approve("199", "approver")
    assert.strictEqual(less.code, 0, less.stderr)
    const enough = await approve("200", "approver")
    assert.match(enough.stdout, /^One payment of at most 200 USDC is approved until [\d-]+ [\d:]+ UTC\.\n$/)
    assert.match(
      (await approve("150", "approver")).stdout,
      /policy\.yaml lets up to 150 USDC through without an approval\.\n$/
    )
    assert.match(
      (await approve("401", "approver")).stdout,
      /policy\.yaml still refuses more than 400 USDC at once\.\n$/
    )
    await until("the larger order is funded", async () => (await funded()) === 2)
    const record = readFileSync(join(folder, "signer.log"), "utf8")
    assert.strictEqual(record.split('"what":"approved"').length - 1, 4)
    for (const one of [bot, signing]) {
      one.signal("SIGTERM")
      await one.ended
    }
  })
})
