/**
 * Finds the place of a candle file's column cache: beside the file if the user owns its folder and alone may write there, otherwise in
 * `$XDG_CACHE_HOME/limitbot` (by default `~/.cache/limitbot`). Another user who may write to a folder could put a false cache into it.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { homedir, userInfo } from "node:os"
import { basename, dirname, isAbsolute, join } from "node:path"
import { Config, Effect, Option } from "effect"

const othersMayWrite = 0o022

/** Windows has no numeric owners: it returns -1 for users and 0 for files. Its modes say nothing about other users. */
const isOwn = (folder: string): boolean => {
  const { uid } = userInfo()
  const stats = fs.statSync(folder)
  if (uid >= 0 && (stats.uid !== uid || (stats.mode & othersMayWrite) !== 0)) return false
  try {
    fs.accessSync(folder, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The XDG base directory specification ignores a relative path. Dies if the system does not know the user, as in some containers. */
export const userFolder = Effect.fnUntraced(function* (variable: string, usual: string) {
  const set = yield* Config.String(variable).pipe(Config.option, Effect.orElseSucceed(Option.none<string>))
  const base = Option.filter(set, isAbsolute).pipe(Option.getOrElse(() => join(homedir(), usual)))
  return join(base, "limitbot")
})

const suffix = ".columns"

export const isCacheFile = (file: string): boolean => file.endsWith(suffix)

/** Files of one name in different folders have different caches. `undefined` if the user is unknown or the folder is gone. */
export const cacheFileOf = Effect.fnUntraced(
  function* (file: string) {
    const folder = dirname(file)
    if (isOwn(folder)) return `${file}${suffix}`
    const path = join(fs.realpathSync(folder), basename(file))
    const tag = createHash("sha256").update(path).digest("hex").slice(0, 16)
    return join(yield* userFolder("XDG_CACHE_HOME", ".cache"), `${basename(file)}.${tag}${suffix}`)
  },
  Effect.catchDefect(() => Effect.undefined)
)
