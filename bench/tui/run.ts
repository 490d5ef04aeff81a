// `npm run bench:tui [-- NAME] [--quick] [--write]`: what the terminal and the door for editors cost.
import { runBenchmarks } from '../runner.ts';
import { acp } from './acp.ts';
import { keys } from './keys.ts';
import { toPage } from './page.ts';
import { start } from './start.ts';
import { stream } from './stream.ts';

await runBenchmarks({
  command: 'npm run bench:tui',
  page: 'docs/benchmarks-terminal.md',
  toPage,
  benchmarks: [start, keys, stream, acp],
});
