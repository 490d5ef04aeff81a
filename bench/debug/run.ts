// `npm run bench:debug [-- NAME] [--quick] [--write]`: what the runtime debugger costs the program that imports it.
import { runBenchmarks } from '../runner.ts';
import { armed } from './armed.ts';
import { capture } from './capture.ts';
import { evaluation } from './evaluation.ts';
import { installed } from './installed.ts';
import { large } from './large.ts';
import { toPage } from './page.ts';
import { unarmed } from './unarmed.ts';

await runBenchmarks({
  command: 'npm run bench:debug',
  page: 'docs/benchmarks-debug.md',
  toPage,
  benchmarks: [unarmed, installed, armed, capture, evaluation, large],
});
