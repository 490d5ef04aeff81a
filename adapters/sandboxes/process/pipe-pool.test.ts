import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownName } from './owner.ts';
import { PipePool } from './pipe-pool.ts';

test('returns separate pipes without leaving a name', async () => {
  const pool = new PipePool();
  const pipes = await Promise.all(Array.from({ length: 12 }, () => pool.take()));
  for (const [index, pipe] of pipes.entries()) writeSync(pipe!.write, String(index));
  const texts = pipes.map((pipe) => {
    const buffer = Buffer.alloc(8);
    return buffer.toString('utf8', 0, readSync(pipe!.read, buffer));
  });
  expect(texts).toEqual(pipes.map((_, index) => String(index)));
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`klaus-pipes-${ownName()}`))).toEqual([]);
  for (const descriptor of pipes.flatMap((pipe) => [pipe!.read, pipe!.write])) closeSync(descriptor);
});

test.each(['pipes', 'net', 'link'])(
  'removes folders of a killed process, and none of a running one: %s',
  async (kind) => {
    const gone = spawn('true');
    await once(gone, 'exit');
    const stale = join(tmpdir(), `klaus-${kind}-${ownName().replace(/-\d+-\d+$/, `-${gone.pid}-1`)}-abc`);
    const live = join(tmpdir(), `klaus-${kind}-${ownName()}-abc`);
    mkdirSync(stale);
    mkdirSync(live);
    const pipe = await new PipePool().take();
    expect([existsSync(stale), existsSync(live)]).toEqual([false, true]);
    for (const descriptor of [pipe!.read, pipe!.write]) closeSync(descriptor);
    rmSync(live, { recursive: true });
  },
);
