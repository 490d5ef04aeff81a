// Takes a snapshot, or restores a state, and reports its start and end; the test kills it in between.
import { writeSync } from 'node:fs';
import { createSnapshots } from '@klaus/adapters/workspace';

const [root = '', stateDir = '', from, to] = process.argv.slice(2);
const snapshots = await createSnapshots(root, { stateDir });
if (from === undefined || to === undefined) {
  writeSync(1, 'begin\n');
  await snapshots.snapshot();
} else {
  const changes = await snapshots.changes(from, to);
  writeSync(1, 'begin\n');
  await snapshots.apply(changes);
}
writeSync(1, 'end\n');
snapshots.close();
