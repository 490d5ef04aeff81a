import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeIdleContainers, createSandbox, probeSandboxes, type CreateSandboxOptions } from '../index.ts';
import { ownName } from '../process/owner.ts';
import { createSandboxFixture, eventually, findProcesses } from '../sandbox.fixture.ts';
import { startEngine } from './dockerd.fixture.ts';

const place = createSandboxFixture();
const started = await startEngine();
const outer = process.env['DOCKER_HOST'];
const containers = () => execFileSync('docker', ['ps', '--all', '--quiet'], { encoding: 'utf8' }).trim();

beforeAll(() => void (process.env['DOCKER_HOST'] = started.engine?.host ?? outer));
afterAll(async () => {
  if (outer === undefined) delete process.env['DOCKER_HOST'];
  else process.env['DOCKER_HOST'] = outer;
  await started.engine?.close();
  place[Symbol.dispose]();
}, 60_000);

function open(more: Partial<CreateSandboxOptions> = {}) {
  const masks = async () => [join(place.workspace, '.env')];
  return createSandbox({ ...place, dockerEnabled: true, image: started.engine!.image, masks, ...more });
}

/** Runs a command in a container that no other one uses. */
async function run(command: ExecRequest['command'], more: Partial<ExecRequest> = {}) {
  const result = await (await open()).exec({ command, ...more });
  await closeIdleContainers();
  return result;
}

