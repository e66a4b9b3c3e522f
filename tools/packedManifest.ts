/**
 * The manifest that `npm pack` puts into the package: the built program stands alone, so it needs nothing installed beside it,
 * and nobody who installs it has to know how it was built. `write` before packing, `restore` after it; a pack that died
 * in between is put right by the next one.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const file = join(import.meta.dirname, "../package.json")
/** Beside it: the folder of packages may be another clone's as well. */
const kept = join(import.meta.dirname, "../.package.json.kept")

const restore = (): void => {
  if (existsSync(kept)) renameSync(kept, file)
}

const write = (): void => {
  restore()
  const text = readFileSync(file, "utf8")
  writeFileSync(kept, text)
  const { dependencies, devDependencies: _, optionalDependencies: __, scripts, ...rest } = JSON.parse(text)
  const { prepack, postpack } = scripts
  const manifest = {
    ...rest,
    // Without them the next pack could put nothing right, and would pack without a build.
    scripts: { prepack, postpack },
    // Only for programs that import limitbot/venue, which bring Effect themselves.
    peerDependencies: { ...rest.peerDependencies, effect: dependencies.effect },
    peerDependenciesMeta: { ...rest.peerDependenciesMeta, effect: { optional: true } }
  }
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
}

if (process.argv[2] === "write") write()
else restore()
