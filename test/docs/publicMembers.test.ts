/**
 * What other programs import is documented at its place: each export of the package's libraries, and each member of an exported interface
 * or service, has a TSDoc comment. Members of values that a schema describes are named by their schemas.
 */
import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = resolve(import.meta.dirname, "../..")
const linesOf = (file: string): ReadonlyArray<string> => readFileSync(file, "utf8").split("\n")

/** The names that a library takes from each of its files; `undefined`: all of them. */
const exportsOf = (library: string): ReadonlyArray<readonly [file: string, names: ReadonlySet<string> | undefined]> => {
  const text = readFileSync(library, "utf8")
  const taken = [...text.matchAll(/^export (?:type )?(?:\*|\{([^}]+)\}) from "([^"]+)"/gm)].map(
    ([, names, from = ""]) => {
      const named = names?.split(",").map((name) =>
        name
          .trim()
          .replace(/^type /, "")
          .replace(/ as .*/, "")
      )
      return [join(dirname(library), from), named && new Set(named)] as const
    }
  )
  return [[library, undefined], ...taken]
}

const isDocumented = (lines: ReadonlyArray<string>, index: number): boolean =>
  /^\s*(?:\/\*\* .*\*\/|\*\/)$/.test(lines[index - 1] ?? "") || /^\s*\/\*\* .*\*\/ \S/.test(lines[index] ?? "")

/** Each documented or undocumented thing of a file, as formatted source has it. */
const membersIn = (file: string, names: ReadonlySet<string> | undefined) => {
  const lines = linesOf(file)
  return lines.flatMap((line, index) => {
    const [, name = ""] = /^export (?:const|interface|class|type|function) (\w+)/.exec(line) ?? []
    if (name === "" || (names !== undefined && !names.has(name))) return []
    const end = lines.findIndex((each, at) => at >= index && /^(?:\}|>\(\))/.test(each))
    const isService = /Context\.Service/.test(lines.slice(index, index + 2).join(" "))
    const isInterface = line.startsWith("export interface")
    const indent = isInterface ? 2 : isService ? 4 : 0
    const member = new RegExp(`^ {${indent}}(?:/\\*\\* .*\\*/ )?(?:readonly )?(\\w+)\\??[:(<]`)
    const members =
      indent === 0
        ? []
        : lines.slice(index + 1, end).flatMap((each, at) => {
            const [, own] = member.exec(each) ?? []
            return own === undefined
              ? []
              : [{ name: `${name}.${own}`, isDocumented: isDocumented(lines, index + 1 + at) }]
          })
    return [{ name, isDocumented: isDocumented(lines, index) }, ...members]
  })
}

describe("the libraries of the package", () => {
  for (const library of ["venue", "strategy", "sandbox"]) {
    it(`limitbot/${library} documents each of its public members`, () => {
      const members = exportsOf(join(root, "src", library, "library.ts")).flatMap(([file, names]) =>
        membersIn(file, names)
      )
      assert.isAbove(members.length, 5)
      assert.deepStrictEqual(
        members.filter((each) => !each.isDocumented).map(({ name }) => name),
        []
      )
    })
  }
})
