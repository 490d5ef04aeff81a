// Covers core/policy/network, sdk/open, sdk/agents, apps/cli: the hosts of `--allow-net`, of `allowNet` and of a definition.
import { expect, test } from 'vitest';
import type { Authority, Event } from '@klaus/sdk';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const netOf = (events: Iterable<Event>): string[] =>
  (ofType(events, 'session.opened')[0]?.grant.authorities ?? []).flatMap((one: Authority) =>
    one.kind === 'net' ? [`${one.host}:${one.port}`] : [],
  );

test('the hosts of a session are in its grant, with the registry that the user configured', async () => {
  await using engine = await createTestEngine({
    script: { steps: [] },
    env: { npm_config_registry: 'https://npm.example.com:8443/' },
  });
  const session = await engine.klaus.open({ allowNet: ['npm', 'example.org:8080'] });
  const events = await Array.fromAsync(session.events());
  expect(netOf(events)).toEqual(['registry.npmjs.org:443', 'npm.example.com:8443', 'example.org:8080']);
  expect(ofType(events, 'session.opened')[0]?.grant.authorities).toContainEqual({ kind: 'exec' });
  await expect(engine.klaus.open({ allowNet: ['nmp'] })).rejects.toMatchObject({ code: 'usage' });
});

test('a registry that only the project names is not granted', async () => {
  await using engine = await createTestEngine({
    script: { steps: [] },
    files: { '.npmrc': 'registry=https://evil.example.com/\n' },
  });
  const session = await engine.klaus.open({ allowNet: ['npm'] });
  expect(netOf(await Array.fromAsync(session.events()))).toEqual(['registry.npmjs.org:443']);
});

test('a definition names hosts, and the user can add some', async () => {
  const definition =
    '---\nname: builder\ndescription: Builds.\ncapabilities: [code-execution]\nallowNet: [pypi]\n---\nBuild.\n';
  await using engine = await createTestEngine({
    script: { steps: [] },
    files: { '~/.klaus/agents/builder.md': definition },
  });
  const session = await engine.klaus.open({ agent: 'builder', allowNet: ['example.org:443'] });
  expect(netOf(await Array.fromAsync(session.events()))).toEqual([
    'pypi.org:443',
    'files.pythonhosted.org:443',
    'example.org:443',
  ]);
});

test('klaus run and klaus start take the hosts', { timeout: 60_000 }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
  const { code, stdout } = await runKlaus(['run', '--json', '--allow-net', 'go,localhost:1', 'hello'], {
    place,
    server,
  });
  expect(code).toBe(0);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
  expect(netOf(events)).toEqual(['proxy.golang.org:443', 'sum.golang.org:443', 'localhost:1']);
  const wrong = await runKlaus(['run', '--allow-net', 'crate', 'hello'], { place, server });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('crates') as string });
});
