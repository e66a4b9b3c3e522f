/** Vitest runs this file before each test file. */
import { afterAll } from "vitest"
import { endFile } from "./endOfFile.ts"

afterAll(endFile, 60_000)
