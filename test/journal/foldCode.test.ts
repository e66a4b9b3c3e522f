/** Which changes of the program make it read a long journal anew. */
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { foldCodes } from "../../tools/foldCode.ts"

const root = resolve(import.meta.dirname, "../..")

/** The folds whose snapshots do not count any more once a file does one thing more. */
const lostBy = async (file: string): Promise<ReadonlyArray<string>> => {
  const copy = mkdtempSync(join(tmpdir(), "limitbot-folds-"))
  try {
    for (const part of ["src", "package.json", "tsconfig.json"])
      cpSync(join(root, part), join(copy, part), { recursive: true })
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
    const before = await foldCodes(copy)
    appendFileSync(join(copy, file), "\nconsole.log(1)\n")
    const after = await foldCodes(copy)
    return Object.keys(before).filter((fold) => before[fold] !== after[fold])
  } finally {
    rmSync(copy, { recursive: true })
  }
}

describe("snapshots of an upgrade", () => {
  it("go on where a strategy decides otherwise", async () => {
    assert.deepStrictEqual(await lostBy("src/strategy/kinds/rules/RuleExit.ts"), [])
  })

  it("do not where events are read otherwise", async () => {
    assert.deepStrictEqual(await lostBy("src/engine/state/BotState.ts"), ["state"])
    assert.deepStrictEqual(await lostBy("src/ledger/Trades.ts"), ["profit", "books"])
    assert.deepStrictEqual(await lostBy("src/journal/EventText.ts"), ["state", "profit", "books"])
  })
})
