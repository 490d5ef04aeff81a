/** Milliseconds of CPU as each request was about to be made, in order, for each session. */
export type CpuReadings = number[][];

/** Milliseconds of CPU that this process has used, all its threads together. */
export function readCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
