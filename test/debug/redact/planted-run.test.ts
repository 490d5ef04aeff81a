// Covers apps/debug/redact, apps/debug-cli/session: complete runs leave no planted secret in a prompt, an event, a log, a record or a cache.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { startServer, toEnv } from '../../fixtures/klaus.ts';
import { createTestHome } from '../../fixtures/test-home.ts';
import { plantSecrets } from './planted-secrets.ts';

const root = join(import.meta.dirname, '../../..');
const { planted } = plantSecrets();
/** Values that one evaluation reads. */
const AT_ONCE = 5;

const looks = planted.map(({ looks: [first] }) => first!).filter((code) => !/^(?:throw|const) /.test(code));
const codes = Array.from({ length: Math.ceil(looks.length / AT_ONCE) }, (_, at) => {
  const some = looks.slice(at * AT_ONCE, (at + 1) * AT_ONCE);
  return `[${some.join(', ')}]`;
});

const PROGRAM = `
  import { z } from 'zod';
  import { implement, investigate } from 'klendathu';
  const { plantSecrets } = await import(process.env.PLANTED);
  const { planted, context } = plantSecrets();
  const error = new Error('failed with password=' + planted[0].secret, { cause: { token: planted[1].secret } });
  for (const mode of ['live', 'record']) await investigate(error, { context, mode });
  await implement('Name the first value.', context, z.object({ name: z.string() }));
  console.log('done');
`;

const SCRIPT: Script = {
  steps: [
    {
      when: { user: 'Name the first value.', turn: 0 },
      reply: { calls: [{ name: 'eval', input: { code: codes[0]! } }] },
    },
    {
      when: { user: 'Name the first value.' },
      reply: { calls: [{ name: 'set_result', input: { result: { name: 'x' } } }] },
    },
    {
      when: { turn: 0 },
      reply: { calls: [...codes.map((code) => ({ name: 'eval', input: { code } })), { name: 'frames', input: {} }] },
    },
    { when: { turn: 1 }, reply: { calls: [{ name: 'report', input: { text: 'It is known.', evidence: [] } }] } },
  ],
};

function readFiles(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  return new Map(paths.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path)]));
}

test('an investigation, a record and an implementation', { timeout: 120_000 }, async () => {
  using place = createTestHome({ 'main.mjs': PROGRAM });
  mkdirSync(join(place.workspace, 'node_modules'));
  for (const [name, folder] of [
    ['klendathu', 'apps/debug'],
    ['klendathu-cli', 'apps/debug-cli'],
    ['zod', 'node_modules/zod'],
  ] as const)
    symlinkSync(join(root, folder), join(place.workspace, 'node_modules', name));
  await using server = await startServer(SCRIPT);
  const transcripts = join(place.home, '../transcripts');
  const child = spawn(process.execPath, ['main.mjs'], {
    cwd: place.workspace,
    env: {
      ...toEnv({ place, server }),
      KLENDATHU_TRANSCRIPTS: transcripts,
      PLANTED: join(import.meta.dirname, 'planted-secrets.ts'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect([stdout, stderr]).toEqual(['done\n', '']);

  const places = new Map<string, Buffer>([
    ...readFiles(place.home),
    ...readFiles(transcripts),
    ...readFiles(join(place.workspace, '.klendathu')),
    ['requests', Buffer.from(server.requests.map(({ body }) => body).join('\n'))],
  ]);
  const names = [...places.keys()].join('\n');
  for (const part of [/\.db$/m, /transcripts\//, /records\//, /cache\//]) expect(names).toMatch(part);
  expect(server.requests.length).toBeGreaterThanOrEqual(4);
  const found = planted.flatMap(({ place: where, secret }) =>
    [...places].filter(([, bytes]) => bytes.includes(secret)).map(([name]) => `${where}: ${name}`),
  );
  expect(found).toEqual([]);
  // The values were read: what is left of them is a mask, which can cover the user of the address too.
  expect(places.get('requests')!.toString()).toMatch(
    /postgres:\/\/[^\s"@]*\[(?:masked|secret:[\w-]+:\w+)\]+@db\.example\.com/,
  );
});
