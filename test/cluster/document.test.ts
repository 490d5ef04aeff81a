// Covers docs, apps/cli/worker, apps/cli/commands/system, sdk/cluster: the commands of the page about clusters, run as they are.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { provideSeaweed } from '../../adapters/objects/fixtures/s3-server.ts';
import { provideTemporal } from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import { findPostgres } from '../../adapters/store/fixtures/postgres-server.ts';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { WITHOUT_CLUSTER } from './cluster.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/cluster.md'), 'utf8');
const COMMANDS = [...PAGE.slice(PAGE.indexOf('## Try it')).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text!);
/** Most milliseconds that the commands take. */
const SHELL_MS = 200_000;
const PROGRAM = process.env['KLAUS_TEST_PROGRAM'];

/** Puts a program into a folder of the PATH. @param words The program with its first arguments, as a shell reads them. */
function addProgram(folder: string, name: string, words: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Ends a Postgres that commands which failed left behind. It is no child of theirs. */
function endPostgres(file: string): void {
  if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGQUIT');
}

function readLogs(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.log')) : [];
  return names.map((name) => `${name}:\n${readFileSync(join(folder, name), 'utf8').slice(-5_000)}`).join('\n');
}

/** Postgres refuses to run as root, as the page says. */
const asPostgres = process.getuid?.() === 0 ? 'setpriv --reuid postgres --regid postgres --clear-groups' : '';

const { error } = spawnSync('curl', ['--version']);
const MISSING = WITHOUT_CLUSTER ?? (error ? 'curl is not installed' : undefined);

describe.skipIf(MISSING !== undefined)(`the page${MISSING ? `: ${MISSING}` : ''}`, () => {
  test('leads from nothing to finished sessions on two workers', { timeout: 240_000 }, async () => {
    using place = createTestHome();
    const call = { name: 'run_command', input: { command: 'date > today.txt' } };
    await using model = await startServer({
      steps: [{ when: { turn: 0 }, reply: { calls: [call] } }],
      fallback: { text: 'It is there.' },
    });
    const bin = join(place.workspace, 'bin');
    mkdirSync(bin);
    const main = PROGRAM ?? join(import.meta.dirname, '../../apps/cli/main.ts');
    addProgram(bin, 'klaus', `${process.execPath} ${main}`);
    for (const name of ['initdb', 'pg_ctl', 'createdb'])
      addProgram(bin, name, `${asPostgres} ${join(findPostgres()!, name)}`);
    const programs = [bin, dirname(provideTemporal().program!), dirname(provideSeaweed().program!)];
    // The user of Postgres creates its folder there.
    for (let path = place.workspace; path.startsWith(`${tmpdir()}/`); path = dirname(path)) chmodSync(path, 0o777);
    const script = ['set -eux', 'umask 0', ...COMMANDS, 'echo finished'].join('\n');
    const shell = spawn('bash', ['-c', script], {
      cwd: place.workspace,
      // With the sandbox that a reader of the page has.
      env: {
        ...toEnv({ place, server: model }),
        KLAUS_SANDBOX: undefined,
        PATH: [...programs, process.env['PATH']].join(':'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    try {
      const ended = once(shell, 'exit');
      const timer = setTimeout(() => process.kill(-shell.pid!, 'SIGKILL'), SHELL_MS);
      await ended;
      clearTimeout(timer);
      // A failure shows what the processes logged.
      const logs = shell.exitCode === 0 ? '' : readLogs(join(place.workspace, 'klaus-cluster'));
      expect({ code: shell.exitCode, output: output + logs }).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^finished$/m) as string,
      });
    } finally {
      if (shell.exitCode === null && shell.signalCode === null) process.kill(-shell.pid!, 'SIGKILL');
      endPostgres(join(place.workspace, 'klaus-cluster/postgres/postmaster.pid'));
    }
    const ran = [1, 2].map((at) => readFileSync(join(place.workspace, `klaus-cluster/worker-${at}.log`), 'utf8'));
    expect(ran[0]).toContain('stopped');
  });
});
