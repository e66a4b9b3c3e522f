/** The page as it is served without a build: whatever one of its files or of their libraries imports is served too. */
import { assert, it } from "@effect/vitest"
import { load } from "../../src/control/http/Assets.ts"

it("every import of the page is a file of the page", () => {
  const files = load()
  const imports = [...files].flatMap(([name, { body }]) =>
    /\.(?:ts|mjs)$/.test(name)
      ? [...body.matchAll(/(?:^import|\bfrom) ?"([\w.@][^"]*)"/gm)].map(([, file = ""]) => [name, file] as const)
      : []
  )
  assert.isAbove(imports.length, 15)
  assert.deepStrictEqual(
    imports.filter(([, file]) => !files.has(file.replace(/^\.\//, ""))),
    []
  )
})
