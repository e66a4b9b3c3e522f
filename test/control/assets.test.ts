/** The page as it is served without a build: whatever one of its files imports is served too. */
import { assert, it } from "@effect/vitest"
import { load } from "../../src/control/http/Assets.ts"

it("every import of the page is a file of the page", () => {
  const files = load()
  const imports = [...files].flatMap(([name, { body }]) =>
    name.endsWith(".ts")
      ? [...body.matchAll(/^import[^"]*"([^"]+)"/gm)].map(([, file = ""]) => [name, file] as const)
      : []
  )
  assert.isAbove(imports.length, 15)
  assert.deepStrictEqual(
    imports.filter(([, file]) => !files.has(file.replace(/^\.\//, ""))),
    []
  )
})
