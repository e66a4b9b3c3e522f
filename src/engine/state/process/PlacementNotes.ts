/** Notes of a process beside the journal. A restart costs a request. A note is deleted when its placement leaves the state. */

/** Deleting stale notes costs a pass over all, so it does not run each time. */
const spare = 32

export const make = <V>({ placements }: { readonly placements: Pick<ReadonlySet<string>, "has" | "size"> }) => {
  const notes = new Map<string, V>()
  const forget = (): void => {
    for (const placement of notes.keys()) if (!placements.has(placement)) notes.delete(placement)
  }
  return {
    get: (placement: string) => notes.get(placement),
    set: (placement: string, note: V) => {
      notes.set(placement, note)
      if (notes.size > placements.size + spare) forget()
    },
    size: () => notes.size
  }
}
