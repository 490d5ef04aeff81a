export function toPage(figures: string): string {
  return `# Benchmarks of a cluster

\`npm run bench:cluster\` measures the parts of Klaus for several machines on one machine, with the real services. \`npm run bench:cluster -- NAME\` runs one of \`postgres\`, \`live\`, \`workspace\`, \`wake\`, \`fairness\`, \`workers\`, \`timers\`; \`--quick\` takes fewer sessions; \`--write\` writes this page.

${figures}

## How each is taken

- **postgres**: a Postgres with its default durability in a temporary folder. *Single*: one process appends one event after the other to one session, and waits for each; the bare program inserts the same text into a table with one index, one commit each, in rounds that alternate with it; both make 3,000 calls before the first round. *Workers*: 8 stores in one process, each with connections and a session of its own. *Groups*: the appends of 50 sessions at the same time, 4 events each, as a worker with 50 slots makes them.
- **live**: the same Postgres, a worker and a server that shows sessions. 20 sessions emit one word each 20 ms. The time is from the call that emits a word to the listener of the server, by the clock of the process; a word waits for up to 50 ms to be sent with others. The appends are those of one more session of the worker, one after the other, in rounds with and without in-flight text that alternate.
- **workspace**: small files in 500 folders, and SeaweedFS on the same machine. Stored: the packs of a state, compressed and written to the bucket. Rebuilt: the packs are read, checked, stored and written into the folder. \`git clone\` reads the same files from a packed repository, without hard links.
- **wake**: the development server of Temporal (SQLite), and a worker in a process of its own whose runs do nothing. Idle sessions are woken one after the other; the time is from the call of \`wake\` to the first line of the run, by the clock of the machine.
- **fairness**: the same server, and a worker of 4 slots whose runs take half a second. One tenant wakes all of its sessions; then 20 sessions of another tenant are woken one after the other.
- **workers**: complete workers with Postgres, Temporal and SeaweedFS, and the scripted model server. Runs: sessions with one prompt each, woken together; the time is from the first wake to the last end of a run. A run takes about a quarter of a second of CPU in all processes together, so the 2 cores of this machine end at about 8 runs each second, with any number of workers: the rate with the faster model is near to that. The CPU, events and bytes are those of the runs on two workers, divided by the runs; the events are those of all sessions. Takeover: all sessions of a worker run when it is killed, and another worker has free slots; the time is from the kill to the next event in the log of each session.
- **timers**: the same server and worker. All sessions are scheduled with \`at\` before the first time is reached, so that all timers are pending together; then they pass at a steady rate. Lateness is from the time of the timer to the first line of the run. The CPU of the engine and of the worker, divided by the runs, says how many runs each second a machine can take: a rate beyond it makes every timer late, regardless of their number.
`;
}
