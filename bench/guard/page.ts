export function toPage(figures: string): string {
  return `# Benchmarks of the guard

\`npm run bench:guard\` measures the hooks of [the guard of Claude Code](guides/claude-code.md). Read the ratios. \`npm run bench:guard -- NAME\` runs one of \`hook\`, \`calls\`, \`checkout\`; \`--quick\` takes fewer rounds; \`--write\` writes this page.

${figures}

## How each is measured

- **hook**: the command that \`klaus guard install\` writes into the settings, run by \`sh\` with an event on its standard input, until it exits. The bare hook is \`node -e\` with a program that reads its input and prints \`{}\`. The two take turns.
- **calls**: the real Claude Code makes 30 calls of \`Bash\` against the scripted model server: with the guard on all of its events, and with a hook on the same events that reads its input and prints \`{}\` in the shell. The two take turns.
- **checkout**: \`klaus checkout\` over the socket of \`klaus claude\`, until the program of the other session has reported itself. Beside it, the same program in the same terminal without Klaus: SIGTERM, its end, and \`claude --resume\` until its hook SessionStart. The bar is 150 ms more. The two take turns.

## Questions about ordinary commands

\`node test/bypass/run.ts\` judges 1,729 ordinary commands of people, 221 of them about databases, containers and clouds, as the guard does without a sandbox:

| figure | commands | share |
|---|---:|---:|
| denied; at most 0.1 % | 0 | 0 % |
| asked; at most 1 %: **missed** | 35 | 2.0 % |
| … of these: they add or run packages | 23 | 1.3 % |
| … of these: they push, or reach other machines | 11 | 0.6 % |
| … of these: \`python3 -m timeit\` with code | 1 | 0.1 % |

The bar is missed because adding a package asks: its code runs at the installation or in the next test, and nothing later asks again. With \`klaus guard install --sandbox\` these commands run in the sandbox.
`;
}
