/**
 * The real program on a machine and a network that misbehave: stopped for a while, late, cut, doubled and endless answers, a
 * wrong clock, a certificate of somebody else. The sandbox's books judge. `npm run processes` takes every weather many times and
 * stops processes for more than a minute.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { createServer } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { isTerminal } from "../../src/domain/Order.ts"
import { isLong } from "../long.ts"
import {
  type Connection,
  configure,
  kill9,
  newFolder,
  type Program,
  pause,
  prepare,
  randomFrom,
  soonExpired,
  start,
  startSandbox
} from "../world/processes/processes.ts"
import { runHere } from "../world/processes/program.ts"
import { check, paidAt, settle } from "../world/processes/settle.ts"
import { proxyTo, weathers } from "./badWeather.ts"

const rounds = Number(process.env["LIMITBOT_PROCESSES"] ?? 1)
const isCampaign = rounds > 1
const stopMillis = isCampaign ? 65_000 : 2_000
const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)
/** The configuration has no credential of a partner, so the cells of the grid earn less than the fees of the schedule. */
const poll = ["--poll", isCampaign ? "0.1s" : "0.3s", "--json", "--allow", "fee-floor"]

const has = (command: string): boolean => spawnSync(command, ["--version"]).error === undefined

interface Books {
  readonly orders: ReadonlyArray<{ readonly status: string; readonly deposited: string }>
}

/** Funded orders of the venue's own books that have not ended. */
const resting = async ({ url }: Connection): Promise<number> => {
  const { orders }: Books = await (await fetch(`${url}/sandbox/books`)).json()
  return orders.filter(({ deposited, status }) => deposited !== "0" && !isTerminal(status)).length
}

const until = async (what: string, atMostMillis: number, isSo: () => Promise<boolean>): Promise<number> => {
  const begun = performance.now()
  while (!(await isSo())) {
    if (performance.now() - begun > atMostMillis) throw new Error(`not within ${atMostMillis} ms: ${what}`)
    await pause(50)
  }
  return performance.now() - begun
}

const said = (bot: Program, event: string) =>
  bot.lines.flatMap((line) => (line.startsWith(`{"event":"${event}"`) ? [JSON.parse(line)] : []))

/** The most memory that a process ever had. */
const mostBytes = ({ child }: Program): number => {
  const [, kilobytes = "0"] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? []
  return Number(kilobytes) * 1024
}

/** The kill switch, and how long until the venue has no order of ours. */
const kill = async (config: string, connection: Connection): Promise<number> => {
  assert.strictEqual((await runHere(["kill", "--config", config])).code, 0)
  return until("every order is withdrawn", 300_000, async () => (await resting(connection)) === 0)
}

/** Ends whatever is open with a well-behaved bot, and compares the books. */
const settleAndCheck = async (config: string, strategy: string, journal: string, connection: Connection) => {
  await runHere(["kill", "--release", "--config", config])
  await settle(config, strategy, journal, paidAt(connection))
  return check(journal, connection)
}

/** Skipped visibly on a machine without the program. */
const where = (isThere: boolean) => (isThere ? it.concurrent : it.skip)

const inLong = isLong ? it.concurrent : it.skip

