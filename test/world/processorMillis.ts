/** Milliseconds of the processor that `work` takes: the same on a busy machine, where the clock of the wall goes on meanwhile. */
export const processorMillis = (work: () => void): number => {
  const begun = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(begun)
  return (system + user) / 1_000
}
