/**
 * The types of the library for programs that import it: declarations of `src/venue` and `src/strategy/own` and what they need. Made from
 * a copy in which every file can name a symbol of Effect's that inferred types contain; without that they cannot be written down.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const symbol = 'import type { NodeInspectSymbol } from "effect/Inspectable"\n'

const filesIn = (folder: string, ending: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))

const edit = (file: string, change: (text: string) => string): void =>
  writeFileSync(file, change(readFileSync(file, "utf8")))

export const declareTypes = (root: string, folder: string): void => {
  const copy = mkdtempSync(join(tmpdir(), "limitbot-types-"))
  try {
    for (const room of ["domain", "signing", "strategy", "venue"]) {
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
      files: ["venue/library.ts", "strategy/library.ts"]
    }
    writeFileSync(join(copy, "package.json"), JSON.stringify({ type: "module" }))
    writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(config))
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", join(copy, "tsconfig.json")])
    const withoutSymbol = /^import type \{ NodeInspectSymbol \} from "effect\/Inspectable";\n/
    for (const file of filesIn(folder, ".d.ts")) {
      edit(file, (text) => {
        const local = text.replaceAll(/(from |import\()"(\.[^"]*)\.ts"/g, '$1"$2.js"')
        return local.split("NodeInspectSymbol").length > 2 ? local : local.replace(withoutSymbol, "")
      })
    }
  } finally {
    rmSync(copy, { recursive: true })
  }
}
