/** Every key of the configuration, from the declarations that read it. */
import { schema } from "../../src/files/ConfigFile.ts"
import { type KeyRow, keyRows, without } from "./keyTable.ts"
import { pageOf, table } from "./page.ts"

/** The part of the names that all of them have, `above`, is left out: the heading says it. */
const tableOf = (rows: ReadonlyArray<KeyRow>, above = ""): string =>
  table(
    ["key", "default", ""],
    rows.map((row) => [
      `\`${row.key.slice(above.length)}\``,
      without(row),
      row.says === "" || row.value === undefined ? row.says || (row.value ?? "") : `${row.says} (${row.value})`
    ])
  )

/** A part of the file: what it is, and the keys below it, or itself where there are none. */
const sectionOf = (name: string, [own, ...below]: ReadonlyArray<KeyRow>): string => {
  if (own === undefined || below.length === 0) return `## ${name}\n\n${tableOf(own === undefined ? [] : [own])}`
  const says = own.says === "" ? "" : `${own.says[0]?.toUpperCase()}${own.says.slice(1)}. `
  const absent = own.isRequired ? "Required." : `Default: ${own.standard ?? "none"}.`
  const isList = below.some(({ key }) => key.startsWith(`${name}[].`))
  const [above, each] = isList ? [`${name}[].`, " A list, each of whose elements has:"] : [`${name}.`, ""]
  return `## ${name}\n\n${says}${absent}${each}\n\n${tableOf(below, above)}`
}

export const configurationPage = (): string =>
  pageOf(
    "Configuration",
    "Every key of the configuration. [`config/example.yaml`](../../config/example.yaml) has them in a file with comments; `limitbot init --schema config` prints what editors need to complete and check it. Times are durations such as `30s`, `5m`, `6h` or `7d`.",
    [...Map.groupBy(keyRows(schema()), ({ key }) => key.replace(/[.[].*/, ""))].map(([name, rows]) =>
      sectionOf(name, rows)
    )
  )
