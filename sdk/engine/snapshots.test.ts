import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStore } from '@klaus/adapters/store';
import { expect, test } from 'vitest';
import { findNeeded } from './snapshots.ts';

const TREES = { from: '0'.repeat(64), to: '1'.repeat(64) };

test('a session whose undo is recent keeps its states, although the undo is no update of it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'klaus-needed-'));
  try {
    using store = createSqliteStore({ home });
    for (const [id, at] of [
      ['OLD', 2],
      ['RECENT', 20],
    ] as const) {
      const lease = (await store.claim(id))!;
      await store.append(
        id,
        [
          { type: 'session.changed', title: 'A title', at: 1 },
          { type: 'workspace.restored', kind: 'undo', turns: [1], ...TREES, files: 1, kept: [], by: 'cli', at },
        ],
        { lease },
      );
      await lease.release();
    }
    const rows = await store.sessions();
    expect(rows.map(({ updatedAt }) => Date.parse(updatedAt))).toEqual([1, 1]);
    expect([...(await findNeeded({ store, since: 10 }, rows))]).toEqual(['RECENT']);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
