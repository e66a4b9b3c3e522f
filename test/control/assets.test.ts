/** The page as it is served without a build: whatever one of its files or of their libraries imports is served too. */
import { gzipSync } from "node:zlib"
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

it("the page, its charts and its components have at most 150 kB compressed, even without a build", () => {
  const bytes = [...load().values()].map(({ body }) => gzipSync(body).length)
  assert.isAtMost(
    bytes.reduce((sum, each) => sum + each, 0),
    150_000
  )
})
