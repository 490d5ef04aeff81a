import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ExecRequest, ExecResult } from '@klaus/core/agent';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCgroupSites } from '../cgroup/cgroup-mounts.ts';
import { sweepGroups } from '../cgroup/resource-group.ts';
import { createSandbox, type SandboxOptions } from '../index.ts';
import { createSandboxFixture, eventually, findProcesses } from '../sandbox.fixture.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

const place = createSandboxFixture();
const search = await findBubblewrap(place);
const sites = readCgroupSites();
afterAll(() => {
  place[Symbol.dispose]();
  sweepGroups(Object.values(sites).flatMap((site) => site.parents));
});

async function run(
  command: ExecRequest['command'],
  more: Partial<ExecRequest> = {},
  at: SandboxOptions = place,
): Promise<ExecResult> {
  const sandbox = await createSandbox({ ...at, choice: 'bubblewrap' });
  return sandbox.exec({ command, ...more });
}

describe.skipIf(!search.program)(`bubblewrap ${search.program ? '' : `(${search.reason})`}`, () => {
  test('writes the workspace at its own path and nothing else', async () => {
    writeFileSync(join(place.root, 'outside'), 'untouched');
    const result = await run(
      `pwd; echo new > made; for f in / /etc /usr /var ${homedir()}; do touch "$f/x" && echo "wrote $f"; done`,
    );
    expect(result.stdout).toBe(`${place.workspace}\n`);
    // The rest of /tmp belongs to the command and is removed with it.
    await run(`echo over > ${place.root}/outside; touch ${place.root}/x`);
    expect(readFileSync(join(place.root, 'outside'), 'utf8')).toBe('untouched');
    expect(readFileSync(join(place.workspace, 'made'), 'utf8')).toBe('new\n');
    expect(existsSync(join(place.root, 'x'))).toBe(false);
  });

  test('a command that only reads can change neither the workspace nor its repository', async () => {
    using own = createSandboxFixture();
    const git = (...words: string[]) => execFileSync('git', ['-C', own.workspace, ...words], { stdio: 'pipe' });
    git('init', '-q');
    writeFileSync(join(own.workspace, 'a.txt'), 'a\n');
    const command = 'cat a.txt; git status --porcelain; touch b .git/x .git/objects/x a.txt || echo refused; ls -A';
    const result = await run(command, { onlyReads: true }, own);
    expect(result.stdout).toBe('a\n?? a.txt\nrefused\n.git\na.txt\n');
    expect(existsSync(join(own.workspace, '.git/objects/info/alternates'))).toBe(false);
  });

  test('a command that only reads in a linked worktree sees its repository', async () => {
    using own = createSandboxFixture();
    const main = join(own.root, 'main');
    const git = (...words: string[]) => execFileSync('git', ['-C', main, ...words], { stdio: 'pipe' });
    mkdirSync(main);
    git('init', '-q');
    git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-q', '--allow-empty', '-m', 'first');
    git('worktree', 'add', '-q', '-f', own.workspace);
    const result = await run('git log --format=%s', { onlyReads: true }, own);
    expect(result.stdout).toBe('first\n');
  });

  test("shows neither the user's home nor Klaus's own state", async () => {
    writeFileSync(join(place.home, 'klaus.db'), 'secret');
    const result = await run(
      `ls -A ${place.root} ${place.home} ${homedir()} | sort; cat ${place.home}/klaus.db /etc/shadow`,
    );
    expect(result.exitCode).not.toBe(0);
    expect(result.stdout).not.toContain('klaus.db');
    expect(result.stdout).not.toContain('.ssh');
    expect(result.output).not.toContain('secret');
  });

  test("hides Klaus's own state inside a workspace too", async () => {
    using nested = createSandboxFixture();
    const home = join(nested.workspace, '.state');
    mkdirSync(home);
    writeFileSync(join(home, 'klaus.db'), 'secret');
    const result = await run('ls .state; cat .state/klaus.db; touch "$HOME/kept"', {}, { ...nested, home });
    expect(result.output).not.toContain('secret');
    expect(result.stdout).toBe('cache\n');
  });

  test("refuses to mount Klaus's own state", async () => {
    await expect(run('true', { binds: [{ path: place.home, writable: false }] })).rejects.toMatchObject({
      code: 'sandbox.failed',
    });
  });

  test("passes nothing of Klaus's environment, and keeps HOME between commands of a session", async () => {
    process.env['PLANTED_TOKEN'] = 'secret-value';
    try {
      const session = { ...place, session: 'one' };
      const first = await run('env; echo kept > "$HOME/note"', { env: { GIVEN: 'by request' } }, session);
      expect(first.stdout).not.toContain('secret-value');
      expect(first.stdout).toContain('GIVEN=by request');
      expect((await run('cat "$HOME/note"', {}, session)).stdout).toBe('kept\n');
    } finally {
      delete process.env['PLANTED_TOKEN'];
    }
  });

  test('has no network unless it is requested', async () => {
    const list = 'cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d " " | sort | tr "\\n" " "';
    expect((await run(list)).stdout.trim()).toBe('lo');
    const outside = execFileSync('/bin/sh', ['-c', list], { encoding: 'utf8' }).trim();
    expect((await run(list, { network: true })).stdout.trim()).toBe(outside);
  });

  test('hides masked files, also from root, which could unmount', async () => {
    writeFileSync(join(place.workspace, '.env'), 'KEY=secret');
    const sandbox = await createSandbox({
      ...place,
      choice: 'bubblewrap',
      masks: async () => [join(place.workspace, '.env'), '/nowhere'],
    });
    const result = await sandbox.exec({ command: 'cat .env; umount .env; cat .env; echo over > .env; rm .env' });
    expect(result.output).not.toContain('secret');
    expect(readFileSync(join(place.workspace, '.env'), 'utf8')).toBe('KEY=secret');
  });

  test('git works with new and existing files', async () => {
    using repository = createSandboxFixture();
    execFileSync('git', ['init', '-q', repository.workspace]);
    writeFileSync(join(repository.workspace, 'a.txt'), 'one\n');
    const identity = {
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@b',
    };
    const result = await run(
      'git add -A && git commit -qm first && git log --format=%s',
      { env: identity },
      repository,
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: 'first\n' });
  });

  test("the project's own test runner works", async () => {
    using project = createSandboxFixture();
    writeFileSync(
      join(project.workspace, 'package.json'),
      JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    );
    writeFileSync(
      join(project.workspace, 'sum.test.js'),
      "import test from 'node:test'; import os from 'node:os'; import { Worker } from 'node:worker_threads';" +
        "test('runs', async () => { os.userInfo(); await new Promise((r) => new Worker('', { eval: true }).on('exit', r)); });",
    );
    const result = await run('npm test', {}, project);
    expect(result.stdout).toMatch(/pass 1\b/);
    expect(result.exitCode).toBe(0);
  });

  test('passes input, words and exit codes exactly', async () => {
    expect(await run(['printf', '%s|', 'a b', '$HOME', '*'])).toMatchObject({ stdout: 'a b|$HOME|*|', exitCode: 0 });
    expect(await run('cat; exit 7', { stdin: 'größe' })).toMatchObject({ stdout: 'größe', exitCode: 7 });
    expect(await run(['no-such-program'])).toMatchObject({ exitCode: 127 });
    expect((await run('kill -KILL $$')).exitCode).toBe(137);
    expect((await run('echo words > /dev/stderr')).stderr).toBe('words\n');
  });

  test('starts only inside the workspace', async () => {
    mkdirSync(join(place.workspace, 'sub'), { recursive: true });
    expect((await run('pwd', { cwd: join(place.workspace, 'sub') })).stdout).toBe(`${place.workspace}/sub\n`);
    await expect(run('pwd', { cwd: `${place.workspace}-evil` })).rejects.toMatchObject({ code: 'workspace.outside' });
  });

  test('a time-out ends the complete process tree', async () => {
    const mark = `3600.${process.pid}1`;
    const result = await run(`trap "" TERM; (setsid sh -c 'trap "" TERM; sleep ${mark} & wait' &); sleep ${mark}`, {
      limits: { timeoutMs: 200 },
    });
    expect(result).toMatchObject({ timedOut: true, cancelled: false });
    expect(findProcesses(mark)).toEqual([]);
  });

  test('an abort ends the complete process tree after a grace period', async () => {
    const controller = new AbortController();
    const mark = `3600.${process.pid}2`;
    const result = await run(`trap 'echo goodbye; exit' TERM; sleep ${mark} & echo up; wait`, {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(result).toMatchObject({ cancelled: true, timedOut: false });
    expect(result.stdout).toContain('goodbye');
    expect(findProcesses(mark)).toEqual([]);
  });

  test('a command that is cancelled before its start does not run, and its sandbox is removed', async () => {
    const mark = `3600.${process.pid}7`;
    for (let attempt = 0; attempt < 5; attempt++)
      expect(await run(`echo ran; sleep ${mark}`, { signal: AbortSignal.abort() })).toMatchObject({
        cancelled: true,
        stdout: '',
      });
    expect(findProcesses(mark)).toEqual([]);
  });

  test('background processes of a command end with it', async () => {
    const mark = `3600.${process.pid}3`;
    expect(await run(`(setsid sleep ${mark} >/dev/null 2>&1 &) ; echo done`)).toMatchObject({
      stdout: 'done\n',
      exitCode: 0,
    });
    expect(findProcesses(mark)).toEqual([]);
  });

  test('long output is streamed completely and stored partly', async () => {
    let bytes = 0;
    const result = await run('head -c 23000000 /dev/zero | tr "\\0" a; echo end', {
      keepBytes: 100_000,
      onOutput: (chunk) => void (bytes += chunk.length),
    });
    expect(bytes).toBe(23_000_004);
    expect(result.truncated).toBe(true);
    expect(result.stdout.length).toBeLessThan(101_000);
    expect(result.stdout).toContain('22,900,004');
    expect(result.stdout.endsWith('aend\n')).toBe(true);
    expect(result.output.length).toBeLessThan(101_000);
  });
});

const hasGroups = process.getuid?.() === 0 && sites.memory !== undefined && sites.pids !== undefined;

describe.skipIf(!search.program || !hasGroups)('limits by control group', () => {
  test('memory: the sum of all processes', async () => {
    const eat = 'const a = []; for (;;) a.push(Buffer.alloc(1e6, 1));';
    const result = await run(['node', '-e', eat], { limits: { memoryMb: 100 } });
    expect(result.exitCode).toBe(137);
    expect(result.exceeded).toEqual([expect.stringMatching(/^memory: .*100 MiB/)]);
    expect(result.unenforced).toEqual([]);
  });

  test('processes: a fork bomb stays small', async () => {
    // Not by Bash itself, which tries a refused fork again for 15 seconds.
    const result = await run("sh -c 'i=0; while [ $i -lt 300 ]; do sleep 3600 & i=$((i+1)); done; echo all'", {
      limits: { processes: 40 },
    });
    expect(result.stdout).not.toContain('all');
    expect(result.exceeded).toEqual([expect.stringMatching(/^processes: .*40$/)]);
  });
});

describe.skipIf(!search.program)('when Klaus is killed', () => {
  beforeAll(async () => void (await run('true')));

  test('at any moment, nothing is left', async () => {
    const mark = `3600.${process.pid}4`;
    const command = `(setsid sh -c 'sleep ${mark} & sleep ${mark}' &); sleep ${mark}`;
    const fixture = join(import.meta.dirname, '../exec-child.fixture.ts');
    const rounds = Number(process.env['KLAUS_ORPHAN_ROUNDS'] ?? 4);
    for (let round = 0; round < rounds; round++) {
      const klaus = spawn(process.execPath, [fixture, 'bubblewrap', place.workspace, place.home, command, '3'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(klaus.stdout, 'data');
      // Any moment of the start, in turns of the event loop, up to about 50 ms.
      // Every fourth time only when a command runs.
      if (round % 4 === 3) expect(await eventually(() => findProcesses(`sleep\0${mark}`).length > 0)).toBe(true);
      else for (let turn = 0; turn < (round % 20) ** 2 * 25; turn++) await new Promise(setImmediate);
      klaus.kill('SIGKILL');
      await once(klaus, 'exit');
      const isClean = () => findProcesses(mark).length === 0;
      expect(await eventually(isClean), `round ${round}: ${findProcesses(mark).join(' ')}`).toBe(true);
    }
  }, 300_000);
});
