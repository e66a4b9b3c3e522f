/** A problem of a data file: its place, its cause and its remedy. */
export interface DataProblem {
  /** `error`: the data cannot be used unchanged. `warning`: they can, but the report shows the problem. */
  readonly severity: "error" | "warning"
  readonly file: string
  /** Both count from 1; 0 is the whole file. */
  readonly line: number
  readonly column: number
  readonly message: string
  readonly advice: string
}

export type DataFault = Pick<DataProblem, "message" | "advice">

export const maxProblems = 50

export const format = (problem: DataProblem): string =>
  `${problem.file}${problem.line === 0 ? "" : `:${problem.line}:${problem.column}`}: ${problem.message}; ${problem.advice}`
