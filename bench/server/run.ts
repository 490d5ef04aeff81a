// `npm run bench:server [-- NAME] [--quick] [--write]`: what the server costs beside a bare program.
import { runBenchmarks } from '../runner.ts';
import { fanOut } from './fan-out.ts';
import { idle } from './idle.ts';
import { toPage } from './page.ts';
import { waiting } from './waiting.ts';

await runBenchmarks({
  command: 'npm run bench:server',
  page: 'docs/benchmarks-server.md',
  toPage,
  benchmarks: [fanOut, idle, waiting],
});
