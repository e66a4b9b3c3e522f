/**
 * What can still act or be paid, with the real programs: before a kill, while a bot obeys it, and when nothing is left; and what
 * somebody else had the signer sign, which no journal knows.
 */
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isTerminal } from "../../../src/domain/Order.ts"
import { saltFrom } from "../../../src/sandbox/SandboxApi.ts"
import { isLong } from "../../long.ts"
import { signerText } from "../../profile.ts"
import {
  configText,
  nowhere,
  ordersAt,
  runHere,
  startHere,
  startStill,
  workspace
} from "../../world/processes/program.ts"
import { until } from "../../world/processes/runningBot.ts"

interface Shown {
  readonly contained: boolean
  readonly lists: ReadonlyArray<{
    readonly name: string
    readonly lookedAt: string | null
    readonly unseen: string | null
    readonly found: ReadonlyArray<{ readonly id: string; readonly text: string; readonly until: string | null }> | null
  }>
}

/** How many are in each list; `null` where nobody could look. */
const countsIn = ({ lists }: Shown) => Object.fromEntries(lists.map(({ found, name }) => [name, found?.length ?? null]))

const pay = (socket: string, request: object): Promise<string> =>
  new Promise((done) => {
    let said = ""
    const connection = connect(socket, () => connection.write(`${JSON.stringify(request)}\n`))
    connection.setEncoding("utf8").on("data", (part: string) => {
      said += part
    })
    connection.on("close", () => done(said))
  })

