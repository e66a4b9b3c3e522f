/** Every command, as it describes itself to whoever asks it for help. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Option } from "effect"
import { CliOutput, type HelpDoc } from "effect/cli"
import { runCommand } from "../../src/cli/root.ts"
import * as Usage from "../../src/cli/Usage.ts"
import { Process } from "../../src/process/Process.ts"
import * as Stop from "../../src/process/Stop.ts"
import { Terminal } from "../../src/process/Terminal.ts"
import { cell, pageOf, table } from "./page.ts"

const services = Layer.mergeAll(
  NodeServices.layer,
  Usage.layer,
  Terminal.layer(process.stdout, undefined),
  Layer.succeed(Stop.Stop, Stop.make().service),
  Layer.succeed(Process, { pid: 0, execPath: "", script: "" })
)

const helpOf = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const docs: Array<HelpDoc.HelpDoc> = []
    const listening = CliOutput.layerPresenter({
      present: (event) => Effect.sync(() => (event._tag === "Help" ? docs.push(event.helpDoc) : 0))
    })
    yield* runCommand([...words, "--help"]).pipe(Effect.provide(Layer.provideMerge(listening, services)))
    return docs
  })

/** The command with all commands below it, by the words that name each. */
const helpBelow = (words: ReadonlyArray<string>): ReturnType<typeof helpOf> =>
  Effect.gen(function* () {
    const docs = yield* helpOf(words)
    const names = docs.flatMap(({ subcommands = [] }) => subcommands.flatMap(({ commands }) => commands))
    const below = yield* Effect.forEach(names, ({ name }) => helpBelow([...words, name]))
    return [...docs, ...below.flat()]
  })

const said = (text: Option.Option<string>): string => Option.getOrElse(text, () => "")

const flagRow = ({ aliases, description, name, type }: HelpDoc.FlagDoc): ReadonlyArray<string> => {
  const value = type === "boolean" ? "" : ` ${type}`
  return [
    [`--${name}`, ...aliases].map((each) => `\`${each}${each.startsWith("--") ? value : ""}\``).join(", "),
    said(description)
  ]
}

const sectionOf = (doc: HelpDoc.HelpDoc, level: string): string => {
  const { args = [], commandPath = [], description, examples = [], flags, usage } = doc
  const rows = [
    ...args.map((arg) => [`\`${arg.name}${arg.variadic ? "…" : ""}\``, said(arg.description)]),
    ...flags.map(flagRow)
  ]
  return [
    `${level} ${commandPath.slice(1).join(" ")}`,
    `${cell(description)}.`,
    `\`${usage}\``,
    ...(rows.length === 0 ? [] : [table(["name", "what"], rows)]),
    examples.map((example) => `- ${cell(example.description ?? "")}: \`${example.command}\``).join("\n")
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

export const commandPage = Effect.gen(function* () {
  const [root] = yield* helpOf([])
  const groups = yield* Effect.forEach(root?.subcommands ?? [], ({ commands, group }) =>
    Effect.map(
      Effect.forEach(commands, ({ name }) => helpBelow([name])),
      (docs) => [`## ${group}`, ...docs.flat().map((doc) => sectionOf(doc, "###"))]
    )
  )
  return pageOf("Commands", "Every command and its flags, as `limitbot COMMAND --help` says them.", groups.flat())
})
