/** A row: the kinds that it is about, its name, its tests and its answer. `ARCHITECTURE.md` refers to rows by name. */
export type TableRow<Kind, Known extends ReadonlyArray<unknown>, Answer> = readonly [
  of: ReadonlyArray<Kind>,
  name: string,
  tests: ReadonlyArray<(...known: Known) => boolean>,
  answer: Answer
]

export const firstOf = <Kind, Known extends ReadonlyArray<unknown>, Answer>(
  rows: ReadonlyArray<TableRow<Kind, Known, Answer>>,
  kind: Kind,
  ...known: Known
): Answer | undefined =>
  rows.find(([kinds, , tests]) => kinds.includes(kind) && tests.every((test) => test(...known)))?.[3]
