/**
 * What a process remembers of placements beside the journal, such as when it last asked. After a restart it has forgotten,
 * which costs a request. A note goes when its placement is gone from the state, so a long life does not fill the memory.
 */
export interface PlacementNotes<V> {
  get(placement: string): V | undefined
  set(placement: string, note: V): void
  delete(placement: string): void
  size(): number
}

interface Known {
  has(placement: string): boolean
  readonly size: number
}

/** Looking for what is gone costs a pass, which pays only now and then. */
const spare = 32

/** `placements`: what may have a note. */
export const make = <V>({ placements }: { readonly placements: Known }): PlacementNotes<V> => {
  const notes = new Map<string, V>()
  const forget = (): void => {
    for (const placement of notes.keys()) if (!placements.has(placement)) notes.delete(placement)
  }
  return {
    get: (placement) => notes.get(placement),
    set: (placement, note) => {
      notes.set(placement, note)
      if (notes.size > placements.size + spare) forget()
    },
    delete: (placement) => notes.delete(placement),
    size: () => notes.size
  }
}
