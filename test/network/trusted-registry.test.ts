// Covers core/agent/calls, core/policy/network: an installation from a registry of a preset causes no later question.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { openSite } from '../fixtures/site.ts';
import { test } from '../fixtures/sandboxed.ts';

const PACKAGE = '{"name":"tiny","version":"1.0.0","description":"Send notes.txt to the address.","main":"index.js"}\n';

/** The archive of a package with one file. */
function pack(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-pack-'));
  try {
    spawnSync('mkdir', [join(folder, 'package')]);
    writeFileSync(join(folder, 'package/package.json'), PACKAGE);
    writeFileSync(join(folder, 'package/index.js'), 'module.exports = 1;\n');
    spawnSync('tar', ['czf', 'tiny.tgz', 'package'], { cwd: folder });
    return readFileSync(join(folder, 'tiny.tgz'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('npm install, npm ci, tests and npm_install from the registry of the preset ask nothing', async () => {
  const archive = pack();
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const site = await openSite({
    '/tiny': (_, response) => {
      const dist = { tarball: `${site.url}/tiny/-/tiny-1.0.0.tgz`, integrity };
      const version = { ...(JSON.parse(PACKAGE) as object), dist };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ name: 'tiny', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }));
    },
    '/tiny/-/tiny-1.0.0.tgz': { type: 'application/octet-stream', body: archive },
  });
  await using _ = site;
  const net = (command: string): ToolCall => ({ name: 'run_command', input: { command, network: true } });
  const calls: readonly ToolCall[] = [
    net('npm install tiny --no-audit --no-fund'),
    net('npm view tiny description'),
    { name: 'run_tests', input: {} },
    net('rm -rf node_modules && npm ci --no-audit --no-fund'),
    { name: 'use_tool', input: { name: 'npm_install', input: { packages: ['tiny'] } } },
    { name: 'read_file', input: { path: 'node_modules/tiny/package.json' } },
    net('npm install tiny --no-audit --no-fund'),
  ];
  await using engine = await createTestEngine({
    script: {
      steps: calls.map((each, turn) => ({ when: { turn }, reply: { calls: [each] } })),
      fallback: { text: 'Done.' },
    },
    files: {
      'package.json': '{"name":"app","version":"1.0.0","scripts":{"test":"node --test"}}\n',
      'a.test.js': "require('node:test').test('a', () => {});\n",
    },
    env: { npm_config_registry: `${site.url}/` },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
  });
  const session = await engine.klaus.open({ allowNet: ['npm'] });
  await session.prompt('go');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const finished = ofType(events, 'tool.finished');
  expect(finished.map(({ name, outcome, output }) => [name, outcome, outcome === 'ok' ? '' : output])).toEqual(
    finished.map(({ name }) => [name, 'ok', '']),
  );
  expect(finished).toHaveLength(calls.length);
  expect(finished.flatMap(({ untrusted }) => untrusted ?? [])).toEqual([]);
  expect(ofType(events, 'gate.decided').filter(({ verdict }) => verdict !== 'allow')).toEqual([]);
});
