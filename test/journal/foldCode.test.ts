/** Which changes of the program make it read a long journal anew. */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { foldCodes } from "../../tools/foldCode.ts"

const root = resolve(import.meta.dirname, "../..")

/** What has to be read anew once a file does one thing more. */
const lostIn = async (copy: string) => {
  const before = await foldCodes(copy)
  return async (file: string): Promise<ReadonlyArray<string>> => {
    appendFileSync(join(copy, file), "\nconsole.log(1)\n")
    const after = await foldCodes(copy)
    cpSync(join(root, file), join(copy, file))
    return Object.keys(before).filter((fold) => before[fold] !== after[fold])
  }
}

describe("snapshots", () => {
  it("survive an upgrade that changes strategies, and not one that changes how events are read", async () => {
    const copy = mkdtempSync(join(tmpdir(), "limitbot-folds-"))
    try {
      // Without the packages, which no edit here touches: bundling them takes four fifths of the time.
      for (const part of ["src", "package.json", "tsconfig.json"])
        cpSync(join(root, part), join(copy, part), { recursive: true })
      const lostBy = await lostIn(copy)
      assert.deepStrictEqual(await lostBy("src/strategy/kinds/rules/RuleExit.ts"), [])
      assert.deepStrictEqual(await lostBy("src/engine/state/BotState.ts"), ["state"])
      assert.deepStrictEqual(await lostBy("src/engine/state/Bookkeeper.ts"), ["state"])
      assert.deepStrictEqual(await lostBy("src/journal/postgres/Journals.ts"), ["state", "profit", "books"])
      assert.deepStrictEqual(await lostBy("src/ledger/Trades.ts"), ["profit", "books"])
      assert.deepStrictEqual(await lostBy("src/journal/EventText.ts"), ["state", "profit", "books"])
    } finally {
      rmSync(copy, { recursive: true })
    }
  })
})
