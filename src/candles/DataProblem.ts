/** What is wrong with a data file: where, what, and what to do about it. */
export interface DataProblem {
  /** `error`: the data cannot be used as it is. `warning`: it can, and the report says so. */
  readonly severity: "error" | "warning"
  readonly kind:
    | "empty"
    | "header"
    | "fields"
    | "number"
    | "time"
    | "order"
    | "duplicate"
    | "negative"
    | "range"
    | "gap"
    | "precision"
    | "repaired"
  readonly file: string
  /** Both count from 1; 0 when the file as a whole is meant. */
  readonly line: number
  readonly column: number
  readonly message: string
  readonly advice: string
}

/** Problems that are kept; further ones are only counted. */
export const maxProblems = 50

/** `file:line:column: message; advice`. */
export const format = (problem: DataProblem): string =>
  `${problem.file}${problem.line === 0 ? "" : `:${problem.line}:${problem.column}`}: ${problem.message}; ${problem.advice}`
