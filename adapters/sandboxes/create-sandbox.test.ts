import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toInstallLine } from './availability.ts';
import { explainFailure, findBubblewrap } from './bubblewrap/find-bubblewrap.ts';
import { toExecLimits } from './exec-limits.ts';
import { createSandbox, probeSandboxes } from './index.ts';
import { createSandboxFixture } from './sandbox.fixture.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const search = await findBubblewrap(place);
const hasBubblewrap = search.program !== undefined;

describe('the choice, on a machine with nothing', () => {
  const path = process.env['PATH'];
  const docker = process.env['DOCKER_HOST'];
  beforeEach(() => {
    process.env['PATH'] = '/nowhere';
    process.env['DOCKER_HOST'] = 'unix:///nowhere/docker.sock';
  });
  afterEach(() => {
    process.env['PATH'] = path;
    if (docker === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = docker;
  });

  test.each([
    { choice: 'bubblewrap' as const },
    { choice: 'docker' as const },
    { choice: 'docker' as const, dockerEnabled: false },
    { dockerEnabled: true },
    { dockerEnabled: false },
    {},
  ])('is refused with a hint and never falls to the host: %o', async (options) => {
    await expect(createSandbox({ ...place, ...options })).rejects.toMatchObject({
      code: 'sandbox.unavailable',
      hint: expect.stringMatching(/\S/),
    });
  });

  test('is the host only if chosen explicitly', async () => {
    expect((await createSandbox({ ...place, choice: 'host' })).name).toBe('host');
  });

  test('the doctor sees each driver with reason and fix', async () => {
    const found = await probeSandboxes(place);
    expect(found.map((each) => [each.name, each.available])).toEqual([
      ['bubblewrap', false],
      ['docker', false],
      ['host', true],
    ]);
    for (const each of found)
      if (!each.available) expect(each).toMatchObject({ reason: expect.any(String), fix: expect.any(String) });
  });
});

describe.skipIf(!hasBubblewrap)('the choice, where bubblewrap works', () => {
  test.each([{}, { dockerEnabled: false }, { choice: 'bubblewrap' as const }])('is bubblewrap: %o', async (options) => {
    expect((await createSandbox({ ...place, ...options })).name).toBe('bubblewrap');
  });

  test('is tried once and then cached until it fails', { tags: ['long'] }, async () => {
    using own = createSandboxFixture();
    const memory = join(own.home, 'cache', 'bubblewrap.json');
    const sandbox = await createSandbox(own);
    const remembered = readFileSync(memory, 'utf8').replace(/"version":"[^"]*"/, '"version":"as remembered"');
    writeFileSync(memory, remembered);
    expect((await findBubblewrap(own)).program?.version).toBe('as remembered');
    await expect(
      sandbox.exec({ command: 'true', binds: [{ path: '/no/such/path', writable: false }] }),
    ).rejects.toMatchObject({ code: 'sandbox.failed' });
    expect(existsSync(memory)).toBe(false);
  });
});

test('a missing workspace is reported', async () => {
  await expect(
    createSandbox({ ...place, workspace: join(place.root, 'nowhere'), choice: 'host' }),
  ).rejects.toMatchObject({ code: 'workspace.missing' });
});

test('the fix names the line for each distribution', () => {
  const line = (osRelease: string, isRoot = true) =>
    toInstallLine({ debian: 'bubblewrap', other: 'bubblewrap' }, { osRelease, isRoot });
  expect(line('ID=debian\n')).toBe('apt-get update && apt-get install -y bubblewrap');
  expect(line('NAME="Pop!_OS"\nID=pop\nID_LIKE="ubuntu debian"\n', false)).toBe(
    'sudo apt-get update && sudo apt-get install -y bubblewrap',
  );
  expect(line('ID="rocky"\nID_LIKE="rhel centos fedora"')).toBe('dnf install -y bubblewrap');
  expect(line('ID=arch')).toBe('pacman -S --noconfirm bubblewrap');
  expect(line('ID=alpine')).toBe('apk add bubblewrap');
  expect(line('ID=plan9')).toBeUndefined();
  const user = { isRoot: false, inContainer: false };
  const noMap = 'bwrap: setting up uid map: Permission denied';
  const noNamespace = 'bwrap: No permissions to create new namespace, likely because …';
  expect(explainFailure(noMap, user).fix).toContain('sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0');
  expect(explainFailure(noNamespace, { ...user, isRoot: true }).fix).toContain('kernel.unprivileged_userns_clone=1');
  const exhausted =
    'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)';
  expect(explainFailure(exhausted, user).fix).toContain('sudo sysctl -w user.max_user_namespaces=');
  // In a container those commands have no effect, because the engine has its own limits.
  for (const words of [noMap, noNamespace, "bwrap: Can't mount proc on /newroot/proc: Operation not permitted"])
    expect(explainFailure(words, { ...user, inContainer: true }).fix).toContain('docs/container.md');
});

test('reports why bubblewrap is neither found nor fetched', async () => {
  using empty = createSandboxFixture();
  const path = process.env['PATH']!;
  const tools = join(empty.root, 'tools');
  mkdirSync(tools);
  const put = (name: string, text: string) => writeFileSync(join(tools, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const reasonOf = async (onFetch?: () => void) => {
    process.env['PATH'] = `${tools}`;
    try {
      const options = { ...empty, choice: 'bubblewrap' as const, onFetch };
      const error = await createSandbox(options).catch((error: unknown) => error);
      return error instanceof Error ? error.message : 'it works';
    } finally {
      process.env['PATH'] = path;
    }
  };
  expect(await reasonOf(() => {})).toContain('apt-get');
  put('dpkg-deb', 'exit 0');
  put(
    'apt-get',
    'case "$*" in *update) echo "W: Failed to fetch http://a/b  Could not connect"; exit 0;; esac; echo "E: none"; exit 100',
  );
  expect(await reasonOf()).toContain('sandbox.fetch');
  const refused = await reasonOf(() => {});
  for (const part of ['apt-get download bubblewrap', 'none', 'Could not connect']) expect(refused).toContain(part);
});

const canUnshare = spawnSync('unshare', ['--user', '--map-root-user', 'true']).status === 0;

test.skipIf(!hasBubblewrap || !canUnshare)('reports that user namespaces are disabled, and how to enable them', () => {
  using empty = createSandboxFixture();
  const module = join(import.meta.dirname, 'bubblewrap/find-bubblewrap.ts');
  const source = `console.log(JSON.stringify(await (await import(${JSON.stringify(module)})).findBubblewrap({ home: process.argv[1] })))`;
  const command = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" --input-type=module -e "$1" "$2"';
  const words = ['--user', '--map-root-user', 'sh', '-c', command, process.execPath, source, empty.home];
  const { stdout } = spawnSync('unshare', words, { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ fix: expect.stringContaining('user.max_user_namespaces') });
});

test('limits: defaults, then options, then the request; invalid values are refused', () => {
  expect(toExecLimits(undefined, { memoryMb: 5 }, { memoryMb: 6, cpus: 2 })).toEqual({
    timeoutMs: 120_000,
    memoryMb: 6,
    cpus: 2,
    processes: 256,
  });
  expect(() => toExecLimits({ cpus: 0 })).toThrow(/cpus/);
  expect(() => toExecLimits({ timeoutMs: Number.NaN })).toThrow(/timeoutMs/);
});

const canBecomeUser = hasBubblewrap && process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0;

describe.skipIf(!canBecomeUser)('as an ordinary user', () => {
  /** Runs the commands in a process of user 54321, which owns only the test folders. */
  function runAsUser(
    commands: readonly object[],
  ): { exitCode: number; stdout: string; output: string; unenforced: string[] }[] {
    using own = createSandboxFixture();
    // That user may not have access to the repository itself.
    const code = join(own.root, 'code');
    mkdirSync(join(code, 'node_modules', '@klaus'), { recursive: true });
    const source = join(import.meta.dirname, '..', '..');
    const isSource = (path: string) => !path.includes('/node_modules');
    for (const name of ['adapters', 'core'])
      cpSync(join(source, name), join(code, name), { recursive: true, filter: isSource });
    for (const name of ['zod', 'unbash', 'diff'])
      execFileSync('cp', ['-rL', join(source, 'node_modules', name), join(code, 'node_modules', name)]);
    for (const name of ['adapters', 'core'])
      execFileSync('ln', ['-s', join(code, name), join(code, 'node_modules', '@klaus', name)]);
    cpSync(process.execPath, join(own.root, 'node'));
    const script = [
      `import { createSandbox } from '${join(code, 'adapters', 'sandboxes', 'index.ts')}';`,
      `const sandbox = await createSandbox({ workspace: '${own.workspace}', home: '${own.home}', choice: 'bubblewrap', masks: async () => ['${own.workspace}/.env'] });`,
      `const results = [];`,
      `for (const request of ${JSON.stringify(commands)}) results.push(await sandbox.exec(request));`,
      `console.log(JSON.stringify(results));`,
    ].join('\n');
    writeFileSync(join(own.root, 'main.mjs'), script);
    execFileSync('chown', ['-R', '54321:54321', own.root]);
    chownSync(own.root, 54321, 54321);
    chmodSync(own.root, 0o755);
    const words = [
      '--reuid',
      '54321',
      '--regid',
      '54321',
      '--clear-groups',
      join(own.root, 'node'),
      join(own.root, 'main.mjs'),
    ];
    const done = spawnSync('setpriv', words, {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: own.root },
      cwd: own.root,
    });
    expect(done.stderr).toBe('');
    return JSON.parse(done.stdout) as ReturnType<typeof runAsUser>;
  }

  test('all of it works, and unenforced limits are reported', () => {
    const [basic, eaten, bombed, hidden] = runAsUser([
      { command: 'id -u; echo new > made && cat made; echo e > /dev/stderr' },
      { command: ['perl', '-e', 'my $x = "a" x 300_000_000; print "ate"'], limits: { memoryMb: 100 } },
      { command: 'i=0; while [ $i -lt 300 ]; do sleep 3600 & i=$((i+1)); done; echo all', limits: { processes: 40 } },
      { command: 'echo S3CRET > .env; while grep -q S3CRET .env; do sleep 0.05; done; echo hidden' },
    ]);
    expect(basic).toMatchObject({ exitCode: 0, output: expect.stringContaining('new\n') });
    expect(eaten!.stdout).not.toContain('ate');
    expect(bombed!.stdout).not.toContain('all');
    expect(hidden, 'a secret file that comes later').toMatchObject({ exitCode: 0, stdout: 'hidden\n' });
    for (const each of basic!.unenforced) expect(each).toMatch(/^(memory|cpus): .*\bgroup\b/);
  });
});
