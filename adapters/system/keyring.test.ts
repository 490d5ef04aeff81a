import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createKeyring } from './keyring.ts';

const SECRET = 'sk-test-"$(x)\'4f1c';

/** Programs of the system that keep one secret in a file and record their arguments. */
function createPrograms(body: string): { env: Record<string, string>; args: () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-keyring-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['secret-tool', 'security']) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\ncd ${folder}\nprintf '%s\\n' "$*" >> args\n${body}`);
    chmodSync(path, 0o755);
  }
  const read = (): string => (existsSync(join(folder, 'args')) ? readFileSync(join(folder, 'args'), 'utf8') : '');
  return { env: { PATH: `${folder}:/usr/bin:/bin` }, args: read };
}

test('the secret reaches the program of Linux on standard input, and not in its arguments', async () => {
  const { env, args } = createPrograms('case "$1" in store) cat > kept;; lookup) cat kept;; clear) rm kept;; esac\n');
  const keyring = createKeyring(env, 'linux')!;
  expect(await keyring.read('openai')).toBeUndefined();
  expect(await keyring.store('openai', SECRET)).toBe(true);
  expect(await keyring.read('openai')).toBe(SECRET);
  expect(await keyring.remove('openai')).toBe(true);
  expect(await keyring.remove('openai')).toBe(false);
  expect(args()).toContain('account openai');
  expect(args()).not.toContain('sk-test');
});

test('the secret reaches the program of macOS as a command on standard input', async () => {
  const { env, args } = createPrograms(
    `case "$1" in
-i) read -r line; printf '%s' "\${line##* }" | perl -pe 's/(..)/chr hex $1/ge' > kept;;
find-generic-password) cat kept;;
delete-generic-password) rm kept;;
esac
`,
  );
  const keyring = createKeyring(env, 'darwin')!;
  expect(await keyring.store('openai (/a b)', SECRET)).toBe(true);
  expect(await keyring.read('openai (/a b)')).toBe(SECRET);
  expect(await keyring.remove('openai (/a b)')).toBe(true);
  expect(args().split('\n')[0]).toBe('-i');
  expect(args()).not.toContain('sk-test');
  expect(args()).not.toContain(Buffer.from('sk-test').toString('hex'));
});

test('without the program, or if it fails, nothing is stored or found', async () => {
  const { env } = createPrograms('exit 1\n');
  for (const keyring of [createKeyring(env, 'linux')!, createKeyring({ PATH: '/nonexistent' }, 'linux')!]) {
    expect(await keyring.store('openai', SECRET)).toBe(false);
    expect(await keyring.read('openai')).toBeUndefined();
  }
  expect(createKeyring(env, 'win32')).toBeUndefined();
});
