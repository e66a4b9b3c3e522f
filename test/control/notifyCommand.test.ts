/** Notices by a program: what it is told, which of its ends are deliveries, and that its troubles are nobody else's. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { HttpClient } from "effect/http"
import type { Target } from "../../src/control/notify/channels.ts"
import type { Notice } from "../../src/control/notify/Notice.ts"
import * as Notifier from "../../src/control/notify/Notifier.ts"
import { firstOf, isLong } from "../long.ts"
import { type Badness, badScripts, program } from "../world/processes/badPrograms.ts"
import {
  assertSays,
  configText,
  newFolder,
  nowhere,
  runHere,
  start,
  startSandbox,
  workspace
} from "../world/processes/program.ts"
import { until } from "../world/processes/runningBot.ts"

const target = (script: string): Target => ({
  to: "command",
  rule: { least: "good", kinds: new Set(), except: new Set() },
  url: Redacted.make("https://nobody.invalid"),
  secret: undefined,
  chat: undefined,
  commands: [],
  mailbox: undefined,
  command: { program: program(script), args: [] },
  push: undefined
})

const notice: Notice = { at: 1_000, severity: "alarm", kind: "Test", subject: "grid", text: "something is wrong" }
const noWeb = Effect.provideService(
  HttpClient.HttpClient,
  HttpClient.make(() => Effect.die("a command needs no web"))
)
const deliver = (script: string) =>
  Notifier.deliver(target(script), "test", [notice]).pipe(noWeb, Effect.provide(NodeServices.layer), Effect.result)

const linesOf = (file: string): ReadonlyArray<string> =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []

describe("a notifier that is a program", () => {
  it.live("gets the webhook's body as one line", () =>
    Effect.gen(function* () {
      const file = join(newFolder(), "told")
      assert.isTrue(Result.isSuccess(yield* deliver(`cat > ${file}`)))
      const [line = "", ...others] = linesOf(file)
      assert.deepStrictEqual(others, [])
      const { sentAt, ...body } = JSON.parse(line)
      assert.isNumber(sentAt)
      assert.deepStrictEqual(body, {
        version: 1,
        bot: "test",
        severity: "alarm",
        title: "ALARM limitbot test",
        text: "00:00:01 grid: something is wrong",
        notices: [notice]
      })
    })
  )

  /** What the bot's log says of it; nothing where the bot cannot know better. */
  const ends: Readonly<Record<Badness, RegExp | "delivered">> = {
    "prints garbage": "delivered",
    hangs: /program.sh did not end in 15 seconds$/,
    "is slow": "delivered",
    "prints without end": "delivered",
    "fails with code 1": /program.sh ended with code 1: the line is dead$/,
    "never reads": "delivered",
    "closes its input early": "delivered",
    "leaves a child with its output": "delivered",
    "prints a secret": "delivered",
    "crashes by a signal": /program.sh was ended by SIGSEGV$/
  }
  it.live.each(firstOf(1, Object.keys(ends) as ReadonlyArray<Badness>))(
    "that %s counts as delivered or not",
    (badness) =>
      Effect.gen(function* () {
        const delivery = yield* deliver(badScripts[badness])
        const expected = ends[badness]
        if (expected === "delivered") assert.isTrue(Result.isSuccess(delivery))
        else assert.match(Result.isFailure(delivery) ? delivery.failure.message : "delivered", expected)
      })
  )

  it.live("does not get the bot's secrets in its environment", () =>
    Effect.gen(function* () {
      process.env["LIMITBOT_ACCOUNT_KEY"] = "ours-alone"
      const delivery = yield* deliver("env | tr '\\n' ' ' >&2; exit 1")
      const said = Result.isFailure(delivery) ? delivery.failure.message : ""
      assert.match(said, /PATH=/)
      assert.notInclude(said, "ours-alone")
    })
  )

  it.live("is retried like a webhook, and other receivers do not wait for it", () =>
    Effect.gen(function* () {
      const [tries, told] = [join(newFolder(), "tries"), join(newFolder(), "told")]
      const failing = target(`cat >> ${tries}; [ $(wc -l < ${tries}) -ge 3 ]`)
      const hanging = target("exec sleep 60")
      const well = target(`cat >> ${told}`)
      const pace = { groupMillis: 10, spacingMillis: 10, retryMillis: 10, retries: 7 }
      const tell = yield* Notifier.make([hanging, failing, well], "test", pace)
      yield* tell(notice)
      yield* Effect.promise(() =>
        until("all but one", async () => linesOf(tries).length >= 3 && linesOf(told).length >= 1)
      )
      const [first, , third] = linesOf(tries).map((line) => JSON.parse(line).notices)
      assert.deepStrictEqual(third, first)
      yield* tell({ ...notice, text: "the next one" })
      yield* Effect.promise(() => until("the next one", async () => linesOf(told).length >= 2))
      yield* Effect.promise(() => until("the next one", async () => linesOf(tries).length >= 4))
      assert.include(linesOf(tries)[3], "the next one")
    }).pipe(noWeb, Effect.provide(NodeServices.layer), Effect.scoped)
  )

  it.skipIf(!isLong)(
    "that hangs delays neither the kill switch nor the exit, and is found relative to the configuration",
    async () => {
      const sandbox = await startSandbox({ speed: 60 })
      const notify = "notify:\n  - { to: command, command: [./tell.sh, loudly], least: quiet, kinds: [Planned] }\n"
      const folder = workspace(sandbox, { "config.yaml": `${configText(sandbox)}${notify}` })
      const told = join(folder, "told")
      writeFileSync(join(folder, "tell.sh"), `#!/bin/sh\necho "$1" >> ${told}\nexec sleep 600\n`, { mode: 0o755 })
      const files = [join(folder, "grid.yaml"), "--config", join(folder, "config.yaml")]
      const bot = start(["run", ...files, "--poll", "0.3s"])
      await until("it was started", async () => linesOf(told).includes("loudly"))
      await runHere(["kill", "--config", join(folder, "config.yaml")])
      await bot.says(/kill/i)
      bot.signal("SIGTERM")
      assert.strictEqual((await bot.ended).code, 0)
    }
  )

  it("needs a command, and refuses an address or a secret", async () => {
    const wrong = async (line: string, said: RegExp) => {
      const folder = workspace(nowhere, { "config.yaml": `${configText(nowhere)}notify:\n  - ${line}\n` })
      assertSays(await runHere(["check", "--notify", "--config", join(folder, "config.yaml")]), 1, said)
    }
    await wrong("{ to: command }", /command needs command/)
    await wrong("{ to: command, command: [] }", /command needs command/)
    await wrong(`{ to: command, command: [a], url: "https://b.invalid" }`, /neither url nor secret/)
    await wrong("{ to: command, command: [a], secret: { env: B } }", /neither url nor secret/)
    await wrong("{ to: command, command: [/nowhere/tell] }", /not delivered to 1 of 1 receivers/)
  })
})
