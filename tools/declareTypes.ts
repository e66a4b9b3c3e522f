/**
 * The types of the library for programs that import it: declarations of `src/venue`, `src/strategy/own` and `src/sandbox` and what they need. Made from
 * a copy in which every file can name a symbol of Effect's that inferred types contain; without that they cannot be written down.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseSync, Visitor } from "rolldown/utils"

const symbol = 'import type { NodeInspectSymbol } from "effect/Inspectable"\n'

const filesIn = (folder: string, ending: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))

const edit = (file: string, change: (text: string) => string): void =>
  writeFileSync(file, change(readFileSync(file, "utf8")))

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The compiler writes the members of a union, and those of an error that it spells out, in another order each time; the package
 * shall have the same bytes.
 */
const inOneOrder = (file: string, text: string): string => {
  const mixed: Array<Span & { readonly parts: ReadonlyArray<Span>; readonly between: string }> = []
  const isError = (members: ReadonlyArray<Span>) =>
    members.some(({ start }) => text.startsWith("[Symbol.iterator]()", start))
  new Visitor({
    TSUnionType: ({ start, end, types }) => void mixed.push({ start, end, parts: types, between: " | " }),
    TSTypeLiteral: ({ members }) => {
      const [first, last] = [members[0], members.at(-1)]
      if (first === undefined || last === undefined || !isError(members)) return
      mixed.push({ start: first.start, end: last.end, parts: members, between: "\n" })
    }
  }).visit(parseSync(file, text).program)
  const ordered = (within: Span): string => {
    let [written, at] = ["", within.start]
    // An outer one comes before those in it, which are written with it.
    for (const { start, end, parts, between } of mixed) {
      if (start < at || end > within.end) continue
      written += text.slice(at, start) + parts.map(ordered).sort().join(between)
      at = end
    }
    return written + text.slice(at, within.end)
  }
  return ordered({ start: 0, end: text.length })
}

export const declareTypes = (root: string, folder: string): void => {
  const copy = mkdtempSync(join(tmpdir(), "limitbot-types-"))
  try {
    for (const room of ["candles", "domain", "sandbox", "signing", "strategy", "venue"]) {
      cpSync(join(root, "src", room), join(copy, room), { recursive: true })
      for (const file of filesIn(join(copy, room), ".ts")) edit(file, (text) => symbol + text)
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noUnusedLocals: false,
      rootDir: ".",
      outDir: folder,
      plugins: []
    }
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions,
      include: [],
      files: ["venue/library.ts", "strategy/library.ts", "sandbox/library.ts"]
    }
    writeFileSync(join(copy, "package.json"), JSON.stringify({ type: "module" }))
    writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(config))
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    execFileSync(process.execPath, [compiler, "-p", join(copy, "tsconfig.json")])
    const withoutSymbol = /^import type \{ NodeInspectSymbol \} from "effect\/Inspectable";\n/
    for (const file of filesIn(folder, ".d.ts")) {
      edit(file, (text) => {
        // What is elided is the error itself, where it is not the first to be spelled out: which one is, differs as well.
        const local = text
          .replaceAll(/(from |import\()"(\.[^"]*)\.ts"/g, '$1"$2.js"')
          .replaceAll("/*elided*/ any", "any")
        return inOneOrder(file, local.split("NodeInspectSymbol").length > 2 ? local : local.replace(withoutSymbol, ""))
      })
    }
  } finally {
    rmSync(copy, { recursive: true })
  }
}
