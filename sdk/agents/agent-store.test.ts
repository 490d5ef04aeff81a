import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAgent, listAgents, toAgentFolders } from './agent-store.ts';

let base: string;
let folders: string[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'klaus-agents-'));
  folders = toAgentFolders({ workspace: join(base, 'w'), home: join(base, 'h'), state: join(base, 'h/.klaus') });
});
afterEach(() => rmSync(base, { recursive: true }));

function write(path: string, text: string): string {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const head = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\n`;

test('the first folder wins a name, and says what it hides', async () => {
  const files = ['w/.klaus', 'w/.claude', 'h/.klaus', 'h/.claude'].map((path) =>
    write(`${path}/agents/reviewer.md`, head('reviewer', path)),
  );
  const { agents, broken } = await listAgents(folders);
  expect(agents).toMatchObject([{ definition: { description: 'w/.klaus' }, file: files[0], hides: files.slice(1) }]);
  expect(broken).toEqual([]);
  rmSync(files[0]!);
  expect((await findAgent(folders, 'reviewer')).file).toBe(files[1]);
});

test('a broken file is reported and hides no other', async () => {
  const file = write('w/.klaus/agents/reviewer.md', '---\nname: reviewer\nwrong: 1\n---\n');
  write('h/.claude/agents/reviewer.md', head('reviewer', 'works'));
  const { agents, broken } = await listAgents(folders);
  expect(agents).toMatchObject([{ definition: { description: 'works' }, hides: [] }]);
  expect(broken).toMatchObject([{ file, error: { code: 'config' } }]);
});

test('entries that are no files of text are reported, and nothing waits for them', async () => {
  write('w/.klaus/agents/a.md', head('a', 'b'));
  mkdirSync(join(base, 'w/.klaus/agents/folder.md'));
  execFileSync('mkfifo', [join(base, 'w/.klaus/agents/pipe.md')]);
  symlinkSync('nowhere', join(base, 'w/.klaus/agents/link.md'));
  const { agents, broken } = await listAgents(folders);
  expect(agents).toHaveLength(1);
  expect(broken.map(({ file }) => file.slice(file.lastIndexOf('/') + 1))).toEqual(['folder.md', 'link.md', 'pipe.md']);
});

test('an unknown name is refused with the nearest one, and a broken file with its reason', async () => {
  write('w/.klaus/agents/reviewer.md', head('reviewer', 'b'));
  const broken = write('w/.klaus/agents/broken.md', 'text');
  const near = findAgent(folders, 'reviwer');
  await expect(near).rejects.toMatchObject({ code: 'usage', hint: expect.stringContaining('reviewer') });
  const own = findAgent(folders, 'broken');
  await expect(own).rejects.toMatchObject({ code: 'usage', hint: expect.stringContaining(`${broken}:1`) });
  await expect(findAgent(folders, '../../etc/passwd')).rejects.toMatchObject({ code: 'usage' });
});

test('10,000 definitions are read', async () => {
  for (let at = 0; at < 10_000; at++) write(`w/.klaus/agents/a${at}.md`, head(`a${at}`, 'b'));
  expect((await listAgents(folders)).agents).toHaveLength(10_000);
});
