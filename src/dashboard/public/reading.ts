/** Schedules the reading of panels: as soon as they may have changed, each a few times a second at most, and never twice at a time. */

export const makeReading = <Panel extends string>(
  readers: Readonly<Record<Panel, () => Promise<void>>>,
  pauses: Readonly<Partial<Record<Panel, number>>>,
  failed: (error: unknown) => void
) => {
  const due = new Set<Panel>()
  const readAt = new Map<Panel, number>()
  const busy = new Set<Panel>()
  const usualPause = 500

  const work = (): void => {
    for (const panel of due) {
      if (busy.has(panel) || Date.now() - (readAt.get(panel) ?? 0) < (pauses[panel] ?? usualPause)) continue
      due.delete(panel)
      busy.add(panel)
      readAt.set(panel, Date.now())
      readers[panel]()
        .catch((error: unknown) => {
          due.add(panel)
          failed(error)
        })
        .finally(() => busy.delete(panel))
    }
  }

  return {
    work,
    refresh: (...panels: ReadonlyArray<Panel>): void => {
      for (const panel of panels) due.add(panel)
    },
    isDue: (panel: Panel): boolean => due.has(panel),
    forgetPause: (panel: Panel): void => {
      readAt.delete(panel)
    }
  }
}
