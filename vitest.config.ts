/** Tests that start processes start the built program, as users do: it is built once per run. */
import { defineConfig } from "vitest/config"

export default defineConfig({ test: { globalSetup: "test/buildProgram.ts", setupFiles: "test/setup.ts", isolate: false } })
