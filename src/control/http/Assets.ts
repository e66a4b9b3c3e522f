/**
 * The files of the dashboard, read once: the built ones beside the built program, otherwise the sources with their types removed. Only
 * files of this table are served, so no path of a request is joined to a folder.
 */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire, stripTypeScriptTypes } from "node:module"
import { dirname, join } from "node:path"

export interface PageFile {
  readonly type: string
  readonly body: string
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  ts: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json"
}

const fileOf = (name: string, body: string): readonly [string, PageFile] => {
  return [name, { type: types[name.slice(name.lastIndexOf(".") + 1)] ?? "text/plain", body }]
}

/** The last two let a phone install the page as an app and show the bot's notices. */
const plain = ["style.css", "icon.svg", "manifest.webmanifest", "worker.js"] as const
const pages = { "index.html": "app", "fleet.html": "fleet" } as const
const built = [...Object.entries(pages).flatMap(([page, script]) => [page, `${script}.js`]), ...plain]
const table = "OperatorCommands.ts"
/** `resolved` is a file that Node can resolve; `file` is the module for browsers, relative to its folder. */
const libraries: Readonly<Record<string, readonly [resolved: string, file: string]>> = {
  "lightweight-charts": ["lightweight-charts/package.json", "dist/lightweight-charts.standalone.production.mjs"],
  preact: ["preact", "preact.mjs"],
  "preact/hooks": ["preact/hooks", "hooks.mjs"],
  "@preact/signals": ["@preact/signals", "signals.mjs"],
  "@preact/signals-core": ["@preact/signals-core", "signals-core.mjs"]
}

const isBuilt = import.meta.filename.endsWith(".mjs")

const fromBuild = (): ReadonlyMap<string, PageFile> => {
  const folder = join(import.meta.dirname, "dashboard")
  return new Map(built.map((name) => fileOf(name, readFileSync(join(folder, name), "utf8"))))
}

const servedName = (library: string): string => `${library.replace(/\W+/g, "-")}.mjs`

/** Rewrites library names to files of this server. Other imports already name files. */
const withLocalNames = (text: string): string =>
  text.replace(/(from ?)"([@a-z][\w@/-]*)"/g, (whole, from: string, name: string) =>
    libraries[name] === undefined ? whole : `${from}"./${servedName(name)}"`
  )

const withoutTypes = (text: string): string =>
  withLocalNames(stripTypeScriptTypes(text)).replace(`"../../control/api/${table}"`, `"./${table}"`)

const fromSources = (): ReadonlyMap<string, PageFile> => {
  const folder = join(import.meta.dirname, "../../dashboard")
  const { resolve } = createRequire(import.meta.url)
  const readText = (name: string) => readFileSync(join(folder, name), "utf8")
  const library = (name: string) => {
    const [resolved = name, file = ""] = libraries[name] ?? []
    return fileOf(servedName(name), withLocalNames(readFileSync(join(dirname(resolve(resolved)), file), "utf8")))
  }
  return new Map([
    ...Object.entries(pages).map(([page, script]) =>
      fileOf(page, readText(page).replace(`/assets/${script}.js`, `/assets/${script}.ts`))
    ),
    ...plain.map((name) => fileOf(name, readText(name))),
    ...readdirSync(join(folder, "public")).map((name) => fileOf(name, withoutTypes(readText(`public/${name}`)))),
    fileOf(table, withoutTypes(readFileSync(join(folder, "../control/api", table), "utf8"))),
    ...Object.keys(libraries).map(library)
  ])
}

export const load = (): ReadonlyMap<string, PageFile> => (isBuilt ? fromBuild() : fromSources())
