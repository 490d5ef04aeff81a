// `npm run bench [-- NAME] [--quick] [--write]`: prints a line for each figure; `--write` makes docs/benchmarks.md of them.
import { appendRate } from './append-rate.ts';
import { checkpoint } from './checkpoint.ts';
import { workingCopy } from './working-copy.ts';
import { dockerExec } from './docker.ts';
import { firstByte } from './first-byte.ts';
import { gate } from './gate.ts';
import { carriedContents } from './carried-contents.ts';
import { gitData } from './git-data.ts';
import { growth } from './growth.ts';
import { longSession } from './long-session.ts';
import { mcp } from './mcp.ts';
import { memory } from './memory.ts';
import { network } from './network.ts';
import { toPage } from './page.ts';
import { prefix } from './prefix.ts';
import { roof } from './roof.ts';
import { runBenchmarks } from './runner.ts';
import { sandboxExec } from './sandbox.ts';
import { secretScan } from './secret-scan.ts';
import { snapshot } from './snapshot.ts';
import { startTime } from './start-time.ts';
import { turnCost } from './turn-cost.ts';
import { wrapped } from './wrap.ts';

await runBenchmarks({
  command: 'npm run bench',
  page: 'docs/benchmarks.md',
  toPage,
  benchmarks: [
    startTime,
    roof,
    firstByte,
    turnCost,
    appendRate,
    longSession,
    memory,
    growth,
    prefix,
    mcp,
    sandboxExec,
    dockerExec,
    network,
    gate,
    secretScan,
    snapshot,
    gitData,
    carriedContents,
    checkpoint,
    workingCopy,
    wrapped,
  ],
});
