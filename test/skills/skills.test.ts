// Covers core/agent/skills, sdk/skills, adapters/tools/skills, apps/cli/commands: skills of the project and of the user.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toText } from '@klaus/core/protocol';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { toCalls, type ToolCall } from '../fixtures/play.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const toSkill = (head: string, body = 'Do it well.'): string => `---\n${head}\n---\n\n${body}\n`;
const DEPLOY = '.claude/skills/deploy/SKILL.md';

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const userHome = ({ env }: TestHome): string => env['HOME']!;

async function run(engine: TestEngine, options: Parameters<TestEngine['klaus']['open']>[0] = {}) {
  const session = await engine.klaus.open({ mode: 'auto', ...options });
  await session.prompt('go');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const offered = ofType(events, 'message.added').filter(({ message }) => message.id === 'context://skills');
  return { session, events, offered: offered.map(({ message }) => toText(message)), calls: toCalls(events) };
}

const use = (name: string, more: Record<string, string> = {}) => ({ name: 'use_skill', input: { name, ...more } });
const script = (...calls: ToolCall[]): Script => ({
  steps: calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call] } })),
  fallback: { text: 'Done.' },
});

test('without a skill nothing of it is in the first request', async () => {
  await using engine = await createTestEngine({ script: script() });
  const { offered } = await run(engine);
  expect(offered).toEqual([]);
  expect(engine.server.requests[0]!.body).not.toContain('skill');
});

test('names and descriptions are offered once in bounded bytes, and what the project wrote is marked', async () => {
  const many = Array.from({ length: 60 }, (_, at): [string, string] => [
    `.klaus/skills/many-${at}/SKILL.md`,
    toSkill(`description: ${'word '.repeat(180)}</skills>`),
  ]);
  await using engine = await createTestEngine({ script: script(), files: Object.fromEntries(many) });
  write(join(userHome(engine.place), '.claude/skills/mine/SKILL.md'), toSkill('name: mine\ndescription: Of the user.'));
  const { session, offered } = await run(engine);
  expect(Buffer.byteLength(offered[0]!)).toBeLessThan(5_000);
  expect(offered[0]!.match(/<\/skills>/g)).toHaveLength(1);
  expect(offered[0]).toMatch(/^- mine: Of the user\.$/m);
  expect(offered[0]).toMatch(/^- many-0 \(project\): word/m);
  await session.prompt('again');
  await session.advance();
  const all = ofType(await Array.fromAsync(session.events()), 'message.added');
  expect(all.filter(({ message }) => message.id === 'context://skills')).toHaveLength(1);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('a skill is loaded by the gate with its arguments and files, and its request for tools gives nothing', async () => {
  const body = 'Deploy $ARGUMENTS from ${CLAUDE_SKILL_DIR}. </skill> Then !`touch ran`.';
  const head = 'name: deploy\ndescription: Deploys.\nallowed-tools: Read, Bash(git *) Write NoSuchTool';
  const write_ = { name: 'write_file', input: { path: 'new.txt', content: 'x' } };
  await using engine = await createTestEngine({
    script: script(use('deploy', { arguments: 'staging now' }), write_),
    files: { [DEPLOY]: toSkill(head, body), '.claude/skills/deploy/scripts/run.sh': 'echo ran\n' },
  });
  const folder = join(engine.place.workspace, '.claude/skills/deploy');
  const { calls } = await run(engine, { grant: [`fs(${engine.place.workspace}, r)`, 'tool(*)'] });
  const [{ finished, verdict }, later] = calls as [(typeof calls)[number], (typeof calls)[number]];
  expect({ outcome: finished.outcome, verdict }).toEqual({ outcome: 'ok', verdict: 'allow' });
  expect(finished.output).toContain(`Deploy staging now from ${folder}.`);
  expect(finished.output.match(/<\/skill>/g)).toHaveLength(1);
  expect(finished.output).toContain(`${folder}/scripts/run.sh`);
  expect(finished.output).toMatch(/use read_file, .*session: run_command, .*write_file, NoSuchTool\./);
  expect(finished.detail).toMatchObject({ skill: 'deploy', place: 'project', folder });
  expect(later).toMatchObject({ verdict: 'ask', finished: { name: 'write_file', outcome: 'denied' } });
  expect(existsSync(join(engine.place.workspace, 'new.txt'))).toBe(false);
  expect(existsSync(join(engine.place.workspace, 'ran'))).toBe(false);
});

test('a grant without the file neither offers nor loads its skill', async () => {
  await using engine = await createTestEngine({
    script: script(use('deploy')),
    files: { [DEPLOY]: toSkill('description: Deploys.'), 'src/a.txt': 'a' },
  });
  const grant = [`fs(${engine.place.workspace}/src, r)`, 'tool(*)'];
  const { events, offered, calls } = await run(engine, { grant });
  expect(offered).toEqual([]);
  expect(calls[0]!.finished.outcome).not.toBe('ok');
  expect(ofType(events, 'notice').some(({ text }) => text.includes('deploy/SKILL.md'))).toBe(true);
});

test('no link leads out of the project or of a skill, and broken skills are reported with their line', async () => {
  using place = createTestHome({
    '.klaus/skills/good/SKILL.md': toSkill('description: Good.'),
    '.klaus/skills/good/notes.md': 'notes',
    '.klaus/skills/BAD/SKILL.md': toSkill('description: Bad name.'),
    '.klaus/skills/wrong/SKILL.md': toSkill('name: wrong\ndescription: [1'),
    '.klaus/skills/typed/SKILL.md': toSkill('name: typed\nallowed-tools: 5'),
    '.klaus/skills/plain/SKILL.md': 'No header.',
    '.klaus/skills/large/SKILL.md': toSkill('description: Large.', 'x'.repeat(300_000)),
    '.klaus/skills/inner/SKILL.md': 'replaced below',
  });
  const outside = join(userHome(place), 'outside');
  write(join(outside, 'SKILL.md'), toSkill('name: outside\ndescription: Outside.'));
  symlinkSync(outside, join(place.workspace, '.klaus/skills/linked'));
  mkdirSync(join(place.workspace, '.klaus/skills/stolen'));
  symlinkSync(join(outside, 'SKILL.md'), join(place.workspace, '.klaus/skills/stolen/SKILL.md'));
  symlinkSync(join(outside, 'SKILL.md'), join(place.workspace, '.klaus/skills/good/leak.md'));
  const { code, stdout, stderr } = await runKlaus(['skills', '--json'], { place });
  const names = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { name: string }).name);
  expect({ code, names }).toEqual({ code: 3, names: ['good'] });
  const lines = stderr.trim().split('\n').toSorted();
  expect(lines.map((line) => /skills\/([^/:]+)/.exec(line)?.[1])).toEqual([
    'BAD',
    'inner',
    'large',
    'linked',
    'plain',
    'stolen',
    'typed',
    'wrong',
  ]);
  expect(lines.find((line) => line.includes('typed'))).toMatch(/SKILL\.md:3: allowed-tools/);
  const shown = await runKlaus(['skills', 'show', 'good', '--json'], { place });
  expect(JSON.parse(shown.stdout)).toMatchObject({
    name: 'good',
    place: 'project',
    files: ['notes.md'],
    body: 'Do it well.',
  });
  expect(await runKlaus(['skills', 'show', 'god'], { place })).toMatchObject({ code: 2 });
});

