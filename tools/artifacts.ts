/**
 * What a release consists of, in a folder (artifacts/ when none is given): the package, the list of what is in it (CycloneDX),
 * and the checksums of both. Everybody can make the same bytes of the same sources: it packs two copies, neither of whose folder, file
 * modes and times matter, and fails if they differ. With `--once` it takes that for granted.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { parseArgs } from "node:util"

const root = resolve(import.meta.dirname, "..")
const { positionals, values } = parseArgs({ allowPositionals: true, options: { once: { type: "boolean" } } })
const folder = resolve(positionals[0] ?? join(root, "artifacts"))
const manifest: { readonly files: ReadonlyArray<string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
/** What the package has of the sources, and what builds it. Nothing else is copied: a clone may have keys in it. */
const sources = [
  ...manifest.files.filter((name) => !/^!|^dist$/.test(name)).map((name) => name.replace(/\/\*.*/, "")),
  ...["LICENSE", "README.md", "package-lock.json", "package.json", "src", "tools", "tsconfig.json"]
]

const npm = (words: ReadonlyArray<string>, cwd: string): string =>
  execFileSync("npm", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1e8 })

const copyOfSources = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "limitbot-artifacts-"))
  const filter = (from: string): boolean => basename(from) !== "node_modules"
  for (const name of sources) cpSync(join(root, name), join(copy, name), { recursive: true, filter })
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

/** The path of the package that a copy makes. */
const packed = (copy: string): string => join(copy, npm(["pack", "--silent"], copy).trimEnd().split("\n").at(-1) ?? "")

const hashOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")

interface Component {
  readonly "bom-ref": string
  readonly scope: string
}

/**
 * What is bundled into the program. `npm sbom --omit dev` would leave out whatever a development tool needs as well, the
 * cryptography among it. When and where it was made is nobody's business, and would make it differ each time.
 */
const billOf = (copy: string): string => {
  const {
    serialNumber: _,
    metadata,
    components,
    dependencies,
    ...bill
  } = JSON.parse(npm(["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application"], copy))
  const { timestamp: __, component, ...made } = metadata
  const bundled = components.filter(({ scope }: Component) => scope === "required")
  const known = new Set([component, ...bundled].map((each: Component) => each["bom-ref"]))
  const links = dependencies.flatMap(({ ref, dependsOn = [] }: { ref: string; dependsOn?: ReadonlyArray<string> }) =>
    known.has(ref) ? [{ ref, dependsOn: dependsOn.filter((each) => known.has(each)) }] : []
  )
  return `${JSON.stringify({ ...bill, metadata: { ...made, component: { ...component, name: "limitbot" } }, components: bundled, dependencies: links }, undefined, 2)}\n`
}

process.umask(0o022)
const copies = values.once === true ? [copyOfSources()] : [copyOfSources(), copyOfSources()]
try {
  const [first = "", second = first] = copies.map(packed)
  if (hashOf(first) !== hashOf(second))
    throw new Error(`${first} and ${second} differ: the package is not reproducible`)
  mkdirSync(folder, { recursive: true })
  const [tarball, bill] = [join(folder, basename(first)), join(folder, "limitbot.cdx.json")]
  copyFileSync(first, tarball)
  writeFileSync(bill, billOf(copies[0] ?? root))
  const sums = [tarball, bill].map((file) => `${hashOf(file)}  ${basename(file)}\n`).join("")
  writeFileSync(join(folder, "SHA256SUMS"), sums)
  process.stdout.write(sums)
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
}
