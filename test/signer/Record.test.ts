/** The signer's record on disk: what was appended is there after a restart, and a line that was changed or removed shows. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Record from "../../src/signer/remote/Record.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-record-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const entries: ReadonlyArray<Record.RecordEntry> = [
  { at: 1, what: "login" },
  { at: 2, what: "signed", depositAddress: "d", asset: "a", amount: "1", intentHash: "h", body: "b", validUntil: 9 },
  { at: 3, what: "refused", reason: "asset: expected x, found y" }
]

const written = (name: string) =>
  Effect.gen(function* () {
    const file = join(folder, name)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const record = yield* Record.open(file)
        for (const entry of entries) yield* record.append(entry)
        assert.deepStrictEqual(record.entries, entries)
      })
    )
    return file
  })

const read = (file: string) =>
  Effect.scoped(Effect.map(Record.open(file), ({ entries: all }) => all.map(({ at, what }) => [at, what])))
const all = entries.map(({ at, what }) => [at, what])

describe("the signer's record", () => {
  it.effect("keeps the line that a running signer is writing while somebody reads", () =>
    Effect.gen(function* () {
      const file = yield* written("looked.log")
      const whole = readFileSync(file, "utf8")
      writeFileSync(file, `${whole}{"at":4,"what":"sig`)
      const seen = yield* Record.readRecord(file)
      assert.deepStrictEqual(
        seen.map(({ at, what }) => [at, what]),
        all
      )
      assert.strictEqual(readFileSync(file, "utf8"), `${whole}{"at":4,"what":"sig`)
    })
  )

  it.effect("survives a restart, continues, and only its owner can read it", () =>
    Effect.gen(function* () {
      const file = yield* written("good.log")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* read(file), all)
      yield* Effect.scoped(Effect.flatMap(Record.open(file), (record) => record.append({ at: 4, what: "login" })))
      assert.deepStrictEqual(yield* read(file), [...all, [4, "login"]])
    })
  )

  it.effect("leaves out a truncated line, and the next one is on its own line", () =>
    Effect.gen(function* () {
      const file = yield* written("cut.log")
      const whole = readFileSync(file, "utf8")
      writeFileSync(file, `${whole}{"at":4,"wh`)
      yield* Effect.scoped(Effect.flatMap(Record.open(file), (record) => record.append({ at: 5, what: "login" })))
      assert.deepStrictEqual(yield* read(file), [...all, [5, "login"]])
      assert.isTrue(readFileSync(file, "utf8").startsWith(whole))
      writeFileSync(file, whole.slice(0, 20))
      assert.deepStrictEqual(yield* read(file), [])
      assert.strictEqual(statSync(file).size, 0)
    })
  )

  it.effect("refuses to continue if a line is changed, removed, exchanged or invalid", () =>
    Effect.gen(function* () {
      const file = yield* written("changed.log")
      const [one = "", two = "", three = ""] = readFileSync(file, "utf8").trim().split("\n")
      const problem = (...lines: ReadonlyArray<string>) => {
        writeFileSync(file, lines.map((line) => `${line}\n`).join(""))
        return Effect.map(Effect.flip(read(file)), ({ message }) => message.slice(message.indexOf(": ") + 2))
      }
      const broken = (line: number) => `line ${line} does not follow from the one before it`
      assert.strictEqual(yield* problem(two, three), broken(1))
      assert.strictEqual(yield* problem(one, three), broken(2))
      assert.strictEqual(yield* problem(one, two.replace('"1"', '"9"'), three), broken(3))
      assert.strictEqual(yield* problem(one, two, two), broken(3))
      assert.notStrictEqual(yield* problem(one, "{}"), broken(2))
      writeFileSync(file, `${[one, two].join("\n")}\n`)
      assert.lengthOf(yield* read(file), 2, "its end may be missing: that shows in the bot's journal")
    })
  )

  it.effect("is a plain file in an existing folder", () =>
    Effect.gen(function* () {
      const directory = join(folder, "directory")
      mkdirSync(directory)
      assert.match(
        (yield* Effect.flip(read(directory))).message,
        /The signer's record .*directory: it is not a plain file/
      )
      assert.match((yield* Effect.flip(read(join(folder, "nowhere", "a.log")))).message, /no such file/)
    })
  )
})
