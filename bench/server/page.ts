export function toPage(figures: string): string {
  return `# Benchmarks of the server

\`npm run bench:server\` measures \`klaus serve\` beside a bare program on the same machine in the same run. Read the ratios. \`npm run bench:server -- NAME\` runs one of \`fan-out\`, \`idle\`, \`waiting\`; \`--quick\` takes fewer subscribers and less time; \`--write\` writes this page.

${figures}

## How each is taken

- **fan-out**: a process of its own writes events into the log of one session at a steady rate, each made durable, as a second Klaus on the same database does. Subscribers in two further processes read \`GET /api/sessions/:id/events\` over sockets, look at the id of every event, and of every twentieth subscriber take the time from the event's own clock to its arrival. The bare program gets the same events as lines on its standard input and writes each to every open answer. All of this shares the machine, so the delay counts the subscribers' own work too, alike for both.
- **idle**: sessions of 20 turns, each followed by a reader that has been sent all of it; resident memory of the server with one hundred of them less that with one. Wakes are the times in 20 seconds that a thread of the server went to sleep by itself (\`voluntary_ctxt_switches\`), with one session followed, and again with the page open in Chromium. CPU is the time of all threads in the same 20 seconds.
- **waiting**: the same of a \`klaus run\` in a terminal that waits for an approval.
`;
}
