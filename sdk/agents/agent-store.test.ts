import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAgent, listAgents, toAgentFolders, type AgentPlaces } from './agent-store.ts';

let base: string;
let places: AgentPlaces;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'klaus-agents-'));
  const at = { workspace: join(base, 'w'), home: join(base, 'h'), state: join(base, 'h/.klaus') };
  places = { folders: toAgentFolders(at), isTrusted: () => false };
});
afterEach(() => rmSync(base, { recursive: true }));

function write(path: string, text: string): string {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const head = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\n`;

test('the first folder of the user wins a name, and that of the project has another one', async () => {
  const files = ['h/.klaus', 'h/.claude', 'w/.klaus', 'w/.claude'].map((path) =>
    write(`${path}/agents/reviewer.md`, head('reviewer', path)),
  );
  const { agents, broken } = await listAgents(places);
  expect(agents).toMatchObject([
    { name: 'reviewer', from: 'user', isTrusted: true, file: files[0], hides: [files[1]] },
    { name: 'project/reviewer', from: 'project', isTrusted: false, file: files[2], hides: [files[3]] },
  ]);
  expect(broken).toEqual([]);
  expect((await findAgent(places, 'reviewer')).file).toBe(files[0]);
  expect((await findAgent(places, 'project/reviewer')).file).toBe(files[2]);
  rmSync(files[0]!);
  expect((await findAgent(places, 'reviewer')).file).toBe(files[1]);
  rmSync(files[1]!);
  rmSync(files[2]!);
  expect(await findAgent(places, 'reviewer')).toMatchObject({ name: 'project/reviewer', file: files[3] });
});

test('a mistake in the file of the user does not give its name to the project', async () => {
  write('h/.klaus/agents/reviewer.md', '---\nname: reviewer\nwrong: 1\n---\n');
  write('w/.klaus/agents/reviewer.md', head('reviewer', 'theirs'));
  await expect(findAgent(places, 'reviewer')).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('h/.klaus/agents/reviewer.md:3'),
  });
  expect((await findAgent(places, 'project/reviewer')).from).toBe('project');
});

test('a folder of the user that is in the workspace is one of the user', async () => {
  write('h/.klaus/agents/own.md', head('own', 'mine'));
  const folders = toAgentFolders({ workspace: join(base, 'h'), home: join(base, 'h'), state: join(base, 'h/.klaus') });
  const { agents } = await listAgents({ folders, isTrusted: () => false });
  expect(agents).toMatchObject([{ name: 'own', from: 'user', hides: [] }]);
});

test('a broken file is reported and hides no other', async () => {
  const file = write('w/.klaus/agents/reviewer.md', '---\nname: reviewer\nwrong: 1\n---\n');
  write('h/.claude/agents/reviewer.md', head('reviewer', 'works'));
  const { agents, broken } = await listAgents(places);
  expect(agents).toMatchObject([{ definition: { description: 'works' }, hides: [] }]);
  expect(broken).toMatchObject([{ file, error: { code: 'config' } }]);
});

test('entries that are no files of text are reported, and nothing waits for them', async () => {
  write('w/.klaus/agents/a.md', head('a', 'b'));
  mkdirSync(join(base, 'w/.klaus/agents/folder.md'));
  execFileSync('mkfifo', [join(base, 'w/.klaus/agents/pipe.md')]);
  symlinkSync('nowhere', join(base, 'w/.klaus/agents/link.md'));
  const { agents, broken } = await listAgents(places);
  expect(agents).toHaveLength(1);
  expect(broken.map(({ file }) => file.slice(file.lastIndexOf('/') + 1))).toEqual(['folder.md', 'link.md', 'pipe.md']);
});

test('an unknown name is refused with the nearest one, and a broken file with its reason', async () => {
  write('w/.klaus/agents/reviewer.md', head('reviewer', 'b'));
  const broken = write('w/.klaus/agents/broken.md', 'text');
  const near = findAgent(places, 'reviwer');
  await expect(near).rejects.toMatchObject({ code: 'usage', hint: expect.stringContaining('reviewer') });
  const own = findAgent(places, 'broken');
  await expect(own).rejects.toMatchObject({ code: 'usage', hint: expect.stringContaining(`${broken}:1`) });
  await expect(findAgent(places, '../../etc/passwd')).rejects.toMatchObject({ code: 'usage' });
});

test('10,000 definitions are read', async () => {
  for (let at = 0; at < 10_000; at++) write(`w/.klaus/agents/a${at}.md`, head(`a${at}`, 'b'));
  expect((await listAgents(places)).agents).toHaveLength(10_000);
});
