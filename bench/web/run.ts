// `npm run bench:web [-- NAME] [--quick] [--write]`: what the page costs in a real Chromium.
import { runBenchmarks } from '../runner.ts';
import { diff } from './diff.ts';
import { hold } from './hold.ts';
import { lighthouse } from './lighthouse.ts';
import { load } from './load.ts';
import { open } from './open.ts';
import { toPage } from './page.ts';
import { stream } from './stream.ts';

await runBenchmarks({
  command: 'npm run bench:web',
  page: 'docs/benchmarks-web.md',
  toPage,
  benchmarks: [load, open, stream, diff, hold, lighthouse],
});
