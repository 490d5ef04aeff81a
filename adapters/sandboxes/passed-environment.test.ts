import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findBubblewrap } from './bubblewrap/find-bubblewrap.ts';
import { createSandbox } from './index.ts';
import { passEnvironment } from './passed-environment.ts';
import { createSandboxFixture } from './sandbox.fixture.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const { program } = await findBubblewrap(place);

const certificate = join(place.root, 'company', 'ca.pem');
mkdirSync(join(place.root, 'company'));
writeFileSync(certificate, 'a certificate\n');
const gitconfig = join(place.root, 'gitconfig');
writeFileSync(gitconfig, '[user]\n\tname = A \\"B\\" C\n\temail = a@example.org\n[core]\n\tpager = evil\n');

const env = {
  PATH: process.env['PATH'],
  HOME: place.root,
  GIT_CONFIG_GLOBAL: gitconfig,
  APP_MODE: 'fast',
  APP_TOKEN: 'kQ7mZx92LpVt4RwY8sBn',
  DATABASE_URL: 'postgres://me:kQ7mZx92LpVt4@db/shop',
  OTHER: 'no',
  HTTPS_PROXY: 'http://proxy.example.org:3128',
  SSL_CERT_FILE: certificate,
  PIP_CERT: '/no/such/file.pem',
};

const pass = (variables: readonly string[], network = false) => passEnvironment({ env, variables }, { network });

test('nothing passes unasked, and a credential only by its whole name', () => {
  expect(pass([])).toEqual({ variables: {}, settings: {}, files: [], hidden: [] });
  expect(pass(['APP_*', 'MISSING']).variables).toEqual({ APP_MODE: 'fast' });
  expect(pass(['DATA*']).variables).toEqual({});
  expect(pass(['APP_TOKEN', 'DATABASE_URL']).variables).toEqual({
    APP_TOKEN: env.APP_TOKEN,
    DATABASE_URL: env.DATABASE_URL,
  });
  expect(pass(['PATH', 'HOME']).variables).toEqual({});
});

test('with a network come proxies and certificates, and the files that these name', () => {
  const { HTTPS_PROXY, SSL_CERT_FILE, PIP_CERT } = env;
  expect(pass([], true)).toMatchObject({ variables: { HTTPS_PROXY, SSL_CERT_FILE, PIP_CERT }, files: [certificate] });
});

describe.skipIf(!program)('in the sandbox', () => {
  const run = async (command: string, request: { network?: boolean } = {}, variables: string[] = []) => {
    const sandbox = await createSandbox({ ...place, choice: 'bubblewrap', env, variables });
    return (await sandbox.exec({ command, ...request })).output;
  };

  test('a named variable is there, and its value in no argument that other users see', async () => {
    const command = 'echo $APP_MODE $APP_TOKEN $OTHER; tr "\\0" "\\n" < /proc/1/cmdline | grep -c "kQ7mZ[x]92"';
    expect(await run(command, {}, ['APP_*', 'APP_TOKEN'])).toBe(`fast ${env.APP_TOKEN}\n0\n`);
  });

  test('the environment is otherwise as small as without any', async () => {
    const names = async (variables: string[]) => {
      const lines = (await run('env', {}, variables)).split('\n').map((line) => line.split('=')[0]!);
      return lines.filter((name) => name !== '' && name !== '_').sort();
    };
    expect(await names(['APP_MODE'])).toEqual([...(await names([])), 'APP_MODE'].sort());
  });

  test('a certificate can be read with a network, and not without', async () => {
    expect(await run(`cat ${certificate}`)).toContain('No such file');
    expect(await run('cat $SSL_CERT_FILE', { network: true })).toBe('a certificate\n');
  });

  test("git knows the user's name and address, and nothing else of their configuration", async () => {
    expect(await run('git config user.name; git config user.email; git config core.pager')).toBe(
      'A "B" C\na@example.org\n',
    );
    await run('git init -q repo && cd repo && git commit -q --allow-empty -m one');
    expect(await run('cd repo && git log --format=%an,%ae')).toBe('A "B" C,a@example.org\n');
  });
});
