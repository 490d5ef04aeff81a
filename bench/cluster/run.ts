// `npm run bench:cluster [-- NAME] [--quick] [--write]`: what the parts for several machines cost.
import { runBenchmarks } from '../runner.ts';
import { fairness } from './fairness.ts';
import { live } from './live.ts';
import { toPage } from './page.ts';
import { postgres } from './postgres.ts';
import { timers } from './timers.ts';
import { wake } from './wake.ts';
import { workers } from './workers.ts';
import { workspace } from './workspace.ts';

await runBenchmarks({
  command: 'npm run bench:cluster',
  page: 'docs/benchmarks-cluster.md',
  toPage,
  benchmarks: [postgres, live, workspace, wake, fairness, workers, timers],
});
