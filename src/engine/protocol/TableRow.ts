/**
 * One shape for the tables of this room: a row is about things of some kinds, has a name and tests, and gives an answer. `ARCHITECTURE.md`
 * refers to rows by their names.
 */
export type TableRow<Kind, Known extends ReadonlyArray<unknown>, Answer> = readonly [
  of: ReadonlyArray<Kind>,
  name: string,
  tests: ReadonlyArray<(...known: Known) => boolean>,
  answer: Answer
]

/** Returns the answer of the first row that is about this kind and whose tests all hold; `undefined` if there is none. */
export const firstOf = <Kind, Known extends ReadonlyArray<unknown>, Answer>(
  rows: ReadonlyArray<TableRow<Kind, Known, Answer>>,
  kind: Kind,
  ...known: Known
): Answer | undefined =>
  rows.find(([kinds, , tests]) => kinds.includes(kind) && tests.every((test) => test(...known)))?.[3]
