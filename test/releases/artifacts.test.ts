/** What a release hands out: the same bytes whoever makes them, with their checksums and a list of what is in them. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { version } from "../../src/version.ts"
import { isLong } from "../long.ts"

const root = resolve(import.meta.dirname, "../..")
const wanted = process.env["LIMITBOT_ARTIFACTS"]
const newFolder = () => mkdtempSync(join(tmpdir(), "limitbot-release-"))
const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)

describe("the artifacts of a release", () => {
  // Packing builds everything once more: `npm run release:check` does it, twice.
  it.skipIf(wanted === undefined)("have checksums, list every bundled package, and are the same twice", () => {
    const folder = newFolder()
    const once = wanted === "twice" ? [] : ["--once"]
    execFileSync("sh", ["tools/node.sh", "tools/artifacts.ts", folder, ...once], { cwd: root, stdio: "pipe" })
    const checked = spawnSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: folder, encoding: "utf8" })
    assert.deepStrictEqual(
      [checked.status, checked.stdout],
      [0, `limitbot-${version}.tgz: OK\nlimitbot.cdx.json: OK\n`]
    )
    const bill = JSON.parse(readFileSync(join(folder, "limitbot.cdx.json"), "utf8"))
    assert.deepStrictEqual([bill.bomFormat, bill.metadata.component.version], ["CycloneDX", version])
    assert.notProperty(bill, "serialNumber")
    const listed = new Map(
      bill.components.map((each: { readonly name: string }) => [each.name, each] as const)
    ) as ReadonlyMap<string, { readonly version: string; readonly hashes: ReadonlyArray<unknown> }>
    for (const [name, pinned] of Object.entries(manifest.dependencies)) {
      assert.strictEqual(listed.get(name)?.version, pinned, name)
      assert.lengthOf(listed.get(name)?.hashes ?? [], 1, name)
    }
    assert.isFalse(listed.has("vitest"), "what only develops it is not in it")
    for (const [name, path] of [
      ["control", "/api/v1/status"],
      ["venue", "/v0/orders"]
    ] as const) {
      const file = `package/dist/openapi/${name}.json`
      const document = execFileSync("tar", ["-xzOf", `limitbot-${version}.tgz`, file], { cwd: folder })
      assert.property(JSON.parse(document.toString()).paths, path)
    }
  })

  it.skipIf(!isLong)("leave the manifest of a clone as it was if a pack fails", () => {
    const clone = newFolder()
    mkdirSync(join(clone, "tools"))
    for (const name of ["package.json", "tools/node.sh", "tools/packedManifest.ts"])
      cpSync(join(root, name), join(clone, name))
    writeFileSync(
      join(clone, "tools/build.ts"),
      'import { mkdirSync, writeFileSync } from "node:fs"\nmkdirSync("dist", { recursive: true })\nwriteFileSync("dist/limitbot.mjs", "built")\n'
    )
    symlinkSync(join(root, "node_modules"), join(clone, "node_modules"))
    const pack = (destination: string) =>
      spawnSync("npm", ["pack", "--silent", "--pack-destination", destination], { cwd: clone, encoding: "utf8" })
    assert.notStrictEqual(pack("no-such-folder").status, 0)
    const { status, stderr } = pack(clone)
    assert.strictEqual(status, 0, stderr)
    assert.deepStrictEqual(JSON.parse(readFileSync(join(clone, "package.json"), "utf8")), manifest)
    const inside = execFileSync("tar", ["-xzOf", `limitbot-${version}.tgz`, "package/package.json"], { cwd: clone })
    assert.notProperty(JSON.parse(inside.toString()), "devDependencies")
    assert.notProperty(JSON.parse(inside.toString()).scripts, "test")
  })
})
