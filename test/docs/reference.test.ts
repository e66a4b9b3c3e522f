/** The pages of the reference are made of declarations. The test fails if a page lacks a declaration. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { root } from "./documents.ts"

it.skipIf(!isLong)("docs/reference equals what `npm run reference` writes", () => {
  execFileSync(process.execPath, [
    "--disable-warning=ExperimentalWarning",
    join(root, "tools/reference/main.ts"),
    "--check"
  ])
})
