/** A program of the owner's is asked once, and whatever it does, that ends. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Program from "../../src/programs/Program.ts"
import { looksLikeKey, program } from "../world/processes/badPrograms.ts"
import { newFolder } from "../world/processes/program.ts"

const terms = { limitMillis: 10_000, mostOutput: 100, environment: "least", errors: "kept" } as const

const run = (script: string, input = "question\n", more: Partial<Program.ProgramTerms> = {}) =>
  Program.run({ program: program(script), args: ["one", "two words"] }, input, { ...terms, ...more }).pipe(
    Effect.provide(NodeServices.layer)
  )

describe("a program of the owner's", () => {
  it.live("gets its arguments and the question, and answers", () =>
    Effect.gen(function* () {
      const { end, errors, hasTaken, isCut, isHeld, output } = yield* run('echo "$#$2:$(cat)"; echo why >&2; exit 3')
      assert.deepStrictEqual(end, { _tag: "Exited", code: 3 })
      assert.deepStrictEqual([output, errors], ["2two words:question\n", "why\n"])
      assert.deepStrictEqual([hasTaken, isCut, isHeld], [true, false, false])
    })
  )

  it.live("is cut off at the requested amount of output, and only the end of its errors is kept", () =>
    Effect.gen(function* () {
      const { errors, isCut, output } = yield* run(
        "cat; yes out | head -c 200000; yes err | head -c 200000 >&2; echo last >&2"
      )
      assert.strictEqual(output.length, 100)
      assert.isTrue(isCut)
      assert.isBelow(errors.length, 10_000)
      assert.strictEqual(Program.lastWords(errors), "last")
    })
  )

  it.live("that ends without reading is detected with a question longer than a pipe holds", () =>
    Effect.gen(function* () {
      const long = "question ".repeat(200_000)
      assert.isFalse((yield* run("exit 0", long)).hasTaken)
      assert.isTrue((yield* run("cat > /dev/null", long)).hasTaken)
    })
  )

  it.live("whose child holds the output is not awaited, and the child is ended", () =>
    Effect.gen(function* () {
      const file = join(newFolder(), "pid")
      const { end, isHeld, output } = yield* run(`cat; sleep 600 & echo $! > ${file}; exit 0`)
      assert.deepStrictEqual(end, { _tag: "Exited", code: 0 })
      assert.strictEqual(output, "question\n")
      assert.isTrue(isHeld)
      const pid = readFileSync(file, "utf8").trim()
      // What nobody reaps is there as Z until the machine ends.
      const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2] : "Z"
      if (process.platform === "linux") assert.strictEqual(state, "Z")
    })
  )

  it.effect("that does not end on request is killed", () =>
    Effect.gen(function* () {
      const begun = join(newFolder(), "begun")
      const asked = yield* Effect.forkChild(run(`trap "" TERM; touch ${begun}; while :; do sleep 0.05; done`))
      while (!existsSync(begun)) yield* Effect.promise(() => pause(10))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual((yield* Fiber.join(asked)).end, { _tag: "Late" })
    })
  )

  it.live("gets a minimal environment, or ours without secrets", () =>
    Effect.gen(function* () {
      process.env["LIMITBOT_TEST_SECRET"] = "s3cret"
      process.env["LIMITBOT_TEST_OTHER"] = "kept"
      const most = { mostOutput: 100_000 }
      const names = ({ output }: Program.ProgramRun) =>
        output.split("\n").flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? [])
      const least = new Set(names(yield* run("env", "", most)))
      assert.isTrue(least.has("PATH"))
      // The shell's own.
      for (const name of ["PATH", "HOME", "LANG", "PWD", "OLDPWD", "SHLVL", "_"]) least.delete(name)
      assert.deepStrictEqual([...least], [])
      const ours = names(yield* run("env", "", { ...most, environment: { without: ["LIMITBOT_TEST_SECRET"] } }))
      assert.include(ours, "LIMITBOT_TEST_OTHER")
      assert.notInclude(ours, "LIMITBOT_TEST_SECRET")
    })
  )

  it.live("that is missing is reported as not started", () =>
    Effect.gen(function* () {
      const asked = Program.run({ program: "/nowhere/program", args: [] }, "", terms)
      const failure = yield* Effect.flip(Effect.provide(asked, NodeServices.layer))
      assert.match(failure.message, /^\/nowhere\/program cannot be run: /)
    })
  )

  it.live("that the system refuses to start is reported as not started", () =>
    Effect.gen(function* () {
      const asked = Program.run({ program: "true", args: ["x".repeat(200_000)] }, "", terms)
      const failure = yield* Effect.flip(Effect.provide(asked, NodeServices.layer))
      assert.match(failure.message, /^true cannot be run: .*E2BIG/)
    })
  )

  it("has its last error cut to one line without anything that looks like a key", () => {
    assert.strictEqual(Program.lastWords("first\nsecond\u001b[31m red\n\n"), "second [31m red")
    assert.strictEqual(Program.lastWords(""), "")
    assert.strictEqual(Program.lastWords(`no: ${looksLikeKey}`), "no: [hidden]")
    assert.strictEqual(Program.lastWords(`token eyJ${"a".repeat(20)}.bbb.ccc`), "token [hidden]")
    assert.isAtMost(Program.lastWords("x".repeat(4_000)).length, 200)
  })
})
