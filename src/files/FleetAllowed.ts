/**
 * Restricts the rows of a fleet's database on this machine. Otherwise people who can write rows could run programs here, read files of
 * other accounts, and redirect keys and money. A file of this machine, beside the folders of secrets, lists addresses, programs and
 * recipients; a row may name no others. The files of a row must lie in the folder of its own account.
 */
import { Effect, FileSystem, Path, Result, Schema } from "effect"
import * as Read from "../strategy/Fields.ts"
import { type Report, render, report, sourceText } from "../strategy/Problem.ts"
import { readFile, readYaml, type YamlNode } from "../strategy/YamlReader.ts"
import * as PlainFiles from "./PlainFiles.ts"

/** The name becomes the name of a folder and a file, so it must not lead elsewhere. */
export const accountName = /^[a-z0-9][a-z0-9-]{0,63}$/

const allowedName = "allowed.yaml"

export class RowForbidden extends Schema.TaggedError<RowForbidden>()("RowForbidden", { message: Schema.String }) {}

const reader = Read.settingsReader({
  addresses: Read.required(Read.plainList(Read.text), "addresses of services, such as venue.url"),
  recipients: Read.optional(Read.plainList(Read.text), "who may be paid besides the account of the key", "nobody"),
  programs: Read.optional(Read.plainList(Read.plainList(Read.text)), "programs with all their arguments", "none")
})

export interface Allowed {
  /** Scheme, host and port. */
  readonly addresses: ReadonlySet<string>
  readonly recipients: ReadonlySet<string>
  readonly programs: ReadonlySet<string>
}

/** Returns scheme, host and port as URL readers see a text, however it is spelled; `undefined` if it names no host. */
const hostIn = (text: string): string | undefined => {
  const address = URL.parse(text)
  return address === null || address.host === "" ? undefined : `${address.protocol}//${address.host}`
}
const wordsOf = (words: ReadonlyArray<string>): string => JSON.stringify(words)

/** Read at each start of an account, so an edit applies at the next one. */
export const load = Effect.fn("FleetAllowed.load")(function* (folder: string) {
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const file = path.join(folder, allowedName)
  const unread = (why: string) =>
    new RowForbidden({
      message: `${file}: ${why}. It lists the addresses, programs and recipients that database rows may name`
    })
  const text = yield* fileSystem
    .readFileString(file)
    .pipe(Effect.mapError((error) => unread(PlainFiles.phraseOf(error) ?? error.message)))
  const { fields: allowedRows, to } = readFile(reader, sourceText(file, text))
  if (allowedRows === undefined || to.problems.length > 0)
    return yield* new RowForbidden({ message: to.problems.map((problem) => render(problem, text)).join("\n") })
  return {
    addresses: new Set(allowedRows.addresses?.map((text) => hostIn(text) ?? text)),
    recipients: new Set(allowedRows.recipients),
    programs: new Set(allowedRows.programs?.map(wordsOf))
  } satisfies Allowed
})

const recipientKeys: ReadonlySet<string> = new Set(["recipients", "refundTo", "signerId"])

/** Checks a row by its text alone, so that the rules hold for every key. */
const check = (node: YamlNode, allowed: Allowed, to: Report, key = ""): void => {
  if (node.type === "map") {
    for (const [name, { key: place, value }] of node.entries) {
      if (name === "env") report(to, place, "a row's secrets are files of its account: { file: NAME }, not env")
      if (key === "appFees" && name !== "self" && !allowed.recipients.has(name)) tell(to, place, "recipients", name)
      // Below such a key, the value of each asset is a recipient too.
      check(value, allowed, to, recipientKeys.has(key) ? key : name)
    }
  } else if (key === "command") {
    const words =
      node.type === "list" ? node.items.map((item) => (item.type === "scalar" ? item.text : "")) : [node.text]
    if (!allowed.programs.has(wordsOf(words))) tell(to, node, "programs", words.join(" "))
  } else if (node.type === "list") {
    for (const item of node.items) check(item, allowed, to, key)
  } else {
    const { text } = node
    if (recipientKeys.has(key) && !allowed.recipients.has(text)) tell(to, node, "recipients", text)
    const host = hostIn(text)
    if (host !== undefined && !allowed.addresses.has(host)) tell(to, node, "addresses", host)
    else if (host === undefined && outside.some((pattern) => pattern.test(text)))
      report(to, node, `${text} is outside the account's folder`, "a row's files lie in secrets/NAME alone")
  }
}

/** Matches an absolute path, one with `..`, or braces that may expand to `..`, also after a prefix such as `journal:`. */
const outside = [/(?:^|[:{,])\s*(?:[/~\\]|[a-z]:\\)/i, /(?:^|[/\\:{,])\s*\.\.(?:[/\\},]|$)/, /\{(?:.*,)?\.{0,2}[,}/\\]/]

const tell = (to: Report, place: Parameters<typeof report>[1], list: keyof Allowed, what: string) =>
  report(to, place, `${what} is not allowed on this machine`, `add it to ${list} of ${allowedName}`)

export interface AccountRow {
  readonly name: string
  readonly config: string
  readonly strategies: ReadonlyArray<{ readonly file: string; readonly text: string }>
}

/** Fails with every forbidden item of a row. Text that is not YAML is left to its reader. */
export const verify = (
  { config, name, strategies }: AccountRow,
  allowed: Allowed
): Result.Result<void, RowForbidden> => {
  if (!accountName.test(name))
    return Result.fail(new RowForbidden({ message: "an account's name has lower-case letters, digits and dashes" }))
  const rendered = [{ file: "config.yaml", text: config }, ...strategies].flatMap(({ file, text }) => {
    const to: Report = { source: sourceText(file, text), problems: [] }
    const yaml = readYaml(to.source)
    if (Result.isSuccess(yaml)) check(yaml.success, allowed, to)
    return to.problems.map((problem) => render(problem, text))
  })
  return rendered.length === 0 ? Result.void : Result.fail(new RowForbidden({ message: rendered.join("\n") }))
}
