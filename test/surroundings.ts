/** Programs and data that a machine may lack. Tests that need them are skipped without, and a run says so in one line. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { hasPostgres } from "./postgres.ts"

const { LIMITBOT_BROWSER: namedBrowser } = process.env
const usualBrowsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
/** As in `tools/pictures.ts`. */
export const browserPath = (namedBrowser === undefined ? usualBrowsers : [namedBrowser]).find(existsSync)

/** Market data and results of other engines that are not part of the repository. */
export const dataFolder = resolve(import.meta.dirname, "../../shared/data")
export const hasData = existsSync(dataFolder)

export const missing: ReadonlyArray<string> = [
  ...(hasPostgres ? [] : ["a Postgres server"]),
  ...(browserPath === undefined ? ["a browser"] : []),
  ...(hasData ? [] : ["market data"])
]
