/**
 * Bundles the program into a folder (dist/ when none is given), for starting fast: what is not used is left out, and
 * `limitbot --version` loads nothing else.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { build, type Plugin } from "rolldown"
import { hashOfSources } from "../src/app/DecisionCode.ts"
import { sourcesCode, version } from "../src/version.ts"
import { declareTypes } from "./declareTypes.ts"
import { describeInterfaces } from "./describeInterfaces.ts"
import { foldCodes } from "./foldCode.ts"

const root = resolve(import.meta.dirname, "..")
const folder = resolve(process.argv[2] ?? join(root, "dist"))
/** Read before anything is built: whoever asks whether the build is what the sources are now (`isBuilt.sh`) compares with it. */
const builtFrom = execFileSync("sh", [join(root, "tools/sourcesSum.sh")])

/** Effect's wrapper hands on everything of a CommonJS package by `export *`, which the bundler loses: skip the wrapper. */
const undiciItself: Plugin = {
  name: "undici-itself",
  resolveId(source, importer) {
    return source === "./Undici.js" ? this.resolve("undici", importer) : undefined
  }
}

/** Effect makes a splitter of text into letters at every start, which takes as long as half an empty process: make it when asked. */
const letterSplitterOnDemand: Plugin = {
  name: "letter-splitter-on-demand",
  transform: {
    filter: { id: /effect.dist.cli.CliOutput\.js$/ },
    handler(code) {
      const eager = /const graphemeSegmenter = [^;]*(new Intl\.Segmenter\([^;]*\));/
      if (!eager.test(code)) this.error("effect makes its Intl.Segmenter elsewhere now")
      return code.replace(
        eager,
        "let splitter; const graphemeSegmenter = { segment: (text) => (splitter ??= $1).segment(text) };"
      )
    }
  }
}

/** Ohm reads grammars by a grammar of its own, which it makes as it is loaded: load it when the first expression is read. */
const ohmOnDemand: Plugin = {
  name: "ohm-on-demand",
  transform: {
    filter: { id: /src.strategy.expression.Grammar\.ts$/ },
    handler(code) {
      const [eager, use] = ['import * as Ohm from "ohm-js"', "Ohm.grammar("]
      if (!code.includes(eager) || !code.includes(use)) this.error("Grammar.ts uses ohm-js in another way now")
      return code.replace(eager, 'import type * as Ohm from "ohm-js"').replace(use, 'require("ohm-js").grammar(')
    }
  }
}

/** The built program has no sources beside it: it is told their hash. */
const decisionCodeKnown: Plugin = {
  name: "decision-code-known",
  transform: {
    filter: { id: /src.app.DecisionCode\.ts$/ },
    handler: () => `export const decisionCode = () => ${JSON.stringify(hashOfSources(join(root, "src")))}`
  }
}

const sourcesCodeKnown: Plugin = {
  name: "sources-code-known",
  transform: {
    filter: { id: /src.version\.ts$/ },
    handler: () => `export const version = ${JSON.stringify(version)}
export const sourcesCode = () => ${JSON.stringify(sourcesCode())}`
  }
}

const codes = await foldCodes(root)
const foldCodeKnown: Plugin = {
  name: "fold-code-known",
  transform: {
    filter: { id: /src.journal.snapshots.FoldCode\.ts$/ },
    handler: () => `const codes = ${JSON.stringify(codes)}
export const foldCode = (fold) => codes[fold.split(" ", 1)[0]] ?? Object.values(codes).join()`
  }
}

await build({
  cwd: root,
  input: { limitbot: "src/main.ts" },
  platform: "node",
  plugins: [undiciItself, letterSplitterOnDemand, ohmOnDemand, decisionCodeKnown, sourcesCodeKnown, foldCodeKnown],
  output: {
    dir: folder,
    format: "esm",
    cleanDir: true,
    minify: true,
    banner: (chunk) => (chunk.name === "limitbot" ? "#!/usr/bin/env node" : ""),
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    // Few files start faster than many: what every command needs, and what those need that run strategies over candles.
    codeSplitting: {
      groups: [
        { name: "version", test: /src.version\.ts$/, priority: 3 },
        { name: "start", test: /src.cli.launch\.ts$/, priority: 2 },
        {
          name: "backtesting",
          test: /src.(lab.runs.(RunCandles|RunSetUp|StrategySource)|cli.backtest.runFlags)\.ts$/,
          priority: 1
        }
      ]
    }
  }
})
chmodSync(join(folder, "limitbot.mjs"), 0o755)
// A program of its own that threads start by its path: with only what a trial needs it is there in half the time.
await build({
  cwd: root,
  input: { SweepWorker: "src/lab/backtest/search/SweepWorker.ts" },
  platform: "node",
  output: { dir: folder, format: "esm", minify: true, entryFileNames: "[name].mjs" }
})
// What other programs import: they bring Effect, because both must use the same copy of it.
await build({
  cwd: root,
  input: { venue: "src/venue/library.ts" },
  platform: "node",
  external: [/^effect($|\/)/],
  output: { dir: folder, format: "esm", entryFileNames: "[name].mjs" }
})
// What tests of strategies of one's own import: it brings all that it needs.
await build({
  cwd: root,
  input: { strategy: "src/strategy/library.ts" },
  platform: "node",
  output: { dir: folder, format: "esm", entryFileNames: "[name].mjs" }
})
// What integrators test their own clients against: it brings all that it needs.
await build({
  cwd: root,
  input: { sandbox: "src/sandbox/library.ts" },
  platform: "node",
  output: { dir: folder, format: "esm", minify: true, codeSplitting: false, entryFileNames: "[name].mjs" }
})
// Tests need no types of what they build, nor descriptions.
if (process.argv[2] === undefined) {
  declareTypes(root, join(folder, "types"))
  describeInterfaces(join(folder, "openapi"))
}
// The interpreter of strategies in code.
copyFileSync(join(root, "node_modules/quickjs-wasi/quickjs.wasm"), join(folder, "quickjs.wasm"))
// The chart library goes into reports as text.
for (const file of ["uPlot.iife.min.js", "uPlot.min.css"]) {
  copyFileSync(join(root, "node_modules/uplot/dist", file), join(folder, file))
}

// What the control server serves to browsers.
for (const page of ["app", "fleet"]) {
  await build({
    cwd: root,
    input: { [page]: `src/dashboard/public/${page}.ts` },
    platform: "browser",
    output: { dir: join(folder, "dashboard"), format: "esm", minify: true, entryFileNames: "[name].js" }
  })
}
for (const file of ["index.html", "fleet.html", "style.css", "icon.svg", "manifest.webmanifest", "worker.js"]) {
  copyFileSync(join(root, "src/dashboard", file), join(folder, "dashboard", file))
}

const limitbot = (...args: ReadonlyArray<string>): Buffer =>
  execFileSync(process.execPath, [join(folder, "limitbot.mjs"), ...args], { cwd: root })
// The first start keeps the code that it compiled for all later ones. A backtest uses most of what commands share.
const scratch = mkdtempSync(join(tmpdir(), "limitbot-build-"))
const candles = join(scratch, "candles.csv")
writeFileSync(candles, "time,open,high,low,close,volume\n1735689600,100,101,99,100,1\n1735689660,100,101,99,100,1\n")
limitbot("backtest", "strategies/grid.yaml", "--data", candles, "--no-save")
rmSync(scratch, { recursive: true })
limitbot("-h")
copyFileSync(join(root, "src/cli/help.txt"), join(folder, "help.txt"))
writeFileSync(join(folder, "built-from"), builtFrom)