describe("containment", () => {
  it.skipIf(!isLong)("lists what can still act before a kill and after it, and proves when it is empty", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox, {})
    const look = async () => {
      const { code, stdout, stderr } = await runHere(["check", "--containment", "--config", "config.yaml", "--json"], {
        cwd
      })
      return { code, stderr, shown: JSON.parse(stdout) as Shown }
    }
    const bot = startHere(["run", "grid.yaml", "--config", "config.yaml", "--poll", "0.3s"], { cwd })
    await bot.says("the order is open", 20)
    const before = await look()
    assert.strictEqual(before.code, 1)
    assert.isFalse(before.shown.contained)
    const counts = countsIn(before.shown)
    assert.strictEqual(counts["Can place and pay again"], 1)
    assert.deepStrictEqual([counts["Open orders"], counts["Orders that the venue lists"]], [20, 20])
    for (const { lookedAt } of before.shown.lists) assert.match(lookedAt ?? "", /^\d{4}-/)

    await runHere(["kill", "somebody stole a token", "--config", "config.yaml"], { cwd })
    await until("only what a running bot is remains", async () => {
      const { code, shown } = await look()
      assert.strictEqual(countsIn(shown)["Can place and pay again"], 0, "killed")
      return (
        code === 0 || Object.entries(countsIn(shown)).every(([name, count]) => count === 0 || name.startsWith("Tokens"))
      )
    })
    bot.signal("SIGTERM")
    await bot.ended
    const after = await look()
    assert.deepStrictEqual(new Set(Object.values(countsIn(after.shown))), new Set([0]))
    assert.notProperty(countsIn(after.shown), "Public money that a signed payment can take")
    assert.strictEqual(after.code, 0, after.stderr)
    assert.isTrue(after.shown.contained)
    const text = await runHere(["check", "--containment", "--config", "config.yaml"], { cwd })
    assert.match(text.stdout, /^Open orders: none \(\S+ up to event \d+, \d{4}-\S+ \S+ UTC\)$/m)
    assert.match(text.stdout, /^Contained: /m)
    await runHere(["kill", "--off", "--config", "config.yaml"], { cwd })
    const released = await look()
    assert.strictEqual(released.code, 1)
    assert.match(released.shown.lists[0]?.found?.[0]?.text ?? "", /^off: a bot that is started creates and pays$/)
  })

  it.skipIf(!isLong)(
    "lists payments that another program signed, and proves nothing if a list cannot be read",
    async () => {
      const sandbox = await startStill()
      const { signerId } = sandbox.account
      const config = configText(sandbox)
        .replace(/^ {2}facts: .*\n/m, "")
        .replace("  apiKey:", `  facts: { saltFrom: "${saltFrom(sandbox.url)}" }\n  apiKey:`)
        .replace("key: { file: account.key }", `signerId: ${signerId}\n  signer: { socket: signer.sock }`)
      const cwd = workspace(sandbox, {
        "config.yaml": config,
        "signer.yaml": signerText(sandbox),
        "deaf.yaml": config.replace(sandbox.url, nowhere.url)
      })
      const socket = join(cwd, "signer.sock")
      const signer = startHere(["signer", "--socket", socket, "--config", join(cwd, "signer.yaml")])
      await signer.says(/signs for/)
      const bot = startHere(["run", "grid.yaml", "--config", "config.yaml", "--poll", "0.3s"], { cwd })
      await bot.says("the order is open", 20)
      await runHere(["kill", "--config", "config.yaml"], { cwd })
      const look = async (...more: ReadonlyArray<string>) => {
        const { code, stdout } = await runHere(
          ["check", "--containment", "--config", "config.yaml", "--json", ...more],
          {
            cwd
          }
        )
        return { code, counts: countsIn(JSON.parse(stdout) as Shown) }
      }
      // Each look is a login, and the signer opens sixty sessions in an hour: the bot needs some.
      await until("all is withdrawn", async () => (await ordersAt(sandbox)).every(({ held }) => held.length === 0))
      await until("the journal has it", async () => {
        const { stdout } = await runHere(["orders", "--config", "config.yaml"], { cwd })
        return stdout.includes("Every order is settled.")
      })
      bot.signal("SIGTERM")
      await bot.ended
      const unnamed = await look()
      assert.strictEqual(unnamed.code, 1)
      assert.strictEqual(unnamed.counts["Open orders"], 0)
      assert.isNull(unnamed.counts["What the signer process signed"])
      assert.strictEqual(
        unnamed.counts["Public money that a signed payment can take"],
        2,
        "nobody knows what is signed"
      )

      // Somebody else asks the signer for a payment to themselves.
      const [, asset = ""] = /USDC: \{ id: "([^"]+)"/.exec(signerText(sandbox)) ?? []
      const intents = [{ intent: "transfer", receiver_id: "thief", tokens: { [asset]: "1000000" } }]
      const deadline = new Date(Date.now() + 600_000).toISOString()
      const message = JSON.stringify({ deadline, intents, signer_id: signerId })
      const payload = { message, nonce: Buffer.alloc(32, 7).toString("base64"), recipient: sandbox.verifier }
      const transfer = {
        _tag: "Transfer",
        standard: "nep413",
        payload,
        depositAddress: "thief",
        asset,
        amount: "1000000"
      }
      assert.match(await pay(socket, transfer), /"Signed"/)
      const stolen = await runHere(["check", "--containment", "--config", "config.yaml", "--signer", "signer.yaml"], {
        cwd
      })
      assert.strictEqual(stolen.code, 1)
      assert.match(stolen.stdout, /^ {2}thief: signed for this address, 1 USDC, until \d{4}-/m)
      assert.match(stolen.stdout, /^Public money that a signed payment can take: 2 \(http\S+rpc, \d{4}-\S+ \S+ UTC\)$/m)
      assert.match(stolen.stdout, /^ {2}USDC: in the account at the verifier, [\d.]+ USDC$/m)

      signer.signal("SIGTERM")
      await signer.ended
      const deaf = await runHere(["check", "--containment", "--config", "deaf.yaml", "--signer", "signer.yaml"], {
        cwd
      })
      assert.strictEqual(deaf.code, 1)
      assert.match(deaf.stdout, /^Orders that the venue lists: not checked \(the venue\): /m)
      assert.match(deaf.stdout, /^Not contained: .* and 1 unreadable list$/m)
    }
  )

  it("is reached once unpaid orders are cancelled, also with a signer that refuses", async () => {
    const sandbox = await startStill()
    const { signerId } = sandbox.account
    const signerFile = signerText(sandbox).replace(/maxTransfer: [\d.]+/g, "maxTransfer: 0.000001")
    const cwd = workspace(sandbox, {
      "config.yaml": configText(sandbox).replace(
        "key: { file: account.key }",
        `signerId: ${signerId}\n  signer: { socket: signer.sock }`
      ),
      "signer.yaml": signerFile
    })
    const signer = startHere(["signer", "--socket", join(cwd, "signer.sock"), "--config", join(cwd, "signer.yaml")])
    await signer.says(/signs for/)
    const bot = startHere(["run", "grid.yaml", "--config", "config.yaml", "--poll", "0.3s"], { cwd })
    await until("an order is cancelled without having been paid", async () =>
      (await ordersAt(sandbox)).some(({ status }) => status === "CANCELED")
    )
    await runHere(["kill", "--config", "config.yaml"], { cwd })
    await until("none is left, and all money is back", async () =>
      (await ordersAt(sandbox)).every(({ held, status }) => isTerminal(status) && held.length === 0)
    )
    await until("the journal has it", async () => {
      const { stdout } = await runHere(["orders", "--config", "config.yaml"], { cwd })
      return stdout.includes("Every order is settled.")
    })
    bot.signal("SIGTERM")
    await bot.ended
    const { code, stdout } = await runHere(
      ["check", "--containment", "--config", "config.yaml", "--signer", "signer.yaml"],
      {
        cwd
      }
    )
    assert.match(stdout, /^Orders that the venue lists: none /m)
    assert.strictEqual(code, 0, stdout)
    signer.signal("SIGTERM")
    await signer.ended
  })
})
