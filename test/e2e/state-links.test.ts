// Covers adapters/workspace/state-links.ts, sdk/engine/state-links.ts, sdk/config/home.ts: links of the state folder.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKlaus } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine, type TestEngineOptions } from '../fixtures/engine.ts';
import { play, sentTexts, toScript, type ToolCall } from '../fixtures/play.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import type { TestHome } from '../fixtures/test-home.ts';

const SETTINGS = 'sandbox: { timeoutMs: 100000 } # canary-8842\n';
const POLICY = 'rules:\n  - deny: { tool: git_commit }\n';
const FILES = { 'README.md': 'hello\n', 'dots/config.yaml': SETTINGS, 'dots/policy.yaml': POLICY };

/** The state folder is a link to a folder of the workspace, as in a repository of settings. */
const linkHome = ({ home, workspace }: TestHome): Record<string, string> => {
  symlinkSync(join(workspace, 'dots'), home);
  return {};
};

function open(calls: readonly ToolCall[], more: Partial<TestEngineOptions> = {}): Promise<TestEngine> {
  return createTestEngine({ script: toScript(calls), files: FILES, ...more });
}

const read = ({ place }: TestEngine, path: string): string | undefined => {
  const file = join(place.workspace, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

describe('a state folder that is a link into the workspace', () => {
  const CALLS: ToolCall[] = [
    { name: 'write_file', input: { path: 'dots/config.yaml', content: 'sandbox: { driver: host }\n' } },
    { name: 'edit_file', input: { path: 'dots/config.yaml', old_string: '100000', new_string: '1' } },
    { name: 'write_file', input: { path: 'dots/local-servers.json', content: '{}' } },
    { name: 'delete_file', input: { path: 'dots/policy.yaml' } },
    { name: 'read_file', input: { path: 'dots/config.yaml' } },
  ];

  test('is not changed or read by a tool, even with approvals', async () => {
    await using engine = await open(CALLS, { env: linkHome });
    const session = await engine.klaus.open();
    for (const _ of CALLS) await play(engine.klaus, session, { user: 'yes' });
    const decided = ofType(await Array.fromAsync(session.events()), 'gate.decided');
    expect(new Set(decided.map(({ verdict }) => verdict))).toEqual(new Set(['deny']));
    expect(decided).toHaveLength(CALLS.length);
    expect(read(engine, 'dots/config.yaml')).toBe(SETTINGS);
    expect(read(engine, 'dots/policy.yaml')).toBe(POLICY);
    expect(read(engine, 'dots/local-servers.json')).toBeUndefined();
    expect(sentTexts(engine.server).join('\n')).not.toContain('canary-8842');
  });

  sandboxed('is hidden from commands, and is neither moved nor deleted', async () => {
    const command =
      'cat dots/*; echo x > dots/config.yaml; rm -rf dots; mv dots other; git checkout HEAD -- dots; true';
    await using engine = await open([{ name: 'run_command', input: { command } }], {
      env: linkHome,
      settings: { 'sandbox.driver': 'bubblewrap' },
    });
    await play(engine.klaus, await engine.klaus.open(), { user: 'yes' });
    expect(read(engine, 'dots/config.yaml')).toBe(SETTINGS);
    expect(read(engine, 'dots/policy.yaml')).toBe(POLICY);
    expect(sentTexts(engine.server).join('\n')).not.toContain('canary-8842');
  });

  test('is not changed by a merge of a working copy', async () => {
    await using engine = await open(
      [{ name: 'write_file', input: { path: 'dots/config.yaml', content: 'sandbox: { driver: host }\n' } }],
      { env: linkHome },
    );
    const session = await engine.klaus.open({ workingCopy: true });
    await play(engine.klaus, session, { user: 'yes' });
    await expect(engine.klaus.copies.merge(session.id)).rejects.toMatchObject({ code: 'copy.blocked' });
    expect(read(engine, 'dots/config.yaml')).toBe(SETTINGS);
  });

  test.each(['ro', 'rw'])('is not added to another workspace: %s', async (right) => {
    await using engine = await open([]);
    const folder = join(dirname(engine.place.workspace), 'other');
    mkdirSync(folder);
    writeFileSync(join(folder, 'policy.yaml'), POLICY);
    symlinkSync(join(folder, 'policy.yaml'), join(engine.place.home, 'policy.yaml'));
    await using other = await createKlaus({
      home: engine.place.home,
      cwd: engine.place.workspace,
      env: engine.place.env,
      settings: { model: 'scripted/test', 'sandbox.driver': 'host', 'sandbox.folders': [`${folder}:${right}`] },
      scripted: async () => ({ url: engine.server.url }),
    });
    await expect(other.open()).rejects.toMatchObject({ code: 'workspace.refused' });
  });
});

/** Links `to` of the workspace as `name` of the state folder. */
function link({ place: { home, workspace } }: Pick<TestEngine, 'place'>, name: string, to: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  symlinkSync(join(workspace, to), join(home, name));
}

const ENTRIES: readonly [name: string, to: string][] = [
  ['config.yaml', 'dots/config.yaml'],
  ['policy.yaml', 'dots/policy.yaml'],
  ['local-servers.json', 'absent.json'],
  ['mcp.json', 'absent.json'],
  ['agents', 'dots'],
  ['hooks/run.sh', 'README.md'],
  ['cache', 'dots'],
];

describe('an entry of the state folder that is a link into the workspace', () => {
  test.each(ENTRIES)('%s: no session opens there', async (name, to) => {
    await using engine = await open([]);
    link(engine, name, to);
    await expect(engine.klaus.open()).rejects.toMatchObject({ code: 'workspace.refused', hint: expect.any(String) });
  });

  test('through another link, which the workspace has', async () => {
    await using engine = await open([]);
    const { workspace, home } = engine.place;
    const real = join(dirname(workspace), 'real.yaml');
    writeFileSync(real, POLICY);
    symlinkSync(real, join(workspace, 'between.yaml'));
    symlinkSync(join(workspace, 'between.yaml'), join(home, 'policy.yaml'));
    await expect(engine.klaus.open()).rejects.toMatchObject({ code: 'workspace.refused' });
  });

  test('the link to the state folder itself is in the workspace', async () => {
    await using engine = await open([], {
      env: ({ home, workspace }) => {
        const real = join(dirname(workspace), 'real');
        mkdirSync(real);
        symlinkSync(real, join(workspace, 'link'));
        symlinkSync(join(workspace, 'link'), home);
        return {};
      },
    });
    await expect(engine.klaus.open()).rejects.toMatchObject({ code: 'workspace.refused' });
  });

  test('a session that is open already stops, and nothing is undone', async () => {
    await using engine = await open([
      { name: 'write_file', input: { path: 'dots/policy.yaml', content: 'rules: []\n' } },
      { name: 'read_file', input: { path: 'dots/policy.yaml' } },
    ]);
    const { klaus, place } = engine;
    const session = await klaus.open();
    await play(klaus, session, { user: 'yes' });
    link(engine, 'policy.yaml', 'dots/policy.yaml');
    writeFileSync(join(place.home, 'policy.yaml'), POLICY);
    await play(klaus, session, { user: 'yes' }).catch(() => {});
    const undone = session.restore({ kind: 'undo', turn: 1 }, { by: 'test' });
    await expect(undone).rejects.toMatchObject({ code: 'workspace.refused' });
    expect(read(engine, 'dots/policy.yaml')).toBe(POLICY);
    await expect((await klaus.files()).read('dots/policy.yaml', { maxBytes: 100 })).resolves.toMatchObject({
      content: null,
    });
  });

  test('the tools and the commands of another agent cannot use it', async () => {
    await using engine = await open([]);
    link(engine, 'policy.yaml', 'dots/policy.yaml');
    const at = { workspace: engine.place.workspace, sandbox: 'host' as const };
    const calls = [
      { name: 'read_file', input: { path: 'dots/policy.yaml' } },
      { name: 'delete_file', input: { path: 'dots/policy.yaml' } },
      { name: 'run_command', input: { command: 'sed -i d dots/policy.yaml' } },
      { name: 'run_command', input: { command: 'rm -r dots' } },
    ];
    for (const call of calls)
      expect(await engine.klaus.explain(call, at)).toMatchObject({ decision: { verdict: 'deny' } });
  });

  test('links to elsewhere do no harm', async () => {
    await using engine = await open([{ name: 'read_file', input: { path: 'README.md' } }]);
    const real = join(dirname(engine.place.workspace), 'real.yaml');
    writeFileSync(real, POLICY);
    symlinkSync(real, join(engine.place.home, 'policy.yaml'));
    const session = await engine.klaus.open();
    await play(engine.klaus, session, { user: 'none' });
    expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')[0]?.outcome).toBe('ok');
  });
});

test.each(['policy.yaml', 'config.yaml'])('a broken link %s in the state folder is an error', async (name) => {
  await using engine = await open([]);
  symlinkSync('gone.yaml', join(engine.place.home, name));
  await expect(engine.klaus.policy().then(() => engine.reopen())).rejects.toMatchObject({ code: 'config' });
});
