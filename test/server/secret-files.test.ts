// Covers apps/server/handlers, sdk/workspace, sdk/sessions, sdk/export: no door shows the content of a secret file, also one of a policy.
import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { startTestServer, untilState, type TestServer } from '../fixtures/server.ts';

const MARK = 'MARK-47-eleven';
const POLICY = 'rules:\n  - deny: { read: "customers/**" }\nsecrets: ["config/prod.yaml"]\n';

/** Secret files by a name of Klaus, by the policy, and by a rule of the policy that denies reading. */
const NAMED = ['.env', 'certs/server.pem', 'config/prod.yaml', 'customers/a.csv'];

async function get({ server }: TestServer, path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.token}` } });
  return { status: answer.status, text: Buffer.from(await answer.arrayBuffer()).toString('latin1') };
}

const FILES = Object.fromEntries(NAMED.map((path) => [path, `text: ${MARK}\n`]));

const startWithPolicy = (): Promise<TestServer> =>
  startTestServer({
    files: { ...FILES, 'open.txt': 'shown\n', '.klaus/policy.yaml': POLICY },
    script: { steps: [], fallback: { text: 'Done.' } },
  });

test('the routes of files show no secret file, by any name', async () => {
  await using it = await startWithPolicy();
  const { workspace } = it.place;
  mkdirSync(join(workspace, 'other'));
  linkSync(join(workspace, 'config/prod.yaml'), join(workspace, 'other/link.yaml'));
  const paths = [...NAMED, 'other/link.yaml', 'config/../config/prod.yaml'];
  for (const path of paths) {
    const file = await get(it, `/api/files/${path}`);
    expect({ path, ...file }).toMatchObject({ path, text: expect.not.stringContaining(MARK) as string });
    expect((await get(it, `/api/shown-files/${path}`)).text).not.toContain(MARK);
  }
  expect(JSON.parse((await get(it, '/api/files/config/prod.yaml')).text)).toMatchObject({ hidden: true, content: '' });
  expect((await get(it, '/api/files/open.txt')).text).toContain('shown');
});

test('no route shows files of a session whose folder a link has replaced', async () => {
  await using it = await startWithPolicy();
  const { workspace } = it.place;
  const { session } = await it.client.openSession({ body: {} });
  const other = `${workspace}-other`;
  mkdirSync(other);
  writeFileSync(join(other, 'open.txt'), `text: ${MARK}\n`);
  renameSync(workspace, `${workspace}-aside`);
  symlinkSync(other, workspace);
  const given = encodeURIComponent(workspace);
  for (const query of [`session=${session}`, `workspace=${given}`])
    for (const path of ['/api/files', '/api/files/open.txt', '/api/shown-files/open.txt', '/api/git/diff']) {
      const answer = await get(it, `${path}?${query}`);
      expect({ path, query, ...answer }).toMatchObject({ status: 404 });
      expect(answer.text).toContain('workspace.missing');
    }
});

test('what Git says shows no secret file', async () => {
  await using it = await startWithPolicy();
  const { workspace } = it.place;
  for (const path of NAMED) writeFileSync(join(workspace, path), `text: ${MARK}-changed\n`);
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: workspace }).toString().trim();
  for (const path of ['/api/git/diff', '/api/git/diff?staged=true', '/api/git/commits', `/api/git/commits/${head}`])
    expect({ path, ...(await get(it, path)) }).toMatchObject({
      path,
      text: expect.not.stringContaining(MARK) as string,
    });
});

test('a commit that does not exist is no defect of the server', async () => {
  await using it = await startWithPolicy();
  const { status, text } = await get(it, '/api/git/commits/abcdef1');
  expect({ status, code: (JSON.parse(text) as { code: string }).code }).toEqual({ status: 404, code: 'usage' });
});

test('the changes, the exports and the shared page of a session show no secret file', async () => {
  const files = Object.entries(FILES);
  const open = { name: 'write_file', input: { path: 'open.txt', content: 'changed\n' } };
  await using it = await startTestServer({
    files: { ...FILES, 'open.txt': 'shown\n', '.klaus/policy.yaml': POLICY },
    script: { steps: [{ when: { turn: 0 }, reply: { calls: [open] } }], fallback: { text: 'Done.' } },
  });
  const { session: id } = await it.client.openSession({ body: { text: 'Go.', mode: 'auto' } });
  await untilState(it.client, id, 'done');
  // A second turn, before which the files changed: its state has them.
  for (const [path] of files) writeFileSync(join(it.place.workspace, path), `text: ${MARK}-new\n`);
  const session = it.klaus.handle(id);
  const all = await session.turnChanges('all');
  expect(all.diff).toContain('open.txt');
  expect(all.diff).not.toContain(MARK);
  const { files: exported } = await it.klaus.exportTest(id);
  for (const [path, content] of exported)
    expect({ path, hasMark: Buffer.from(content).includes(MARK) }).toEqual({ path, hasMark: false });
  expect(await it.klaus.shareHtml(id)).not.toContain(MARK);
});

test('the changes of a command in secret files are listed without their content', async () => {
  // The gate evaluates scripts of a shell before they run without a sandbox.
  const program = `import shutil\nfor name in ${JSON.stringify(NAMED)}:\n    open(name, 'w').write('text: ${MARK}-new')\nshutil.copy('config/prod.yaml', 'moved.txt')\nopen('open.txt', 'w').write('ok\\n')\n`;
  const calls = [{ name: 'run_command', input: { command: 'python3 write.py' } }];
  await using it = await startTestServer({
    files: { ...FILES, 'write.py': program, 'open.txt': 'shown\n', '.klaus/policy.yaml': POLICY },
    script: { steps: [{ when: { turn: 0 }, reply: { calls } }], fallback: { text: 'Done.' } },
    settings: { 'sandbox.driver': 'host' },
  } as never);
  const { session: id } = await it.client.openSession({ body: { text: 'Go.', mode: 'auto' } });
  await untilState(it.client, id, 'done');
  const { diff, changes } = await it.klaus.handle(id).turnChanges('all');
  expect(changes.map(({ path }) => path)).toContain('open.txt');
  expect(diff).not.toContain(MARK);
  const shown = await get(it, `/api/sessions/${id}/changes`);
  expect(shown.text).not.toContain(MARK);
  for (const path of [...NAMED, 'moved.txt'])
    for (const side of ['before', 'after'])
      expect((await get(it, `/api/shown-files/${path}?session=${id}&side=${side}`)).text).not.toContain(MARK);
});
