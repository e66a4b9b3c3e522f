/** Every event of the journal: its fields from the schema that writes them, and what is said of it where it is declared. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { parseSync, Visitor } from "rolldown/utils"
import { BotEvent } from "../../src/domain/BotEvent.ts"
import { cell, pageOf, table } from "./page.ts"
import { inWords, isRequired, objectOf } from "./words.ts"

/** The objects in which events are declared, in their order. */
const groups: Readonly<Record<string, string>> = {
  lifecycle: "The bot and its service",
  decisions: "Decisions",
  placing: "Placing",
  fundingWith: "Paying",
  tracking: "What became of it"
}

interface Declared {
  readonly group: string
  readonly says: string
  readonly fields: ReadonlyMap<string, string>
}

/** What stands above each event, and above each of its fields. */
const declarations = (): ReadonlyMap<string, Declared> => {
  const file = join(import.meta.dirname, "../../src/domain/BotEvent.ts")
  const text = readFileSync(file, "utf8")
  const { comments, program } = parseSync(file, text)
  const saidAbove = (start: number): string => {
    const comment = comments.findLast(({ end }) => end <= start)
    if (comment === undefined || text.slice(comment.end, start).trim() !== "") return ""
    return comment.value
      .replace(/^\*|\n\s*\*/g, " ")
      .replace(/\s+/g, " ")
      .trim()
  }
  const all = new Map<string, Declared>()
  let group = ""
  new Visitor({
    VariableDeclarator: ({ id }) => {
      if (id.type === "Identifier") group = groups[id.name] ?? ""
    },
    Property: ({ key, start, value }) => {
      if (group === "" || key.type !== "Identifier" || value.type !== "ObjectExpression" || all.has(key.name)) return
      if (!/^[A-Z]/.test(key.name)) return
      const fields = value.properties.flatMap(
        (field): ReadonlyArray<readonly [string, string]> =>
          field.type === "Property" && field.key.type === "Identifier" ? [[field.key.name, saidAbove(field.start)]] : []
      )
      all.set(key.name, { group, says: saidAbove(start), fields: new Map(fields) })
    }
  }).visit(program)
  return all
}

const sectionOf = (name: string, schema: Schema.Top, { fields, says }: Declared): string => {
  const shape = objectOf(Schema.toJsonSchemaDocument(schema).schema)
  const rows = Object.entries(objectOf(shape["properties"]))
    .filter(([field]) => field !== "_tag")
    .map(([field, value]) => [
      `\`${field}${isRequired(shape, field) ? "" : "?"}\``,
      inWords(objectOf(value)),
      fields.get(field) ?? ""
    ])
  return [`### ${name}`, cell(says), rows.length === 0 ? "" : table(["field", "value", ""], rows)]
    .filter((part) => part !== "")
    .join("\n\n")
}

export const eventPage = (): string => {
  const declared = declarations()
  const events = Object.entries(BotEvent.cases).map(([name, schema]) => {
    const declaration = declared.get(name)
    if (declaration === undefined) throw new Error(`${name} is declared in none of: ${Object.keys(groups).join(", ")}`)
    return { group: declaration.group, text: sectionOf(name, schema, declaration) }
  })
  const parts = [...Map.groupBy(events, ({ group }) => group)].flatMap(([group, all]) => [
    `## ${group}`,
    ...all.map(({ text }) => text)
  ])
  return pageOf(
    "Events of the journal",
    "Every event that the journal can have, with the fields of its `body` ([how to read it](../journal.md#read-it)). A field with a question mark may be missing. Amounts are smallest units and prices decimals, both as text; times are epoch milliseconds; assets are symbols of the configuration.",
    parts
  )
}
