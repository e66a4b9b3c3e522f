/** Every key of the configuration, from the declarations that read it. */
import { schema } from "../../src/files/ConfigFile.ts"
import { type KeyRow, keyRows, without } from "./keyTable.ts"
import { pageOf, table } from "./page.ts"

const tableOf = (rows: ReadonlyArray<KeyRow>): string =>
  table(
    ["key", "without it", ""],
    rows.map((row) => [
      `\`${row.key}\``,
      without(row),
      [row.says, row.value].filter((text) => text !== undefined && text !== "").join(": ")
    ])
  )

/** A part of the file: what it is, and the keys below it, or itself where there are none. */
const sectionOf = (name: string, [own, ...below]: ReadonlyArray<KeyRow>): string => {
  if (own === undefined || below.length === 0) return `## ${name}\n\n${tableOf(own === undefined ? [] : [own])}`
  const says = own.says === "" ? "" : `${own.says[0]?.toUpperCase()}${own.says.slice(1)}. `
  const absent = own.isRequired ? "Required." : `Without it: ${own.standard ?? "none"}.`
  return `## ${name}\n\n${says}${absent}\n\n${tableOf(below)}`
}

export const configurationPage = (): string =>
  pageOf(
    "Configuration",
    "Every key of the configuration. [`config/example.yaml`](../../config/example.yaml) has them in a file with comments; `limitbot schema config` prints what editors need to complete and check it. Times are durations such as `30s`, `5m`, `6h` or `7d`.",
    [...Map.groupBy(keyRows(schema()), ({ key }) => key.replace(/[.[].*/, ""))].map(([name, rows]) =>
      sectionOf(name, rows)
    )
  )
