/** A mistake in a user's file, with its place. Problems are collected, never thrown, so one run names every mistake of a file. */
import { leastOf } from "../domain/Bisection.ts"
import type * as Decimal from "../domain/Decimal.ts"
import { present } from "../domain/Present.ts"
import { printable } from "../domain/Text.ts"
export interface Problem {
  readonly file: string
  /** Both count from 1. Columns count UTF-16 code units, as editors do. */
  readonly line: number
  readonly column: number
  /** One past the last column, if the mistake is a stretch of that line. */
  readonly endColumn?: number
  readonly message: string
  readonly hint?: string
  /** The text with the mistake, if it is in neither the strategy file nor the configuration. */
  readonly text?: string
}

/** Offsets of the first character and of the one after the last. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface SourceText {
  readonly file: string
  readonly text: string
  readonly lineStarts: ReadonlyArray<number>
}

export const sourceText = (file: string, text: string): SourceText => {
  const lineStarts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1)
  return { file, text, lineStarts }
}

/** Counts from 1. */
export const lineAt = ({ lineStarts }: SourceText, offset: number): number =>
  leastOf(lineStarts.length, (line) => (lineStarts[line] ?? 0) > offset)

const lineText = (source: SourceText, line: number): string =>
  source.text.slice(source.lineStarts[line - 1], source.lineStarts[line] ?? source.text.length).replace(/[\r\n]+$/, "")

export const place = (source: SourceText, offset: number): string => `${source.file}:${lineAt(source, offset)}`

export const problemAt = (source: SourceText, span: Span, message: string, hint?: string): Problem => {
  const start = Math.max(0, Math.min(span.start, source.text.length))
  const line = lineAt(source, start)
  const column = start - (source.lineStarts[line - 1] ?? 0) + 1
  const endColumn = Math.min(column + Math.max(1, span.end - start), lineText(source, line).length + 1)
  return {
    file: source.file,
    line,
    column,
    ...(endColumn > column ? { endColumn } : {}),
    message,
    ...present({ hint })
  }
}

export interface Report {
  readonly source: SourceText
  readonly problems: Array<Problem>
  /** Settings that are valid but probably not meant. Missing if no reader shows them. */
  readonly warnings?: Array<Problem>
  /** Missing until the limits are read. */
  readonly maxPriceDeviation?: Decimal.Decimal
}

/** The answer of a check: `undefined` after a report of the problem. */
export type Sound = true | undefined

export const report = (to: Report, span: Span, message: string, hint?: string): undefined => {
  to.problems.push(problemAt(to.source, span, message, hint))
  return undefined
}

/** Maps offsets of an expression to offsets of the file. Text with escapes or line breaks maps to its whole span. */
export const placesIn = (
  { text, start, end }: Span & { readonly text: string },
  { source }: Report
): ((at: Span) => Span) => {
  const written = source.text.slice(start, end)
  const shift = written.startsWith(text) ? 0 : written.slice(1).startsWith(text) ? 1 : undefined
  return (at) =>
    shift === undefined ? { start, end } : { start: start + shift + at.start, end: start + shift + at.end }
}

export const warn = (to: Report, span: Span, message: string, hint?: string): void => {
  to.warnings?.push(problemAt(to.source, span, message, hint))
}

export const inOrder = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> => {
  const problemKeys = new Set<string>()
  return problems
    .filter(({ file, line, column, message }) => {
      const key = `${file}:${line}:${column}:${message}`
      return problemKeys.has(key) ? false : problemKeys.add(key) !== undefined
    })
    .sort((a, b) => a.line - b.line || a.column - b.column)
}

const longestLine = 160

export const quoted = (text: string): string => {
  const visible = printable(text)
  return `"${visible.length > 40 ? `${visible.slice(0, 39)}…` : visible}"`
}

export const render = (problem: Problem, file: string): string => {
  const { text = file } = problem
  const head = `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`
  // A file that is empty or unreadable has no line to show.
  if (text === "") return [head, ...hintLine(problem, "")].join("\n")
  const raw = lineText(sourceText(problem.file, text), problem.line)
  const skipped = Math.max(0, problem.column - longestLine / 2)
  const excerpt = printable(raw.slice(skipped, skipped + longestLine).replace(/\t/g, " "))
  const start = problem.column - 1 - skipped
  const carets = Math.max(
    1,
    Math.min((problem.endColumn ?? problem.column + 1) - problem.column, excerpt.length - start)
  )
  const margin = " ".repeat(String(problem.line).length)
  return [
    head,
    `  ${problem.line} | ${excerpt}`,
    `  ${margin} | ${" ".repeat(start)}${"^".repeat(carets)}`,
    ...hintLine(problem, `${margin} `)
  ].join("\n")
}

export const inOneLine = (rendered: string): string => {
  const [head = "", ...more] = rendered.split("\n").map((line) => line.trim())
  const hint = more.find((line) => line.startsWith(hintMark))
  return hint === undefined ? head : `${head}; ${hint.slice(hintMark.length)}`
}

const hintMark = "= "
const hintLine = ({ hint }: Problem, margin: string): ReadonlyArray<string> =>
  hint === undefined ? [] : [`  ${margin}${hintMark}${hint}`]

/** Counts single-character edits and swaps of neighbours. The search stops beyond `limit`. */
const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforePrevious: Array<number> = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (beforePrevious[j - 2] ?? 0) + 1)
      row.push(best)
    }
    beforePrevious = previous
    previous = row
  }
  return previous[b.length] ?? limit + 1
}

/** A third of the word may differ, at most three letters. */
export const nearest = (word: string, candidates: ReadonlyArray<string>): string | undefined => {
  const lower = word.toLowerCase()
  const limit = Math.min(3, Math.max(1, Math.floor(word.length / 3)))
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.candidate
}

export const suggestion = (word: string, candidates: ReadonlyArray<string>): string => {
  const meant = nearest(word, candidates)
  return meant === undefined ? `one of: ${candidates.join(", ")}` : `did you mean "${meant}"?`
}
