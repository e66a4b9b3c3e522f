/** A looser policy by the real programs: until the lock of the one before it is over both count, and then the looser one alone. */
import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { signerText } from "../profile.ts"
import { runHere, start, startSandbox, workspace } from "../world/processes/program.ts"

const ask = (socket: string, request: object): Promise<{ readonly _tag: string; readonly reason?: string }> =>
  new Promise((done) => {
    let said = ""
    const connection = connect(socket, () => connection.write(`${JSON.stringify(request)}\n`))
    connection.setEncoding("utf8").on("data", (part: string) => {
      said += part
    })
    connection.on("close", () => done(JSON.parse(said)))
  })

describe("a looser policy", () => {
  it.skipIf(!isLong)(
    "counts beside the tighter one until its lock is over, through restarts of the signer",
    async () => {
      const sandbox = await startSandbox({ speed: 60 })
      const { signerId } = sandbox.account
      const cwd = workspace(sandbox, {})
      const made = await runHere(["signer", "key", "--out", "policy.key"], { cwd })
      const [, publicKey = ""] = /public key (\S+)/.exec(made.stdout) ?? []
      const own = signerText(sandbox)
      const [, usdc = ""] = /USDC: \{ id: "([^"]+)"/.exec(own) ?? []
      writeFileSync(
        join(cwd, "signer.yaml"),
        own.replace(/assets:[\s\S]*/, `policy: policy.yaml\npolicyKey: "${publicKey}"\n`)
      )
      const give = async (version: number, lock: string, maxTransfer: number, more = "") => {
        const asset = `USDC: { id: "${usdc}", decimals: 6, maxTransfer: ${maxTransfer}, maxPerDay: 1000 }`
        const text = `version: ${version}\naccount: ${signerId}\nlock: ${lock}\nassets:\n  ${asset}\n${more}`
        writeFileSync(join(cwd, "policy.yaml"), text)
        assert.strictEqual((await runHere(["signer", "policy", "policy.yaml", "--key", "policy.key"], { cwd })).code, 0)
      }
      let count = 0
      const pay = (socket: string, units: number) => {
        count += 1
        const about = { depositAddress: `d-${count}`, asset: usdc, amount: `${units}000000` }
        const intents = [{ intent: "transfer", receiver_id: about.depositAddress, tokens: { [usdc]: about.amount } }]
        const deadline = new Date(Date.now() + 60_000).toISOString()
        const message = JSON.stringify({ deadline, intents, signer_id: signerId })
        const payload = { message, nonce: Buffer.alloc(32, count).toString("base64"), recipient: sandbox.verifier }
        return ask(socket, { _tag: "Transfer", standard: "nep413", payload, ...about })
      }
      /** What the signer answers to these, with its files as they are now. */
      const answers = async (...amounts: ReadonlyArray<number>) => {
        const socket = join(cwd, "signer.sock")
        const signer = start(["signer", "--socket", socket, "--config", join(cwd, "signer.yaml")])
        await signer.says(/payments: /)
        const said: Array<string> = []
        for (const amount of amounts) {
          const { _tag, reason } = await pay(socket, amount)
          said.push(reason ?? _tag)
        }
        signer.signal("SIGTERM")
        await signer.ended
        return said
      }
      const beyond = (most: number, units: number) =>
        `its own maxTransfer allows at most ${most} USDC, this is ${units} USDC`

      await give(1, "8s", 10)
      assert.deepStrictEqual(await answers(10, 11), ["Signed", beyond(10, 11)])
      await give(2, "1d", 20, 'destinations: ["d-*"]\n')
      assert.deepStrictEqual(await answers(10, 11), ["Signed", beyond(10, 11)])
      await new Promise((done) => setTimeout(done, 8_000))
      assert.deepStrictEqual(await answers(11, 21), ["Signed", beyond(20, 21)])
      // What comes now waits for a day.
      await give(3, "1s", 30)
      assert.deepStrictEqual(await answers(20, 21), ["Signed", beyond(20, 21)])
    }
  )
})
