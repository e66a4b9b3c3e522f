/**
 * A witness outside the machine, with the real processes: a journal that was put back from yesterday, with all that is kept beside it,
 * is known by it and pays nothing until a person decides; what it was told proves a record to others; its silence stops nothing.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import { isLong } from "../long.ts"
import { newFolder, type Program, pause, prepare, start } from "../world/processes/processes.ts"
import { ordersAt, runHere, startSandbox } from "../world/processes/program.ts"

/** The configuration has no credential of a partner, so the cells of the grid earn less than the fees of the schedule. */
const poll = ["--poll", "0.1s", "--json", "--allow", "fee-floor"]
const verifier = join(import.meta.dirname, "../../deploy/verify.mjs")

const sizesIn = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/^limitbot\.journal\/\S+\n(\d+)\n/gm)].map(([, size]) => Number(size))

const until = async (what: string, isSo: () => boolean): Promise<void> => {
  for (let looks = 0; looks < 3_000; looks++) {
    if (isSo()) return
    await pause(100)
  }
  assert.fail(`never happened: ${what}`)
}

const noted = (file: string) => (): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const said = (tag: string) => (line: string) => line.includes(`"event":"${tag}"`)
const stopped = async (bot: Program): Promise<void> => {
  bot.child.kill("SIGTERM")
  await bot.ended
}

const verified = (proof: string, key: string) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [verifier, proof, key], { encoding: "utf8" })
  return { status, text: stdout + stderr }
}

describe("an outside witness", () => {
  it.skipIf(!isLong)("detects an old copy of the journal, and its notes prove a payment to others", async () => {
    const folder = newFolder()
    const connection = await startSandbox({ seed: 7, speed: 60 })
    const { config, journal, strategy } = prepare(folder, connection)
    appendFileSync(config, "witness: { file: outside/witness.notes, every: 1s }\n")
    execFileSync("mkdir", [join(folder, "outside")])
    const notes = noted(join(folder, "outside/witness.notes"))
    const last = () => sizesIn(notes()).at(-1) ?? 0
    const say = (...words: ReadonlyArray<string>) => runHere([...words, "--config", config])
    const key = Ed25519.format(Buffer.from(connection.account.signerId, "hex"))

    const first = start(["run", strategy, "--config", config, ...poll])
    await first.line(said("BotStarted"))
    await until("a first checkpoint", () => last() > 0)
    const yesterday = join(folder, "yesterday.sqlite")
    const copied = await say("journal", "backup", yesterday)
    assert.strictEqual(copied.code, 0, copied.stderr)
    const deposit: { readonly placement: string; readonly sequence: number } = JSON.parse(
      await first.line(said("DepositSeen"))
    )
    await until("a checkpoint with the deposit", () => last() >= deposit.sequence)
    await stopped(first)

    const proof = join(folder, "proof.json")
    const proven = await say("orders", deposit.placement, "--proof", proof)
    assert.strictEqual(proven.code, 0, proven.stderr)
    const good = verified(proof, key)
    assert.deepStrictEqual([good.status, good.text.includes('"_tag":"DepositSeen"')], [0, true], good.text)
    const bytes = readFileSync(proof)
    for (const place of Array.from({ length: 25 }, (_, index) => Math.trunc((bytes.length * (index + 0.5)) / 25))) {
      const changed = Buffer.from(bytes)
      changed[place] = (changed[place] ?? 0) ^ 1
      const file = join(folder, "changed.json")
      writeFileSync(file, changed)
      assert.strictEqual(
        verified(file, key).status,
        1,
        `byte ${place} of the proof was changed, and it counts all the same`
      )
    }

    for (const part of ["", "-wal", "-shm", ".head"]) rmSync(`${journal}${part}`, { force: true })
    const restored = await say("journal", "restore", yesterday)
    assert.strictEqual(restored.code, 0, restored.stderr)
    const before = last()
    const orders = (await ordersAt(connection)).length
    const second = start(["run", strategy, "--config", config, ...poll])
    const told = await second.line(said("WitnessDisagreed"))
    assert.include(told, `the bot wrote ${before}`)
    await pause(3_000)
    // What the copy had forgotten is found again; nothing new is made or paid.
    assert.lengthOf(await ordersAt(connection), orders)
    assert.isEmpty(second.lines.filter((line) => said("FundingSigned")(line) || said("FundingSent")(line)))
    assert.strictEqual(last(), before, "the witness was told of the old copy, and would not disagree any more")
    assert.match((await say("resolve")).stdout, /witness: the journal differs from its witness/)
    await say("resolve", "witness", "--forget", "--because", "Ada: the newer disk is lost")
    await until("a checkpoint of the copy", () => last() !== before)
    await stopped(second)

    const third = start(["run", strategy, "--config", config, ...poll])
    await third.line(said("BotStarted"))
    await pause(2_000)
    await stopped(third)
    assert.isEmpty(third.lines.filter(said("WitnessDisagreed")))
  })

  it.skipIf(!isLong)("that does not answer is reported once, and stops nothing", async () => {
    const folder = newFolder()
    const connection = await startSandbox({ seed: 8, speed: 60 })
    const { config, strategy } = prepare(folder, connection)
    let [isAway, told] = [true, ""]
    const server = createServer((request, response) => {
      response.statusCode = isAway ? 503 : told === "" && request.method === "GET" ? 404 : 200
      if (request.method === "GET" || isAway) return void response.end(told)
      let note = ""
      request.setEncoding("utf8").on("data", (part: string) => {
        note += part
      })
      request.on("end", () => {
        told = note
        response.end()
      })
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    try {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      appendFileSync(config, `witness: { url: "http://127.0.0.1:${port}/witness", every: 1s }\n`)
      const bot = start(["run", strategy, "--config", config, ...poll])
      await bot.line(said("FundingSent"))
      await pause(2_500)
      assert.lengthOf(bot.lines.filter(said("LoopFailed")), 1)
      isAway = false
      await until("a checkpoint", () => sizesIn(told).length === 1)
      await stopped(bot)
      assert.isEmpty(bot.lines.filter(said("WitnessDisagreed")))
    } finally {
      server.close()
    }
  })
})
