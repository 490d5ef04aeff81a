import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecRequest, ExecResult, PrestartRequest, Sandbox } from '@klaus/core/agent';
import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../index.ts';
import { createSandboxFixture, eventually, findProcesses } from '../sandbox.fixture.ts';
import type { SandboxFixture } from '../sandbox.fixture.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

const search = await (async () => {
  using place = createSandboxFixture();
  return await findBubblewrap(place);
})();
const opened: SandboxFixture[] = [];
afterAll(() => opened.forEach((place) => place[Symbol.dispose]()));

function git(folder: string, ...words: string[]): string {
  return execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
}

function openRepository(): SandboxFixture & { masks: string[]; open: () => Promise<Sandbox> } {
  const place = createSandboxFixture();
  opened.push(place);
  git(place.workspace, 'init', '-q', '-b', 'main');
  writeFileSync(join(place.workspace, 'a.txt'), 'one\n');
  git(place.workspace, 'add', '-A');
  git(place.workspace, 'commit', '-qm', 'first');
  const masks: string[] = [];
  const open = () => createSandbox({ ...place, choice: 'bubblewrap', masks: async () => masks });
  return { ...place, masks, open };
}

function rejectInput(): Promise<string> {
  const stdin = Promise.reject(new Error('no input'));
  stdin.catch(() => {});
  return stdin;
}

type Run = ExecResult & { isAhead: boolean };

/** Runs a command in a prestarted sandbox, after an action in between. */
async function run(
  sandbox: Sandbox,
  request: ExecRequest,
  { asked = {}, between }: { asked?: PrestartRequest; between?: () => unknown } = {},
): Promise<Run> {
  const end = await sandbox.prestart!(asked);
  await between?.();
  const result = await sandbox.exec(request);
  return { ...result, isAhead: !(await end()) };
}

