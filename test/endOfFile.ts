/**
 * What every test file leaves behind is taken away when it ends, even if it failed. Files share modules, so `afterAll` of a
 * shared module would count only for the first file that imports it.
 */
const tasks: Array<() => void | Promise<void>> = []

/** Runs at the end of this test file, and of all that follow it in the same worker. */
export const atEndOfFiles = (task: () => void | Promise<void>): void => void tasks.push(task)

/** Every task runs, whatever the others do. */
export const endFile = async (): Promise<void> => {
  const results = await Promise.allSettled(tasks.map(async (task) => task()))
  for (const result of results) if (result.status === "rejected") throw result.reason
}
