import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorkspace } from './index.ts';

/** Makes `d` in turn a real directory and a link that leads out, as fast as it can. */
const FLIP = `
const fs = require('node:fs');
const [root, outside, count] = process.argv.slice(1);
process.chdir(root);
let waste = 0;
// Stays in each state for a while of varying length, so that every moment of a read meets a swap some time.
const dwell = () => { for (let i = Math.random() * 60000; i > 0; i--) waste += i; };
for (let i = 0; i < Number(count); i++) {
  dwell();
  try {
    fs.renameSync('d', 'real');
    fs.symlinkSync(outside, 'd');
  } catch {}
  dwell();
  // A write may have made a directory of that name in the gap.
  try { fs.unlinkSync('d'); } catch { fs.rmSync('d', { recursive: true, force: true }); }
  try { fs.renameSync('real', 'd'); } catch {}
}
`;

test('a directory that is swapped for a link while files are read and written leads nowhere outside', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-race-')));
  const root = join(base, 'workspace');
  const outside = join(base, 'outside');
  mkdirSync(join(root, 'd'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, 'd/file'), 'inside');
  writeFileSync(join(outside, 'file'), 'SECRET');
  const workspace = await createWorkspace(root);
  const flipper = spawn(process.execPath, ['-e', FLIP, root, outside, '8000'], { stdio: 'ignore' });
  const over = once(flipper, 'exit');
  try {
    let reads = 0;
    let writes = 0;
    for (let i = 0; flipper.exitCode === null && i < 20_000; i++) {
      const content = await workspace.read('d/file').catch(() => undefined);
      if (content) {
        reads++;
        expect(Buffer.from(content).toString()).toBe('inside');
      }
      expect(await workspace.hash('d/file').catch(() => null)).not.toBe(
        '0917b13a9091915d54b6336f45909539cce452b3661b21f386418a257883b30a',
      );
      if (i % 4 > 0) continue;
      const written = await workspace
        .apply([{ path: `d/new-${i}`, content: Buffer.from('x'), before: null }])
        .catch(() => undefined);
      if (written) writes++;
    }
    expect(reads).toBeGreaterThan(0);
    expect(writes).toBeGreaterThan(0);
    expect(readdirSync(outside)).toEqual(['file']);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('SECRET');
  } finally {
    flipper.kill();
    await over;
    rmSync(base, { recursive: true, force: true });
  }
}, 60_000);