describe.skipIf(!started.engine)(`docker ${started.engine ? '' : `(${started.reason})`}`, { timeout: 60_000 }, () => {
  test('is found', async () => {
    const { image } = started.engine!;
    const ready = expect.objectContaining({ name: 'docker', available: true, detail: expect.stringContaining(image) });
    expect(await probeSandboxes({ ...place, image })).toContainEqual(ready);
    expect(await probeSandboxes({ ...place, image: 'absent:1' })).toContainEqual({
      name: 'docker',
      available: false,
      reason: expect.stringContaining('absent:1'),
      fix: expect.stringContaining('docker pull absent:1'),
    });
  });

  test("writes the workspace at its own path, as the workspace's owner", async () => {
    chownSync(place.workspace, 1234, 1234);
    const result = await run('pwd; id -u; echo new > made; touch /x /usr/x; ls /root /home');
    expect(result.stdout).toBe(`${place.workspace}\n1234\n`);
    expect(statSync(join(place.workspace, 'made')).uid).toBe(1234);
    chownSync(place.workspace, 0, 0);
  });

  test('passes input, words, exit codes and long output', { tags: ['long'] }, async () => {
    expect(await run(['printf', '%s|', 'a b', '$HOME'])).toMatchObject({ stdout: 'a b|$HOME|', exitCode: 0 });
    expect(await run('cat; echo e >&2; exit 7', { stdin: 'größe' })).toMatchObject({
      stdout: 'größe',
      stderr: 'e\n',
      exitCode: 7,
    });
    expect(await run(['no-such-program'])).toMatchObject({ exitCode: 127 });
    const lines = "it's\n\n'two' \\n lines\n";
    expect(await run(['printf', '%s|', lines, ''], { stdin: 'unread' })).toMatchObject({ stdout: `${lines}||` });
    const env = { LINES: lines, 'a.b': 'dotted' };
    expect(await run('printf %s "$LINES$count$go$script"', { env })).toMatchObject({ stdout: lines });
    // A shell would drop a variable with such a name.
    expect((await run(['env'], { env })).stdout).toContain('\na.b=dotted\n');
    const long = await run('yes | head -c 3000000', { keepBytes: 1_000 });
    expect(long).toMatchObject({ truncated: true, exitCode: 0 });
  });

  test('has no network, no other files, no capabilities, and masks hold', async () => {
    writeFileSync(join(place.workspace, '.env'), 'KEY=secret');
    writeFileSync(join(place.home, 'klaus.db'), 'secret');
    const result = await run(
      `cat .env; umount .env; cat .env; cat ${place.home}/klaus.db; tail -n +3 /proc/net/dev; grep CapEff /proc/self/status; touch "$HOME/kept"`,
    );
    expect(result.output).not.toContain('secret');
    expect(result.stdout.match(/^\s*\w+:/gm)?.filter((line) => !line.includes('CapEff'))).toEqual([
      expect.stringMatching(/lo:/),
    ]);
    expect(result.stdout).toMatch(/CapEff:\s+0{16}/);
  });

  test("git's configuration and hooks are read-only, and another folder can replace the workspace", async () => {
    execFileSync('git', ['init', '-q', place.workspace]);
    rmSync(join(place.workspace, '.git/hooks'), { recursive: true });
    const kept = join(place.workspace, 'kept');
    writeFileSync(kept, 'one');
    const attack =
      'echo x >> .git/config; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; mkdir .klaus/x; rm -rf .git/config; echo x > kept; echo x > free; ls .git/config';
    const before = readFileSync(join(place.workspace, '.git/config'), 'utf8');
    const held = await run(attack, { protect: [kept] });
    expect(held.stdout).toBe('.git/config\n');
    expect(readFileSync(join(place.workspace, '.git/config'), 'utf8')).toBe(before);
    expect(readFileSync(kept, 'utf8')).toBe('one');
    expect(
      ['.git/hooks', '.git/commondir', '.klaus'].filter((name) => existsSync(join(place.workspace, name))),
    ).toEqual([]);
    const copy = join(place.root, 'copy');
    execFileSync('cp', ['-a', place.workspace, copy]);
    writeFileSync(join(copy, '.env'), 'KEY=secret');
    const other = await run('pwd; cat .env; echo new > fresh; echo x >> .git/config', { workspaceAt: copy });
    expect(other.stdout).toBe(`${place.workspace}\n`);
    expect(existsSync(join(place.workspace, 'fresh'))).toBe(false);
    expect(existsSync(join(copy, 'fresh'))).toBe(true);
    expect(readFileSync(join(copy, '.git/config'), 'utf8')).toBe(before);
    rmSync(join(place.workspace, '.git'), { recursive: true });
  });

  test('a folder outside the workspace can be changed except its git data, and another can replace it', async () => {
    const extra = join(place.root, 'extra');
    const replacement = join(place.root, 'replacement');
    for (const folder of [extra, replacement]) mkdirSync(folder);
    execFileSync('git', ['init', '-q', extra]);
    const before = readFileSync(join(extra, '.git/config'), 'utf8');
    const attack = `cd ${extra}; echo x > made; echo x >> .git/config; echo x > .git/hooks/post-checkout; ls -A`;
    expect((await run(attack, { readable: [extra] })).stdout).toBe('.git\n');
    expect((await run(attack, { readable: [extra], writable: [extra] })).stdout).toBe('.git\n.klaus\nmade\n');
    expect([existsSync(join(extra, 'made')), existsSync(join(extra, '.git/hooks/post-checkout'))]).toEqual([
      true,
      false,
    ]);
    expect(readFileSync(join(extra, '.git/config'), 'utf8')).toBe(before);
    const besideAt = [{ path: extra, folder: replacement }];
    const request = { workspaceAt: place.workspace, readable: [extra], writable: [extra], besideAt };
    await run(`echo x > ${extra}/fresh`, request);
    expect([extra, replacement].map((folder) => existsSync(join(folder, 'fresh')))).toEqual([false, true]);
  });

  test('no socket of the machine is reachable', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).end('through'));
    await once(server.listen(join(place.workspace, 'app.sock')), 'listening');
    const kind = await run('test -S app.sock && echo socket; test -e app.sock && echo there');
    expect(kind.stdout).toBe('there\n');
    await new Promise((resolve) => server.close(resolve));
  });

  test("git's objects cannot be damaged, and new ones are stored", async () => {
    const git = (...words: string[]) => execFileSync('git', words, { cwd: place.workspace, encoding: 'utf8' }).trim();
    git('init', '-q');
    writeFileSync(join(place.workspace, 'file'), 'one');
    const id = git('hash-object', '-w', 'file');
    // An object with its correct name, as git in the container would write it.
    const content = 'blob 4\0new\n';
    const name = createHash('sha1').update(content).digest('hex');
    writeFileSync(join(place.workspace, 'object'), deflateSync(content));
    const added = `${name.slice(0, 2)}/${name.slice(2)}`;
    const add = `mkdir -p .git/objects/${name.slice(0, 2)}; cp object .git/objects/${added}`;
    await run(
      `${add}; rm -rf .git/objects/${id.slice(0, 2)}; find .git/objects -type f -exec rm -f {} +; ${add}; mkdir -p .git/objects/aa; echo forged > .git/objects/aa/${'b'.repeat(38)}`,
    );
    expect(git('cat-file', '-p', id)).toBe('one');
    expect(git('cat-file', '-p', name)).toBe('new');
    expect(existsSync(join(place.workspace, '.git/objects/aa', 'b'.repeat(38)))).toBe(false);
    rmSync(join(place.workspace, 'object'));
    rmSync(join(place.workspace, '.git'), { recursive: true });
    rmSync(join(place.workspace, 'file'));
  });

  test('a session has a home of its own, whose configuration no command writes', async () => {
    const { image } = started.engine!;
    const one = await open({ session: 'one' });
    const command = 'echo x > ~/.npmrc; mkdir -p ~/.config/git; mv ~/.cargo ~/x; echo kept > ~/note; cat ~/note';
    expect((await one.exec({ command })).stdout).toBe('kept\n');
    expect((await one.exec({ command: 'cat ~/note; cat ~/.npmrc; ls -A ~/.config; ls -d ~/x' })).stdout).toBe('kept\n');
    expect((await (await open({ session: 'two' })).exec({ command: 'cat ~/note' })).exitCode).not.toBe(0);
    writeFileSync(join(place.workspace, '.npmrc'), 'script-shell=/bin/true\n');
    expect(await one.inspect?.([], [''])).toMatchObject({ path: image, shell: '/bin/true', home: [] });
    await closeIdleContainers();
    rmSync(join(place.workspace, '.npmrc'));
  });

  test('the seccomp profile is active', async () => {
    const script =
      "const {spawnSync} = require('child_process'); const net = require('net');" +
      "console.log(require('fs').readFileSync('/proc/self/status', 'utf8').match(/Seccomp:\\s+(\\d)/)[1]);" +
      "try { require('os').networkInterfaces() } catch (error) { console.log(error.info.errno) }" +
      "new (require('worker_threads').Worker)('', { eval: true }).on('exit', () => console.log('thread'));";
    expect((await run(['node', '-e', script])).stdout).toBe('2\n97\nthread\n');
  });

  test('time-out, abort and the end of the command leave nothing', async () => {
    const mark = `3600.${process.pid}91`;
    const tree = `(setsid sleep ${mark} &); sleep ${mark}`;
    expect(await run(`trap "" TERM; ${tree}`, { limits: { timeoutMs: 300 } })).toMatchObject({ timedOut: true });
    const controller = new AbortController();
    const cut = await run(`echo up; ${tree}`, { signal: controller.signal, onOutput: () => controller.abort() });
    expect(cut).toMatchObject({ cancelled: true });
    expect(await run(`(setsid sleep ${mark} >/dev/null 2>&1 &); echo done`)).toMatchObject({ stdout: 'done\n' });
    expect(findProcesses(mark)).toEqual([]);
    expect(containers()).toBe('');
  });

  test('the commands of a session use one container until something changes', { tags: ['long'] }, async () => {
    const secret = join(place.workspace, '.env');
    writeFileSync(secret, 'KEY=secret');
    execFileSync('git', ['init', '-q', place.workspace]);
    const commands = async (...lines: string[]) => {
      const ids = new Set<string>();
      for (const command of lines) {
        const result = await (await open({ session: 'warm' })).exec({ command });
        expect(result.output).not.toContain('secret');
        ids.add(containers());
      }
      return [...ids];
    };
    const one = await commands('echo x > made', 'cat .env; cat made', 'kill -9 $$', 'exit 3');
    expect(one).toEqual([expect.stringMatching(/^\w+$/)]);
    // The editor of a user replaces the file, and with it the mount that hides it.
    writeFileSync(`${secret}.new`, 'KEY=secret');
    renameSync(`${secret}.new`, secret);
    const two = await commands('cat .env', 'cat .env');
    expect(two).toEqual([expect.stringMatching(/^\w+$/)]);
    expect(two).not.toEqual(one);
    execFileSync('git', ['config', 'user.name', 'A'], { cwd: place.workspace });
    const three = await commands('echo x >> .git/config', 'cat .env');
    expect(three).not.toEqual(two);
    expect(readFileSync(join(place.workspace, '.git/config'), 'utf8')).not.toContain('x\n');
    expect(await commands('echo x > /tmp/left', 'ls -A /tmp')).toEqual(['', expect.stringMatching(/^\w+$/)]);
    await closeIdleContainers();
    expect(containers()).toBe('');
    expect(['.klaus', '.git/commondir'].filter((name) => existsSync(join(place.workspace, name)))).toEqual([]);
    for (const name of ['.git', '.env', 'made']) rmSync(join(place.workspace, name), { recursive: true });
  });

  test('commands that run at the same time have containers of their own', async () => {
    const sandbox = await open();
    const both = await Promise.all(
      ['echo a > a; until [ -e b ]; do sleep 0.1; done', 'until [ -e a ]; do sleep 0.1; done; echo b > b'].map(
        (command) => sandbox.exec({ command }),
      ),
    );
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(containers()).toMatch(/^\w+$/);
    await closeIdleContainers();
    for (const name of ['a', 'b']) rmSync(join(place.workspace, name));
  });

  test('a program that gets messages while it runs has a container of its own, and ends with its caller', async () => {
    const sandbox = await open({ session: 'long' });
    await sandbox.exec({ command: 'true' });
    const warm = containers();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const stop = new AbortController();
    let answers = '';
    const running = sandbox.exec({
      command: 'while read -r line; do echo "got $line"; done',
      stdin: readable,
      signal: stop.signal,
      onOutput: (chunk) => void (answers += Buffer.from(chunk).toString()),
    });
    await writer.write(Buffer.from('one\n'));
    expect(await eventually(() => answers === 'got one\n')).toBe(true);
    // Commands of the session still use theirs.
    expect((await sandbox.exec({ command: 'echo here' })).stdout).toBe('here\n');
    expect(containers().split('\n')).toEqual(expect.arrayContaining([warm]));
    await writer.write(Buffer.from('two\n'));
    expect(await eventually(() => answers === 'got one\ngot two\n')).toBe(true);
    stop.abort();
    expect(await running).toMatchObject({ cancelled: true });
    expect(containers()).toBe(warm);
    await closeIdleContainers();
    expect(containers()).toBe('');
  });

  test('a container that ends under its command is a failure of the sandbox, and the next command gets a new one', async () => {
    const sandbox = await open();
    const ended = sandbox.exec({
      command: 'echo up; sleep 3600',
      onOutput: () => void execFileSync('docker', ['kill', containers()]),
    });
    await expect(ended).rejects.toMatchObject({ code: 'sandbox.failed' });
    // Messages of the engine in the output of a command are only output.
    const command = 'echo "Error response from daemon: no" >&2; exit 1';
    expect(await sandbox.exec({ command })).toMatchObject({ exitCode: 1, stderr: 'Error response from daemon: no\n' });
    await closeIdleContainers();
  });

  test('a command cannot reach the process that holds its container', async () => {
    const sandbox = await open();
    const holder = "$(ls /proc | grep '^[0-9]' | sort -n | head -n 2 | tail -n 1)";
    const attack = `for id in 1 ${holder}; do kill -KILL $id || echo refused; cat /proc/$id/environ || echo hidden; done; id -u`;
    expect((await sandbox.exec({ command: attack })).stdout).toBe('refused\nhidden\nrefused\nhidden\n0\n');
    // All of its processes, also the shell that waits for it.
    expect((await sandbox.exec({ command: 'kill -KILL -1; echo next' })).stdout).toBe('next\n');
    expect((await sandbox.exec({ command: 'echo next' })).stdout).toBe('next\n');
    expect(containers()).toMatch(/^\w+$/);
    await closeIdleContainers();
  });

  test('a Klaus process that is killed at any moment leaves no container', { tags: ['long'] }, async () => {
    const mark = `3600.${process.pid}92`;
    const began = join(place.workspace, 'began');
    for (let round = 0; round < 7; round++) {
      rmSync(began, { force: true });
      const klaus = spawn(
        process.execPath,
        [
          join(import.meta.dirname, '../exec-child.fixture.ts'),
          'docker',
          place.workspace,
          place.home,
          `echo > began; (setsid sleep ${mark} &); sleep ${mark}`,
          '1',
          started.engine!.image,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'], detached: true },
      );
      await once(klaus.stdout, 'data');
      // The last rounds kill it while the command runs, the others during the start.
      if (round >= 5) expect(await eventually(() => existsSync(began))).toBe(true);
      else for (let turn = 0; turn < round * 8_000; turn++) await new Promise(setImmediate);
      // The last one also kills the clients of the engine.
      process.kill(round === 6 ? -klaus.pid! : klaus.pid!, 'SIGKILL');
      await once(klaus, 'exit');
      const isClean = () =>
        findProcesses(mark).length === 0 &&
        findProcesses('\0--label\0klaus.owner=').length === 0 &&
        containers() === '';
      expect(await eventually(isClean), `round ${round}`).toBe(true);
    }
  });

  test('a container that was never started is removed by the next Klaus process', async () => {
    const gone = spawn('true');
    await once(gone, 'exit');
    const owner = ownName().replace(/-\d+-\d+$/, `-${gone.pid}-1`);
    execFileSync('docker', ['create', '--label', `klaus.owner=${owner}`, started.engine!.image, 'true']);
    execFileSync('docker', [
      'create',
      '--name',
      'other',
      '--label',
      `klaus.owner=${ownName()}`,
      started.engine!.image,
      'true',
    ]);
    await run('true');
    expect(execFileSync('docker', ['ps', '--all', '--format', '{{.Names}}'], { encoding: 'utf8' }).trim()).toBe(
      'other',
    );
    execFileSync('docker', ['rm', 'other']);
  });

  test('a command that reaches the memory limit says so, also if its container ends', async () => {
    const limits = { memoryMb: 40 };
    for (const command of [
      'head -c 120000000 /dev/zero > /tmp/big',
      'head -c 120000000 /dev/zero | tail -c 110000000',
    ]) {
      const { exceeded } = await run(command, { limits });
      expect(exceeded, command).toEqual([expect.stringContaining('40 MiB')]);
    }
    expect(await run('echo next')).toMatchObject({ stdout: 'next\n' });
  });

  test('limits are passed on', async () => {
    expect(
      (await run(['node', '-e', 'const a = []; for (;;) a.push(Buffer.alloc(1e6, 1));'], { limits: { memoryMb: 100 } }))
        .exitCode,
    ).toBe(137);
    const bomb = await run('i=0; while [ $i -lt 300 ]; do sleep 3600 & i=$((i+1)); done; echo all', {
      limits: { processes: 40 },
    });
    expect(bomb.stdout).not.toContain('all');
  });

  test('a missing image is reported with the fix', async () => {
    const sandbox = await createSandbox({ ...place, choice: 'docker', image: 'nowhere:1' });
    await expect(sandbox.exec({ command: 'true' })).rejects.toMatchObject({
      code: 'sandbox.failed',
      hint: expect.stringContaining('docker pull nowhere:1'),
    });
  });
});