describe.skipIf(!search.program)('a prestarted sandbox', () => {
  test.each<[string, ExecRequest['command']]>([
    ['a line', 'echo one; echo two >&2; exit 3'],
    ['several lines', 'cat <<EOF\n  a\\b \'c\' "d" $HOME\n\nEOF\nfalse || echo `pwd`\n\n'],
    ['an unfinished line', 'echo "'],
    ['text that is not ASCII', 'printf %s "ä€😀\r\t" | od -c'],
    ['words', ['printf', '%s|', '', "it's", 'a\nb', '-n', '$HOME', '*', '\\']],
    ['a missing program', ['no-such-program']],
    ['a line that is long', `echo ${'x'.repeat(7_000)}`],
    ['a line that is too long for the prelude', `echo ${'x'.repeat(90_000)}`],
    ['descriptors and variables', 'ls /proc/self/fd; set | grep -c "^script" ; env | sort'],
  ])('runs %s as any other', async (_, command) => {
    const { open } = openRepository();
    const sandbox = await open();
    const { isAhead, durationMs, ...ahead } = await run(sandbox, { command });
    const { durationMs: __, ...plain } = await sandbox.exec({ command });
    expect(durationMs).toBeGreaterThan(0);
    // The shell reports a line number of its own script.
    const toComparable = (result: object) => JSON.stringify(result).replaceAll(/klaus: \d+:/g, 'klaus:');
    expect(toComparable(ahead)).toBe(toComparable(plain));
    expect(isAhead).toBe(JSON.stringify(command).length < 8_000);
  });

  test('starts in the folder of the command, with its time limit', async () => {
    const { open, workspace } = openRepository();
    const sandbox = await open();
    const inside = await run(sandbox, { command: 'mkdir -p in/side && pwd', cwd: workspace });
    expect(inside).toMatchObject({ stdout: `${workspace}\n`, isAhead: true });
    expect(await run(sandbox, { command: 'pwd', cwd: join(workspace, 'in/side') })).toMatchObject({
      stdout: `${join(workspace, 'in/side')}\n`,
      isAhead: true,
    });
    const late = await run(sandbox, { command: 'sleep 3600', limits: { timeoutMs: 200 } });
    expect(late).toMatchObject({ timedOut: true, isAhead: true });
  });

  test.each<[string, Partial<ExecRequest>]>([
    ['a network', { network: true }],
    ['another variable', { env: { A: '1' } }],
    ['less memory', { limits: { memoryMb: 64 } }],
    ['a part of the files', { files: { read: [], write: [] } }],
  ])('is for no command that asks for %s', async (_, more) => {
    const { open } = openRepository();
    expect(await run(await open(), { command: 'echo "$A"', ...more })).toMatchObject({ isAhead: false, exitCode: 0 });
  });

  test.each<[string, () => Pick<ExecRequest, 'stdin'>, string]>([
    ['no input', () => ({}), '/dev/null\n'],
    ['a text', () => ({ stdin: 'one\ntwo' }), 'one\ntwo'],
    ['input that comes late', () => ({ stdin: new Promise((resolve) => setImmediate(() => resolve('late'))) }), 'late'],
    ['input that never comes', () => ({ stdin: rejectInput() }), ''],
  ])('gives a command %s', async (name, input, read) => {
    const { open } = openRepository();
    const sandbox = await open();
    const command = name === 'no input' ? 'readlink /proc/self/fd/0' : 'cat';
    expect(await sandbox.exec({ command, ...input() })).toMatchObject({ exitCode: 0, stdout: read });
    const end = await sandbox.prestart!({});
    expect(await sandbox.exec({ command, ...input() })).toMatchObject({ exitCode: 0, stdout: read });
    expect(await end()).toBe(false);
  });

  test('hides secret files that were created or rewritten later', async () => {
    const place = openRepository();
    const [kept, later] = [join(place.workspace, '.env'), join(place.workspace, 'later.env')];
    writeFileSync(kept, 'old-value\n');
    writeFileSync(later, 'late-value\n');
    place.masks.push(kept);
    const replace = () => {
      writeFileSync(`${kept}.new`, 'new-value\n');
      renameSync(`${kept}.new`, kept);
    };
    const sandbox = await place.open();
    const command = 'cat .env later.env';
    for (const between of [replace, () => void place.masks.push(later)]) {
      const { output } = await run(sandbox, { command }, { between });
      expect(output).not.toMatch(/(?:old|new)-value/);
    }
    expect((await run(sandbox, { command })).output).not.toMatch(/value/);
  });

  test.each([
    ['the configuration', 'config', 'printf "[core]\\n\\tfsmonitor = x\\n" >> .git/config'],
    ['a packed reference', 'packed-refs', 'true'],
  ])('protects %s of git from the command if the user has just written it', async (_, name, attack) => {
    const { open, workspace } = openRepository();
    git(workspace, 'pack-refs', '--all');
    const path = join(workspace, '.git', name);
    const write = () => {
      writeFileSync(`${path}.lock`, `${readFileSync(path, 'utf8')}# mine\n`);
      renameSync(`${path}.lock`, path);
    };
    await run(await open(), { command: attack }, { between: write });
    expect(readFileSync(path, 'utf8')).toMatch(/# mine\n$/);
  });

  test('neutralizes a repository of the command, and not one that the user created before it', async () => {
    const { open, workspace } = openRepository();
    const arm = (folder: string) => `git init -q ${folder} && git -C ${folder} config core.fsmonitor x`;
    const between = () => void execFileSync('sh', ['-c', arm('mine')], { cwd: workspace });
    const { warnings } = await run(await open(), { command: arm('planted') }, { between });
    expect(git(join(workspace, 'mine'), 'config', 'core.fsmonitor')).toBe('x\n');
    expect(warnings).toEqual([expect.stringContaining('planted')]);
    const end = await (await open()).prestart!({});
    execFileSync('sh', ['-c', arm('other')], { cwd: workspace });
    await end();
    expect(git(join(workspace, 'other'), 'config', 'core.fsmonitor')).toBe('x\n');
  });

  test('stores the objects that the command adds', async () => {
    const { open, workspace } = openRepository();
    const command = 'echo two > a.txt && git -c user.name=A -c user.email=a@b commit -qam second';
    expect(await run(await open(), { command })).toMatchObject({ exitCode: 0, isAhead: true });
    expect(git(workspace, 'log', '--format=%s', '-1')).toBe('second\n');
    git(workspace, 'fsck', '--strict', '--no-dangling');
    expect(listLeft(workspace)).toEqual([]);
  });

  test('leaves nothing when it is unused or replaced', async () => {
    const { open, workspace } = openRepository();
    const sandbox = await open();
    const first = await sandbox.prestart!({});
    const second = await sandbox.prestart!({ env: { MARK: `ahead-${process.pid}` } });
    expect(findProcesses(`ahead-${process.pid}`)).not.toEqual([]);
    expect([await second(), await second(), await first()]).toEqual([true, false, false]);
    expect(findProcesses(`ahead-${process.pid}`)).toEqual([]);
    expect(listLeft(workspace)).toEqual([]);
  });

  test('is made for a command that only reads once there was one', async () => {
    const place = openRepository();
    const sandbox = await place.open();
    const mark = `reading-${process.pid}`;
    const secret = join(place.workspace, 'secret.txt');
    const command = 'readlink /proc/self/ns/pid; cat secret.txt; touch b || echo refused';
    const request: ExecRequest = {
      command,
      onlyReads: true,
      env: { MARK: mark },
    };
    const none = await sandbox.prestart!({});
    expect(findProcesses(mark)).toEqual([]);
    await sandbox.exec(request);
    const end = await sandbox.prestart!({});
    await none();
    const waiting = findProcesses(mark).map((pid) => readlinkSync(`/proc/${pid}/ns/pid`));
    writeFileSync(secret, 'masked\n');
    place.masks.push(secret);
    const other = await sandbox.exec({
      ...request,
      command: ['sh', '-c', command],
      env: {},
    });
    const { stdout } = await sandbox.exec(request);
    expect(waiting).not.toContain(other.stdout.split('\n')[0]);
    expect(stdout).toMatch(/refused\n$/);
    expect(stdout).not.toContain('masked');
    writeFileSync(secret, '');
    place.masks.pop();
    const again = await sandbox.prestart!({});
    await end();
    const ready = findProcesses(mark).map((pid) => readlinkSync(`/proc/${pid}/ns/pid`));
    const [namespace] = (await sandbox.exec(request)).stdout.split('\n');
    expect(ready).toContain(namespace);
    const last = await sandbox.prestart!({});
    await again();
    expect(findProcesses(mark)).not.toEqual([]);
    expect(await last()).toBe(true);
    expect(findProcesses(mark)).toEqual([]);
    expect(listLeft(place.workspace)).toEqual([]);
  });

  test('is replaced when it has ended', async () => {
    const { open } = openRepository();
    const mark = `ended-${process.pid}`;
    const env = { MARK: mark };
    const between = () => {
      for (const pid of findProcesses(mark)) process.kill(pid, 'SIGKILL');
      return expect.poll(() => findProcesses(mark)).toEqual([]);
    };
    expect(await run(await open(), { command: 'echo $MARK', env }, { asked: { env }, between })).toMatchObject({
      stdout: `${mark}\n`,
      exitCode: 0,
    });
  });

  test('serves one of several concurrent commands', async () => {
    const { open } = openRepository();
    const sandbox = await open();
    const end = await sandbox.prestart!({});
    const results = await Promise.all(['a', 'b', 'c'].map((word) => sandbox.exec({ command: `echo ${word}` })));
    expect(results.map(({ stdout }) => stdout)).toEqual(['a\n', 'b\n', 'c\n']);
    expect(await end()).toBe(false);
  });

  test(
    'reuses stores and placeholders of the previous command, unless that command added objects',
    { tags: ['long'] },
    async () => {
      const { open, workspace } = openRepository();
      const sandbox = await open();
      const intakes = () => readdirSync(join(workspace, '.git/objects')).filter((name) => name.startsWith('klaus-'));
      const hash = 'echo new > b.txt && git hash-object -w b.txt';
      const spoil = 'echo /tmp >> .git/objects/info/alternates';
      let end = await sandbox.prestart!({});
      const seen: string[][] = [];
      for (const command of ['true', 'git status --short', hash, 'git gc -q --prune=now; true', spoil, 'git fsck']) {
        expect(await sandbox.exec({ command })).toMatchObject({ exitCode: 0 });
        const before = end;
        end = await sandbox.prestart!({});
        expect(await before()).toBe(false);
        seen.push(intakes());
        // The placeholders are the same as in a sandbox that is created for the command.
        expect(listLeft(workspace).slice(0, 3)).toEqual(['.klaus', '.git/commondir', '.git/objects/info/alternates']);
      }
      expect(seen.map((names) => names.length)).toEqual(Array(6).fill(1));
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).not.toEqual(seen[1]);
      expect(seen[4]).not.toEqual(seen[3]);
      expect(git(workspace, 'cat-file', '-p', git(workspace, 'hash-object', 'b.txt').trim())).toBe('new\n');
      expect(await end()).toBe(true);
      expect(listLeft(workspace)).toEqual([]);
      expect(existsSync(join(workspace, '.git/objects/info/alternates'))).toBe(false);
    },
  );

  test('reusable stores are closed when no command follows', { tags: ['long'] }, async () => {
    const { open, workspace } = openRepository();
    const sandbox = await open();
    const end = await sandbox.prestart!({});
    await sandbox.exec({ command: 'true' });
    expect(listLeft(workspace)).not.toEqual([]);
    expect(await end()).toBe(false);
    expect(listLeft(workspace)).toEqual([]);
    const again = await sandbox.prestart!({});
    await sandbox.exec({ command: 'true' });
    // A sandbox that is not prestarted reuses them too.
    await sandbox.exec({ command: 'true', env: { A: '1' } });
    expect(listLeft(workspace)).toEqual([]);
    expect(await again()).toBe(false);
  });

  test('is not created if a snapshot of the workspace would show its placeholders', async () => {
    const { open, workspace } = openRepository();
    git(workspace, 'config', 'include.path', '../missing.gitconfig');
    const end = await (await open()).prestart!({});
    expect(existsSync(join(workspace, 'missing.gitconfig'))).toBe(false);
    await end();
    expect(listLeft(workspace)).toEqual([]);
  });

  test('ends with a killed Klaus process', async () => {
    const { workspace, home } = openRepository();
    const mark = `killed-${process.pid}`;
    const fixture = join(import.meta.dirname, '../prestart-child.fixture.ts');
    const klaus = spawn(process.execPath, [fixture, workspace, home, mark], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(klaus.stdout, 'data');
    expect(findProcesses(mark).length).toBeGreaterThan(1);
    klaus.kill('SIGKILL');
    await once(klaus, 'exit');
    expect(await eventually(() => findProcesses(mark).length === 0)).toBe(true);
    // The next sandbox removes its placeholders.
    const sandbox = await createSandbox({ workspace, home, choice: 'bubblewrap' });
    await sandbox.exec({ command: 'true' });
    expect(readdirSync(join(workspace, '.git/objects')).filter((name) => name.startsWith('klaus-'))).toEqual([]);
  });
});

/** Files that only a running command needs in a repository. */
function listLeft(workspace: string): string[] {
  const places = ['.klaus', '.git/commondir', '.git/objects/info/alternates'];
  return [
    ...places.filter((path) => existsSync(join(workspace, path))),
    ...readdirSync(join(workspace, '.git/objects')).filter((name) => name.startsWith('klaus-')),
  ];
}
