export function toPage(figures: string): string {
  return `# Benchmarks of a cluster

\`npm run bench:cluster\` measures the parts of Klaus for several machines on one machine, with the real services. \`npm run bench:cluster -- NAME\` runs one of \`wake\`, \`timers\`; \`--quick\` takes fewer sessions; \`--write\` writes this page.

${figures}

## How each is taken

- **wake**: the development server of Temporal (SQLite), and a worker in a process of its own whose runs do nothing. Idle sessions are woken one after the other; the time is from the call of \`wake\` to the first line of the run, by the clock of the machine.
- **timers**: the same server and worker. All sessions are scheduled with \`at\` before the first time is reached, so that all timers are pending together; then they pass at a steady rate. Lateness is from the time of the timer to the first line of the run. The CPU of the engine and of the worker, divided by the runs, says how many runs each second a machine can take: a rate beyond it makes every timer late, regardless of their number.
`;
}
