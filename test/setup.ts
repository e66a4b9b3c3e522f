/** Vitest runs this file before each test file. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { endFile } from "./endOfFile.ts"

// Backtests of tests are not saved among those of the person who runs them.
process.env["XDG_STATE_HOME"] = join(tmpdir(), "limitbot-tests-state")

afterAll(endFile, 60_000)
