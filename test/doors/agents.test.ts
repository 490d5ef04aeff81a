// Covers apps/cli/commands, sdk/agents: klaus agents and --agent.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ended, listSessions, runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const EXPORTED = {
  name: 'code-reviewer',
  description: 'Reviews: "everything"',
  version: '1.10',
  created: '2025-01-02T03:04:05.123456Z',
  last_used: '2025-02-03T04:05:06Z',
  capabilities: ['file-operations'],
  system_prompt: 'You review code.\n\n---\n- "yes": no\n',
  config: { model: 'openai/gpt-4o-mini', temperature: 0.7, preserve_history: true, top_p: 1 },
  metadata: { tags: ['a', null, 1.5] },
};

const toFile = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nYou work.\n`;

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function createPlace() {
  const place = createTestHome();
  const klaus = (...words: string[]): Promise<Ended> => runKlaus(words, { place });
  const list = async () => {
    const { code, stdout, stderr } = await klaus('agents', '--json');
    const agents = stdout.split('\n').filter(Boolean);
    return {
      code,
      stderr,
      agents: agents.map((line) => JSON.parse(line) as { name: string; file: string; lastUse: string | null }),
    };
  };
  return { place, klaus, list, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

const userFile = ({ home }: TestHome, name: string): string => join(home, 'agents', `${name}.md`);

test('an exported agent that is deleted and imported is exported again with the same bytes', async () => {
  using scene = createPlace();
  const { place, klaus, list } = scene;
  const file = write(join(place.workspace, 'in.json'), JSON.stringify(EXPORTED));
  expect(await klaus('agents', 'import', file)).toMatchObject({ code: 0 });
  expect(await klaus('agents', 'import', file)).toMatchObject({ code: 2 });
  expect(await klaus('agents', 'import', file, '--replace')).toMatchObject({ code: 0 });
  const first = await klaus('agents', 'export', 'code-reviewer');
  expect(JSON.parse(first.stdout)).toEqual(EXPORTED);
  const output = join(place.workspace, 'out.json');
  expect((await klaus('agents', 'export', 'code-reviewer', '--output', output)).code).toBe(0);
  expect(readFileSync(output, 'utf8')).toBe(first.stdout);
  expect((await klaus('agents', 'delete', 'code-reviewer', '--yes')).code).toBe(0);
  expect((await list()).agents).toEqual([]);
  const imported = await runKlaus(['agents', 'import', '-'], { place, stdin: first.stdout });
  expect(imported.code).toBe(0);
  expect((await klaus('agents', 'export', 'code-reviewer')).stdout).toBe(first.stdout);
});

test('the spellings of Agent Builder do the same', { tags: ['long'] }, async () => {
  using scene = createPlace();
  const { place, klaus } = scene;
  const file = write(join(place.workspace, 'in.json'), JSON.stringify(EXPORTED));
  expect((await klaus('--import', file)).code).toBe(0);
  for (const words of [['--list'], ['--list', '--json']])
    expect((await klaus(...words)).stdout).toBe((await klaus('agents', 'list', ...words.slice(1))).stdout);
  const exported = await klaus('--export', 'code-reviewer');
  expect(JSON.parse(exported.stdout)).toEqual(EXPORTED);
  expect((await klaus('--export=code-reviewer')).stdout).toBe(exported.stdout);
  expect((await klaus('--delete', 'code-reviewer')).code).toBe(2);
  expect((await klaus('--delete', 'code-reviewer', '--yes')).code).toBe(0);
  expect((await klaus('--export', 'code-reviewer')).code).toBe(2);
});

test('a broken file is reported with its line, and hides no other', async () => {
  using scene = createPlace();
  const { place, list } = scene;
  const broken = write(join(place.workspace, '.klaus/agents/reviewer.md'), '---\nname: reviewer\nwrong: 1\n---\n');
  const works = write(userFile(place, 'reviewer'), toFile('reviewer', 'works'));
  const unknown = write(userFile(place, 'wide'), '---\nname: wide\ndescription: b\ncapabilities: [root]\n---\n');
  const { code, agents, stderr } = await list();
  expect({ code, names: agents.map(({ name, file }) => [name, file]) }).toEqual({
    code: 0,
    names: [
      ['reviewer', works],
      ['wide', unknown],
    ],
  });
  expect(stderr).toContain(`${broken}:3: `);
  expect(stderr).toContain(`${unknown}:1: `);
});

test(
  'the first folder wins a name; when its file is deleted, the next one is visible',
  { tags: ['long'] },
  async () => {
    using scene = createPlace();
    const { place, klaus } = scene;
    const files = [
      join(place.workspace, '.klaus/agents/a.md'),
      join(place.workspace, '.claude/agents/a.md'),
      userFile(place, 'a'),
      join(place.env['HOME']!, '.claude/agents/a.md'),
    ];
    for (const file of files) write(file, toFile('a', file));
    for (let at = 0; at < files.length; at++) {
      const { stdout } = await klaus('agents', 'show', 'a', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ file: files[at], hides: files.slice(at + 1), description: files[at] });
      const deleted = await klaus('agents', 'delete', 'a', '--yes');
      expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining(files[at + 1] ?? files[at]!) });
    }
    expect(await klaus('agents', 'show', 'a')).toMatchObject({ code: 2 });
  },
);

test('without a terminal, a deletion needs --yes, and a new agent its options', { tags: ['long'] }, async () => {
  using scene = createPlace();
  const { place, klaus } = scene;
  const file = write(userFile(place, 'a'), toFile('a', 'b'));
  expect(await klaus('agents', 'delete', 'a')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(existsSync(file)).toBe(true);
  expect(await klaus('agents', 'new')).toMatchObject({ code: 2 });
  expect(await klaus('agents', 'new', 'x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--description'),
  });
  expect(await klaus('agents', 'edit', 'a')).toMatchObject({ code: 2, stderr: expect.stringContaining('EDITOR') });
});

test('a name cannot be a path or a reserved word, and a server has no agents here', { tags: ['long'] }, async () => {
  using scene = createPlace();
  const { place, klaus, list } = scene;
  for (const name of ['../x', '/x', 'a/b', 'A', 'a b', 'klaus', 'self', '..', '--'])
    expect({ name, code: (await klaus('agents', 'new', '--description', 'b', '--', name)).code }).toEqual({
      name,
      code: 2,
    });
  const json = write(join(place.workspace, 'x.json'), JSON.stringify({ ...EXPORTED, name: '../x' }));
  expect((await klaus('agents', 'import', json)).code).toBe(3);
  for (const words of [['show'], ['export'], ['delete', '--yes'], ['grants'], ['edit', '--description', 'c']])
    expect((await klaus('agents', ...words, '../../etc/passwd')).code).toBe(2);
  expect((await list()).agents).toEqual([]);
  expect((await klaus('agents', '--server', 'http://127.0.0.1:1')).code).toBe(2);
});

test('of two processes that create one name at once, exactly one wins', { tags: ['long'] }, async () => {
  using scene = createPlace();
  const { place, klaus } = scene;
  const descriptions = ['one', 'two', 'three'];
  const ended = await Promise.all(descriptions.map((text) => klaus('agents', 'new', 'same', '--description', text)));
  expect(ended.map(({ code }) => String(code)).toSorted()).toEqual(['0', '2', '2']);
  const winner = descriptions[ended.findIndex(({ code }) => code === 0)]!;
  expect(readFileSync(userFile(place, 'same'), 'utf8')).toContain(`description: ${winner}\n`);
  expect(readdirSync(join(place.home, 'agents'))).toEqual(['same.md']);
});

interface Described {
  text: string;
  lines: { allows: boolean; text: string }[];
}

test('the templates request the least authority, and grants says it in plain words', { tags: ['long'] }, async () => {
  using scene = createPlace();
  const { place, klaus } = scene;
  const grants = new Map<string, Described>();
  for (const name of ['programmer', 'context-engineer', 'reviewer']) {
    expect((await klaus('agents', 'new', '--from', name, '--project')).code).toBe(0);
    expect(existsSync(join(place.workspace, `.klaus/agents/${name}.md`))).toBe(true);
    grants.set(name, JSON.parse((await klaus('agents', 'grants', name, '--json')).stdout) as Described);
  }
  const at = place.workspace;
  expect(Object.fromEntries([...grants].map(([name, { text }]) => [name, text]))).toEqual({
    programmer: `fs(${at}, rwx) · exec · tool(*)`,
    'context-engineer': `fs(${at}, r) · fs(${at}/docs, w) · fs(${at}/README.md, w) · fs(${at}/AGENTS.md, w) · tool(*)`,
    reviewer: `fs(${at}, r) · tool(read_file) · tool(list_files) · tool(search_files)`,
  });
  const refused = (name: string) => grants.get(name)!.lines.filter(({ allows }) => !allows).length;
  expect(refused('reviewer')).toBeGreaterThan(refused('programmer'));
});

test('an agent is created and changed with options', { tags: ['long'] }, async () => {
  using scene = createPlace();
  const { place, klaus } = scene;
  const create = ['agents', 'new', 'a', '--description', 'b', '--capability', 'file-operations', '--prompt', '-'];
  expect((await runKlaus(create, { place, stdin: 'You work.\nWell.\n' })).code).toBe(0);
  const show = async () => JSON.parse((await klaus('agents', 'show', 'a', '--json')).stdout) as object;
  expect(await show()).toMatchObject({ capabilities: ['file-operations'], systemPrompt: 'You work.\nWell.' });
  expect((await klaus('agents', 'edit', 'a', '--capability', 'root')).code).toBe(3);
  expect((await klaus('agents', 'edit', 'a', '--capability', 'none', '--model', 'opus')).code).toBe(0);
  expect(await show()).toMatchObject({
    description: 'b',
    capabilities: [],
    model: 'opus',
    systemPrompt: 'You work.\nWell.',
    text: 'nothing',
  });
});

test('an editor changes a copy, and only a valid result replaces the file', { tags: ['long'] }, async () => {
  using scene = createPlace();
  const { place } = scene;
  const file = write(userFile(place, 'a'), toFile('a', 'b'));
  const edit = (command: string) =>
    runKlaus(['agents', 'edit', 'a'], { place, env: { EDITOR: command, TMPDIR: place.workspace } });
  const copies = () => readdirSync(place.workspace).filter((name) => name.startsWith('klaus-agent-'));
  expect((await edit('sed -i "s/description: b/description: c # mine/"')).code).toBe(0);
  const changed = readFileSync(file, 'utf8');
  expect(changed).toContain('description: c # mine\n');
  expect(copies()).toEqual([]);
  expect((await edit('true')).code).toBe(0);
  expect((await edit('false')).code).toBe(1);
  for (const command of ['sed -i s/description/descripton/', 'sed -i "s/name: a/name: b/"']) {
    const refused = await edit(command);
    const kept = copies().find((name) => refused.stderr.includes(name));
    expect({ code: refused.code, text: readFileSync(file, 'utf8') }).toEqual({ code: 2, text: changed });
    expect(readFileSync(join(place.workspace, kept!, 'a.md'), 'utf8')).not.toBe(changed);
  }
  // Another program changes the file at the same time.
  const conflict = await edit(`sh -c 'echo other >> ${file}; echo mine >> "$1"' sh`);
  expect(conflict.code).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(`${changed}other\n`);
});

test('a broken file can be repaired in an editor', async () => {
  using scene = createPlace();
  const { place, klaus } = scene;
  write(userFile(place, 'a'), '---\nname: a\ndescripton: b\n---\n');
  const env = { EDITOR: 'sed -i s/descripton/description/' };
  expect((await runKlaus(['agents', 'edit', 'a'], { place, env })).code).toBe(0);
  expect((await klaus('agents', 'show', 'a')).code).toBe(0);
});

test('--agent opens a session as the agent, which lists and forks name', { tags: ['long'] }, async () => {
  using scene = createPlace();
  const { place, klaus, list } = scene;
  write(userFile(place, 'a'), toFile('a', 'b'));
  write(userFile(place, 'unused'), toFile('unused', 'b'));
  await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
  const ran = await runKlaus(['run', '--json', '--agent', 'a', 'hello'], { place, server });
  expect(ran.code).toBe(0);
  const [opened] = toEvents(ran.stdout);
  expect(opened).toMatchObject({ type: 'session.opened', agent: 'a', grant: { authorities: [] } });
  expect((await runKlaus(['say hello'], { place, server })).code).toBe(0);
  const id = opened!.session;
  expect(JSON.parse((await klaus('fork', id, '--json')).stdout)).toMatchObject({ from: id });
  const sessions = (await listSessions(place)) as { id: string; status: string; agentType?: string }[];
  expect(sessions.map(({ agentType }) => String(agentType)).toSorted()).toEqual(['a', 'a', 'klaus']);
  expect((await klaus('show', id)).stdout).toMatch(/\bagent a\b/);
  const used = new Map((await list()).agents.map(({ name, lastUse }) => [name, lastUse]));
  expect(used.get('a')).toMatch(/^\d{4}-/);
  expect(used.get('unused')).toBeNull();
  expect(JSON.parse((await klaus('agents', 'export', 'a')).stdout)).toMatchObject({ last_used: used.get('a') });
  const exists = await runKlaus(['run', '--session', id, '--agent', 'a', 'more'], { place, server });
  expect(exists.code).toBe(2);
  const nearest = await runKlaus(['run', '--json', '--agent', 'unusd', 'hello'], { place, server });
  expect(nearest.code).toBe(2);
  const { error } = JSON.parse(nearest.stderr) as { error: { code: string; hint: string } };
  expect(error).toMatchObject({ code: 'usage', hint: expect.stringContaining('unused') });
});

test('the name of an agent alone names the chat with it', async () => {
  using scene = createPlace();
  const { place, klaus } = scene;
  write(userFile(place, 'filer'), toFile('filer', 'Files things.'));
  write(join(place.workspace, '.klaus/agents/painter.md'), toFile('painter', 'Paints.'));
  for (const name of ['filer', 'painter']) {
    const { code, stderr } = await klaus(name);
    expect(code).toBe(2);
    expect(stderr).toContain(`klaus chat ${name}`);
  }
});
