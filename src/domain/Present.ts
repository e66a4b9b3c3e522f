/** Removes fields that are `undefined`, so that the journal, the wire and JSON have a key only where there is a value. */

export type Present<Fields> = {
  readonly [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key]
} & {
  readonly [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>
}

export const present = <const Fields extends object>(fields: Fields): Present<Fields> => {
  const presentFields: Record<string, unknown> = {}
  for (const key in fields) if (fields[key] !== undefined) presentFields[key] = fields[key]
  // The type says exactly what the loop does, but TypeScript cannot infer it.
  return presentFields as Present<Fields>
}
