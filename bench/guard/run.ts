// `npm run bench:guard [-- NAME] [--quick] [--write]`: what the doors around Claude Code cost in the real program.
import { runBenchmarks } from '../runner.ts';
import { calls } from './calls.ts';
import { checkout } from './checkout.ts';
import { hook } from './hook.ts';
import { toPage } from './page.ts';

await runBenchmarks({
  command: 'npm run bench:guard',
  page: 'docs/benchmarks-guard.md',
  toPage,
  benchmarks: [hook, calls, checkout],
});