describe("a bot in bad weather", () => {
  inLong(
    "funds nothing twice through late, cut, doubled and endless answers and suspensions, and can be killed",
    {
      timeout: 600_000 + rounds * 60_000
    },
    async () => {
      const random = randomFrom(seed)
      const folder = newFolder()
      const { program, connection } = await startSandbox([
        "--port",
        "0",
        "--seed",
        "7",
        "--speed",
        "600",
        ...soonExpired
      ])
      const proxy = await proxyTo(connection.url, random)
      const { config, strategy, journal } = prepare(folder, { ...connection, url: proxy.url })
      const bot = start(["run", strategy, "--config", config, ...poll])
      try {
        // On a busy machine the weather may pass before it pays again.
        await bot.line(() => said(bot, "FundingAcknowledged").length > 5)
        /** By how much the most memory that the bot ever had grew in each weather. */
        const grownMegabytes: Record<string, number> = {}
        for (let round = 0; round < rounds; round += 1) {
          for (const weather of weathers) {
            // A byte now and then holds a request for as long as it may take.
            if (weather === "trickle" && !isCampaign) continue
            const before = mostBytes(bot)
            proxy.set(weather)
            await pause(random(1_000, 2_000))
            proxy.set("fair")
            await pause(random(0, 500))
            grownMegabytes[weather] = (grownMegabytes[weather] ?? 0) + Math.round((mostBytes(bot) - before) / 2 ** 20)
          }
          if (round < rounds - 1) continue
          for (const { child } of [bot, program]) {
            child.kill("SIGSTOP")
            await pause(stopMillis)
            child.kill("SIGCONT")
            await pause(500)
          }
        }
        proxy.set("resets")
        const withdrawnMillis = Math.round(await kill(config, connection))
        proxy.set("fair")
        assert.isNull(bot.child.exitCode, bot.errors.join(""))
        const megabytes = Math.round(mostBytes(bot) / 2 ** 20)
        await kill9(bot)
        const result = await settleAndCheck(config, strategy, journal, connection)
        const figures = { seed, rounds, ...proxy.seen, withdrawnMillis, megabytes, grownMegabytes, ...result }
        process.stdout.write(`bad weather: ${JSON.stringify(figures)}\n`)
        assert.isAbove(result.funded, 5)
        assert.isBelow(proxy.seen.endlessBytes, 16 * 2 ** 20, "an answer without end is read only so far")
        assert.isBelow(proxy.seen.trickleMillis, 40_000 + stopMillis, "an answer that trickles is given up")
        assert.isBelow(megabytes, 400)
      } catch (error) {
        throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
      } finally {
        await proxy.close()
        await kill9(bot)
        await kill9(program)
      }
    }
  )

  where(has("faketime"))("places nothing with a wrong clock, says so, and still cancels (needs faketime)", async () => {
    const folder = newFolder()
    const { program, connection } = await startSandbox(["--port", "0", "--seed", "8", "--speed", "60"])
    const { config, strategy, journal } = prepare(folder, connection)
    const run = ["run", strategy, "--config", config, ...poll]
    // Debian's library; the program of that name would stand between this test and the bot.
    const library = { LD_PRELOAD: "/usr/$LIB/faketime/libfaketimeMT.so.1", DONT_FAKE_MONOTONIC: "1" }
    const at = (offset: string) => ({ environment: { ...library, FAKETIME: offset } })
    try {
      const ahead = start(run, at("+45s"))
      await ahead.line((line) => line.startsWith('{"event":"ClockCompared"'))
      await pause(1_500)
      const [{ ok, skewMillis }] = said(ahead, "ClockCompared")
      assert.isFalse(ok)
      assert.isAbove(skewMillis, 40_000)
      assert.deepStrictEqual([said(ahead, "CreateSent"), said(ahead, "FundingSigned")], [[], []])
      const status = start(["status", "--json", "--config", config])
      assert.isFalse(JSON.parse(await status.line((line) => line.startsWith("{"))).clock.ok)
      await kill9(ahead)

      const right = start(run)
      await until("orders rest", 300_000, async () => (await resting(connection)) >= 5)
      // Ended in order: what SIGKILL leaves signed and unacknowledged has to expire first, which takes minutes.
      right.child.kill("SIGTERM")
      await right.ended
      for (const offset of ["-5m", "+3h"]) {
        const wrong = start(run, at(offset))
        await wrong.line((line) => line.startsWith('{"event":"ClockCompared"'))
        await pause(1_000)
        assert.deepStrictEqual([said(wrong, "FundingSigned"), said(wrong, "FundingDead")], [[], []])
        if (offset === "+3h") await kill(config, connection)
        await kill9(wrong)
      }
      const result = await settleAndCheck(config, strategy, journal, connection)
      process.stdout.write(`wrong clocks: ${JSON.stringify(result)}\n`)
    } catch (error) {
      throw new Error(`folder ${folder}`, { cause: error })
    } finally {
      await kill9(program)
    }
  })

  where(isLong && has("openssl"))(
    "sends nothing to a server with a wrong or untrusted certificate (needs openssl)",
    async () => {
      const folder = newFolder()
      const { program, connection } = await startSandbox(["--port", "0", "--seed", "9"])
      const [key, certificate] = [join(folder, "tls.key"), join(folder, "tls.pem")]
      const subject = ["-subj", "/CN=other.example", "-addext", "subjectAltName=DNS:other.example,IP:127.0.0.1"]
      const make = ["req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2", "-keyout", key, "-out", certificate]
      execFileSync("openssl", [...make, ...subject], { stdio: "ignore" })
      let decrypted = 0
      const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (client) => {
        const service = connect(Number(new URL(connection.url).port), "127.0.0.1")
        client.on("data", (bytes) => {
          decrypted += bytes.length
        })
        client.pipe(service).pipe(client)
        client.on("error", () => service.destroy())
        service.on("error", () => client.destroy())
      })
      await new Promise<void>((done) => server.listen(0, done))
      const address = server.address()
      const port = typeof address === "object" ? address?.port : undefined
      const { strategy } = prepare(folder, connection)
      try {
        for (const [host, trusted, isRight] of [
          ["127.0.0.1", false, false],
          ["localhost", true, false],
          ["127.0.0.1", true, true]
        ] as const) {
          writeFileSync(join(folder, "config.yaml"), "")
          const config = configure(folder, { ...connection, url: `https://${host}:${port}` })
          decrypted = 0
          const environment = trusted ? { NODE_EXTRA_CA_CERTS: certificate } : {}
          const bot = start(["run", strategy, "--config", config, ...poll], { environment })
          await Promise.race([bot.ended, bot.line((line) => /VenueDown|FundingAcknowledged/.test(line))])
          assert.strictEqual(
            decrypted > 0,
            isRight,
            `${host}: ${[...bot.lines, ...bot.errors].join("\n").slice(0, 1_000)}`
          )
          assert.strictEqual(said(bot, "FundingAcknowledged").length > 0, isRight)
          await kill9(bot)
        }
      } finally {
        server.close()
        await kill9(program)
      }
    }
  )
})
