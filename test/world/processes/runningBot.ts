/** A bot on a sandbox with its control server, as a process of its own, and ways to ask it over plain sockets. */
import { readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import type { FindingName } from "../../../src/engine/planning/ahead/PlanFindings.ts"
import type { SandboxOptions } from "../../../src/sandbox/SandboxOptions.ts"
import { type Connection, configText, type Program, startHere, startSandbox, startStill, workspace } from "./program.ts"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface RunningBot {
  readonly program: Program
  /** The same command once more, at the same address. */
  readonly again: () => Promise<Program>
  readonly sandbox: Connection
  readonly folder: string
  readonly url: string
  readonly token: string
  readonly viewerToken: string
  readonly journal: string
  /** Any request whatever, without the manners of `fetch`. */
  readonly ask: (path: string, asked?: Asked) => Promise<Answer>
  /** As the operator. */
  readonly look: (path: string) => Promise<unknown>
  readonly command: (path: string, payload: unknown) => Promise<Answer>
  /** Bytes as they are; what comes back until the other side closes, or a while has passed. */
  readonly raw: (text: string, millis?: number) => Promise<string>
}

/** What the operator accepts from the start. */
export const allowing = (...findings: ReadonlyArray<FindingName>): ReadonlyArray<string> =>
  findings.flatMap((finding) => ["--allow", finding])

/** `prepare` gets the journal's path before the bot starts on it. The market stands still unless `options` give it a speed. */
export const startBot = async (
  config = "",
  prepare?: (journal: string) => Promise<unknown>,
  options: SandboxOptions = {},
  more: ReadonlyArray<string> = []
): Promise<RunningBot> => {
  const sandbox = await (options.speed === undefined ? startStill(options) : startSandbox(options))
  const text = (port: string) => `${configText(sandbox)}dashboard: { port: ${port} }\n${config}`
  const folder = workspace(sandbox, { "config.yaml": text("0") })
  const args = ["run", join(folder, "grid.yaml"), "--config", join(folder, "config.yaml"), "--poll", "0.3s", ...more]
  await prepare?.(join(folder, "journal.sqlite"))
  const program = startHere(args)
  await program.says(/dashboard http:\S+/)
  const url = /dashboard (http:\S+)/.exec(program.stdout())?.[1] ?? ""
  const journal = join(folder, "journal.sqlite")
  const token = readFileSync(`${journal}.token`, "utf8").trim()
  const viewerToken = readFileSync(`${journal}.viewer-token`, "utf8").trim()
  const { port } = new URL(url)
  // The next start is at the address that was free for this one.
  writeFileSync(join(folder, "config.yaml"), text(port))

  const ask = (path: string, { method = "GET", headers = {}, body }: Asked = {}) =>
    new Promise<Answer>((done, fail) => {
      const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part
        })
        response.on("end", () => done({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      })
      sent.on("error", fail)
      sent.end(body)
    })
  const authorization = `Bearer ${token}`
  const command = (path: string, payload: unknown) => {
    const body = JSON.stringify(payload)
    const length = String(Buffer.byteLength(body))
    return ask(path, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", "content-length": length },
      body
    })
  }
  const raw = (text: string, millis = 120_000) =>
    new Promise<string>((done) => {
      let said = ""
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(text))
      const timer = setTimeout(() => socket.destroy(), millis)
      socket.setEncoding("utf8").on("data", (part: string) => {
        said += part
      })
      socket.on("error", () => undefined)
      socket.on("close", () => {
        clearTimeout(timer)
        done(said)
      })
    })
  const look = async (path: string) => JSON.parse((await ask(path, { headers: { authorization } })).body)
  const again = async () => {
    const next = startHere(args)
    await next.says(/dashboard http:\S+/)
    return next
  }
  return { program, again, sandbox, folder, url, token, viewerToken, journal, ask, look, command, raw }
}

/** `shows` is what the failure quotes: the state that was there instead. */
export const until = async (
  what: string,
  holds: () => Promise<boolean>,
  shows: () => Promise<unknown> = async () => "",
  millis = 300_000
): Promise<void> => {
  const end = Date.now() + millis
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`It never came to be: ${what}. ${JSON.stringify(await shows())}`)
    await new Promise((done) => setTimeout(done, 200))
  }
}
