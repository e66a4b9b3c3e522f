/** The documentation site without building it: nothing is missing from its navigation, and no link leads nowhere. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { addressOf, filesShown, pages, placeOf } from "../../site/links.ts"
import { read, root } from "./documents.ts"

const linksOf = (page: string): ReadonlyArray<string> =>
  [...read(page).matchAll(/(?<!!\[[^\]]*)\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)

describe("the documentation site", () => {
  it("shows every page except the one for assistants", () => {
    const written = globSync(["*.md", "docs/**/*.md", "site/*.md"], { cwd: root })
    assert.deepStrictEqual(pages.toSorted(), written.filter((page) => page !== "AGENTS.md").sort())
  })

  it("links only to its pages, to files that it shows, and outside", () => {
    const there = new Set([
      ...pages.map((page) => addressOf("README.md", page)),
      ...filesShown()
        .filter((file) => existsSync(join(root, file)))
        .map((file) => addressOf("README.md", file))
    ])
    const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, address: addressOf(page, link) })))
    assert.isAbove(links.length, 100)
    assert.deepStrictEqual(
      links.filter(({ address }) => !/^(?:https:|#)/.test(address) && !there.has(address.replace(/#.*/, ""))),
      []
    )
  })

  it("has addresses that differ in more than capitals", () => {
    const places = pages.map((page) => placeOf(page).toLowerCase())
    assert.strictEqual(new Set(places).size, places.length)
  })

  it("is built by exactly pinned packages, as in its lockfile", () => {
    const { devDependencies } = JSON.parse(read("site/package.json"))
    const { packages } = JSON.parse(readFileSync(join(root, "site/package-lock.json"), "utf8"))
    assert.deepStrictEqual(packages[""].devDependencies, devDependencies)
    for (const version of Object.values(devDependencies)) assert.match(String(version), /^\d+\.\d+\.\d+$/)
  })
})
