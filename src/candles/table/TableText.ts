/**
 * Writes columns of values as a CSV table with their names in the first line, so that one reader handles all kinds of files. Times become
 * epoch milliseconds; a value that is neither number, time nor text becomes empty.
 */

export interface Run {
  readonly columnName: string
  readonly rowStart: number
  readonly columnData: ArrayLike<unknown>
}

const linesAtOnce = 10_000

const fieldOf = (value: unknown): string => {
  if (value instanceof Date) return String(value.getTime())
  if (typeof value === "number" || typeof value === "bigint") return String(value)
  return typeof value === "string" ? value.replace(/[,;|"\s]+/g, " ") : ""
}

function* fieldsOf(runs: ReadonlyArray<Run>): Generator<string> {
  for (const { columnData } of runs) for (let at = 0; at < columnData.length; at++) yield fieldOf(columnData[at])
}

export const textOf = (names: ReadonlyArray<string>, runs: ReadonlyArray<Run>): Uint8Array => {
  const rows = runs.reduce((most, { columnData, rowStart }) => Math.max(most, rowStart + columnData.length), 0)
  const inOrder = runs.toSorted((one, other) => one.rowStart - other.rowStart)
  const columns = names.map((name) => fieldsOf(inOrder.filter(({ columnName }) => columnName === name)))
  const parts: Array<Uint8Array> = []
  let lines = `${names.map(fieldOf).join(",")}\n`
  for (let row = 0; row < rows; row++) {
    for (const [index, column] of columns.entries()) lines += `${index === 0 ? "" : ","}${column.next().value ?? ""}`
    lines += "\n"
    if (row % linesAtOnce === 0 || row === rows - 1) {
      parts.push(Buffer.from(lines))
      lines = ""
    }
  }
  return Buffer.concat(parts)
}