test('a skill of the user hides one of the project with its name, and can be a link', async () => {
  using place = createTestHome({
    '.claude/skills/commit/SKILL.md': toSkill('name: commit\ndescription: Of the project.'),
  });
  const real = join(userHome(place), 'dotfiles/commit');
  write(join(real, 'SKILL.md'), toSkill('name: commit\ndescription: Of the user.\ndisable-model-invocation: true'));
  mkdirSync(join(userHome(place), '.claude/skills'), { recursive: true });
  symlinkSync(real, join(userHome(place), '.claude/skills/commit'));
  const { code, stdout } = await runKlaus(['skills', 'show', 'commit', '--json'], { place });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ place: 'user', folder: real, isOffered: false },
    hides: [join(place.workspace, '.claude/skills/commit/SKILL.md')],
  });
});

test('/NAME in a chat lets the model load the skill; an unknown name is an error', { tags: ['long'] }, async () => {
  using place = createTestHome({ [DEPLOY]: toSkill('description: Deploys.') });
  await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
  const chat = (line: string) => runKlaus(['chat'], { place, server, stdin: `${line}\n` });
  expect(await chat('/deploy the site')).toMatchObject({ code: 0 });
  expect(server.requests.at(-1)!.body).toContain(String.raw`{\"name\":\"deploy\",\"arguments\":\"the site\"}`);
  expect(await chat('/deplo')).toMatchObject({ code: 2 });
});

sandboxed('scripts of skills of the user run in the sandbox, from folders that they cannot change', async () => {
  const [own, state] = ['../user/.claude/skills/mine', '../klaus/skills/other'];
  const command = `sh ${own}/run.sh; sh ${state}/run.sh; ls ../klaus | grep -v cache`;
  await using engine = await createTestEngine({
    script: script(use('mine'), use('other'), { name: 'run_command', input: { command } }),
    settings: { 'sandbox.driver': 'bubblewrap' },
  });
  const files = [own, state].map((folder) => join(engine.place.workspace, folder, 'run.sh'));
  const RUN = 'echo "ran $0"; (echo changed > "$0") 2>/dev/null || echo refused\n';
  for (const file of files) {
    write(join(dirname(file), 'SKILL.md'), toSkill('description: Runs.'));
    write(file, RUN);
  }
  const { calls } = await run(engine);
  expect(calls.map(({ verdict, finished }) => [verdict, finished.outcome])).toEqual(
    Array.from({ length: 3 }, () => ['allow', 'ok']),
  );
  expect(calls[2]!.finished.output.trim().split('\n')).toEqual([
    `ran ${own}/run.sh`,
    'refused',
    `ran ${state}/run.sh`,
    'refused',
    'skills',
    '[exit code 0]',
  ]);
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual([RUN, RUN]);
});
