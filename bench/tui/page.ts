export function toPage(figures: string): string {
  return `# Benchmarks of the terminal

\`npm run bench:tui\` measures the interactive terminal and the door for editors as they are packed, beside bare Node, Codex, pi and opencode in the same run. Read the ratios: the figures are those of one machine on one day. \`npm run bench:tui -- NAME\` runs one of \`start\`, \`keys\`, \`stream\`, \`acp\`; \`--quick\` takes fewer rounds, a shorter session and a shorter answer; \`--write\` writes this page. \`npm run bench\` measures [the engine](benchmarks.md), \`npm run bench:peers\` the same agents [without a person](benchmarks-peers.md).

${figures}

## How each is taken

Every program runs in a pseudo-terminal of 100 columns and 30 rows whose output an emulator (\`@xterm/headless\`) interprets and whose questions it answers: position of the cursor, device attributes, colours, keyboard protocol. Its work is not counted. The others come from the npm registry in the versions of \`npm run bench:peers\`, run their native program or their bundle without npm's launcher, and have a home and a git repository of their own and the scripted model server as their provider. What a program does at its first start in a home is not counted. Where programs are compared they run in turn, each round beginning with another one, and the figure is the median.

- **start**: from the start of the program, after the terminal has been opened, until its input line is on the emulated screen; then it is ended. The bundle is \`node dist/klaus.cjs\`, the source \`./klaus\` of a clone. Bare is Node that prints one line in the same terminal. Codex paints its input before its engine is loaded, as Klaus does, and is a native program: its first frame can come before bare Node has run a line, and then no program on Node meets the bar of 0.7.
- **keys**: a session of 10,000 messages is written through the store and opened with \`/resume\`; 200 characters are typed, one every 50 ms. CPU is user and system time of all its processes, counted by the kernel in a control group, minus what they use in the same time without keys.
- **stream**: the scripted model, in a process of its own, writes one answer of 1 MB in Markdown with lists, tables and code, in pieces of 40 characters, one every millisecond. Each program gets it once. One that has not shown the last words after ten minutes is stopped, and counts with what it has used until then: its ratio is then an upper bound. CPU is counted from the typed prompt until three seconds after the last words are on the screen. Memory is the sum of the peaks (\`VmHWM\`) and of what is resident three seconds after the end (\`VmRSS\`), of all processes of the program. A clear is \`CSI 2 J\` or \`CSI 3 J\` anywhere in the output of Klaus.
- **acp**: from the start of \`klaus acp\` to its answer to \`initialize\`, which is written to its standard input at once, beside Node that prints one line.
`;
}
