/** The demo on a terminal: orders and profit while it runs, and its result with the next command at the end. */
import { assert, describe, it } from "@effect/vitest"
import { limitbot } from "../../builtProgram.ts"
import { newFolder } from "../../world/processes/program.ts"
import { ctrlC, hasTerminals, open } from "../../world/processes/terminal.ts"

describe("limitbot demo on a terminal", () => {
  it.skipIf(!hasTerminals())("shows ten orders and profit on 24 rows, and ends with its result", async () => {
    const command = `"${process.execPath}" "${limitbot}" demo --speed 600`
    const environment = { PATH: process.env["PATH"] }
    const terminal = open(command, { cwd: newFolder(), columns: 80, rows: 24, environment })
    const screen = await terminal.shows(
      /^ DEMO [\s\S]*^PROFIT USDC {2}total .* equity [\s\S]*(?:^(?:SELL|BUY) .*\n){10}/m
    )
    assert.match(screen, /^demo-grid +BTC\/USDC +[\d,.]+ +[+−]?[\d,.]+ USDC +\d+ {2}(?:SELL|BUY) /m)
    terminal.press(ctrlC)
    assert.strictEqual(await terminal.ended, 0, terminal.after())
    assert.match(terminal.after(), /^PROFIT USDC {2}total .* equity .*\nBALANCES {3}[\d,.]+ USDC .*[\d.]+ BTC/m)
    assert.match(terminal.after(), /books agree to the unit\.\n\nNext, .*: \.\/limitbot init my-grid\.yaml\n*$/)
  })
})
