/**
 * A named pipe, a folder or a device where a file is needed: a message at once. Opening a pipe waits for its other end, and a
 * program that waits in there hears no SIGTERM.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { firstOf } from "../long.ts"
import { assertSays, configText, nowhere, runHere, workspace } from "../world/processes/program.ts"

const config = ["--config", "config.yaml"]
const signerFile = (key: string) => `${key}
record: given.record
assets: { USDC: { id: usdc, decimals: 6, maxTransfer: 1, maxPerDay: 1 } }\n`

/** By what is read: the file that is not plain, and the command that reads it. */
const readers: Readonly<Record<string, readonly [string, ReadonlyArray<string>]>> = {
  configuration: ["config.yaml", ["check", "grid.yaml", ...config]],
  strategy: ["grid.yaml", ["check", "grid.yaml", ...config]],
  "API key": ["api.key", ["run", "grid.yaml", ...config]],
  "account key": ["account.key", ["run", "grid.yaml", ...config]],
  keystore: ["given", ["signer", "key", "--open", "given", "--out", "out", "--passphrase-file", "api.key"]],
  passphrase: ["given", ["signer", "key", "--seal", "account.key", "--out", "out", "--passphrase-file", "given"]],
  candles: ["given", ["backtest", "grid.yaml", "--data", "given", ...config]],
  "candles of a strategy": ["given.csv", ["plan", "warm.yaml", ...config]],
  "table of another journal": ["given", ["replay", "--journal", "given", ...config]],
  journal: ["journal.sqlite", ["status", ...config]],
  "journal to write": ["journal.sqlite", ["run", "grid.yaml", ...config]],
  "signer's file": ["signer.yaml", ["signer", "--socket", "s", "--config", "signer.yaml"]],
  "signer's key": ["given", ["signer", "--socket", "s", "--config", "keyed.yaml"]],
  "signer's record": ["given.record", ["signer", "--socket", "s", "--config", "recorded.yaml"]],
  certificate: ["given.pem", ["run", "grid.yaml", "--config", "tls.yaml"]]
}

const make: Readonly<Record<string, (file: string) => void>> = {
  "named pipe": (file) => void execFileSync("mkfifo", ["-m", "600", file]),
  folder: (file) => mkdirSync(file),
  device: (file) => symlinkSync("/dev/zero", file)
}

/** All three there; a pipe everywhere. */
const thoroughly = new Set(["configuration", "API key", "candles", "journal"])

const files = {
  "warm.yaml": `name: warm
market: BTC/USDC
kind: rules
candles: given.csv
limits: { budget: { quote: 100 } }
rules: { timeframe: 1m, orders: { buy: { when: "close > sma(close, 3)", side: buy, price: mid, size: { quote: 10 } } } }\n`,
  "signer.yaml": signerFile("key: { file: account.key }"),
  "keyed.yaml": signerFile("key: { file: given }"),
  "recorded.yaml": signerFile("key: { file: account.key }"),
  "tls.yaml": `${configText(nowhere)}dashboard: { host: 0.0.0.0, tls: { certificate: given.pem, key: { file: api.key } } }\n`
}

describe.concurrent("a file that is not a regular file", () => {
  for (const [what, [name, command]] of firstOf(3, Object.entries(readers))) {
    it(`is refused in time as the ${what}`, async () => {
      const cwd = workspace(nowhere, files)
      const kinds = Object.entries(make).filter(([kind]) => kind === "named pipe" || thoroughly.has(what))
      for (const [kind, create] of kinds) {
        rmSync(join(cwd, name), { recursive: true, force: true })
        create(join(cwd, name))
        const startedAt = Date.now()
        const ended = await Promise.race([
          runHere(command, { cwd }),
          // Commands of other folders go first.
          pause(300_000, undefined, { ref: false })
        ])
        assert.isDefined(ended, `${kind}: still there after ${Date.now() - startedAt} ms`)
        if (ended === undefined) return
        assert.notStrictEqual(ended.code, 0, kind)
        assertSays(ended, ended.code ?? -1, new RegExp(`${name.replace(".", "\\.")}|Cannot open the database`))
        assert.match(ended.stderr, new RegExp(`${kind}|plain file|symbolic link`), kind)
      }
    })
  }
})
