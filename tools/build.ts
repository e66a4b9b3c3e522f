/**
 * Bundles the program into a folder (dist/ when none is given), for starting fast: what is not used is left out, and
 * `limitbot --version` loads nothing else.
 */
import { chmodSync, copyFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { build, type Plugin } from "rolldown"

const root = resolve(import.meta.dirname, "..")
const folder = resolve(process.argv[2] ?? join(root, "dist"))

/** Effect's wrapper hands on everything of a CommonJS package by `export *`, which the bundler loses: skip the wrapper. */
const undiciItself: Plugin = {
  name: "undici-itself",
  resolveId(source, importer) {
    return source === "./Undici.js" ? this.resolve("undici", importer) : undefined
  }
}

await build({
  cwd: root,
  // The worker is a program of its own that threads start by its path.
  input: { limitbot: "src/main.ts", SweepWorker: "src/backtest/SweepWorker.ts" },
  platform: "node",
  plugins: [undiciItself],
  output: {
    dir: folder,
    format: "esm",
    cleanDir: true,
    minify: true,
    banner: (chunk) => (chunk.name === "limitbot" ? "#!/usr/bin/env node" : ""),
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs"
  }
})
chmodSync(join(folder, "limitbot.mjs"), 0o755)
// The chart library goes into reports as text.
for (const file of ["uPlot.iife.min.js", "uPlot.min.css"]) {
  copyFileSync(join(root, "node_modules/uplot/dist", file), join(folder, file))
}
