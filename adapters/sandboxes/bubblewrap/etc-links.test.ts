import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../index.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { spawnSync } from 'node:child_process';
import { findBubblewrap } from './find-bubblewrap.ts';
import { readEtcLinks } from './etc-links.ts';

const folder = mkdtempSync(join(tmpdir(), 'klaus-etc-links-'));
const place = createSandboxFixture();
afterAll(() => {
  place[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** A toolchain of three programs, of which two are on the PATH. */
function makeToolchain(): string {
  const programs = join(folder, 'usr/bin');
  const root = join(folder, 'usr/lib/jvm/java-99');
  const links = {
    'conf/net.properties': '/etc/java-99-openjdk/net.properties',
    'conf/security/java.security': '/etc/java-99-openjdk/security/java.security',
    'lib/jvm.cfg': '/etc/jvm-99.cfg',
    'lib/certificates': '/etc/ssl/certs/java',
    'lib/private': '/etc/ssl/private',
    'lib/choice': '/etc/alternatives/java',
    'lib/elsewhere': '/var/lib/java',
    'lib/relative': '../bin/java',
  };
  mkdirSync(join(root, 'bin'), { recursive: true });
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(root, 'bin/java'), '');
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target, join(root, path));
  }
  for (const name of ['java', 'javac']) symlinkSync(join(root, 'bin/java'), join(programs, name));
  symlinkSync('/nowhere', join(programs, 'broken'));
  return programs;
}

test('what toolchains on the PATH link to in /etc is found, and nothing of keys and choices', () => {
  const programs = makeToolchain();
  const file = join(folder, 'links.json');
  const names = ['java-99-openjdk', 'jvm-99.cfg'];
  expect(readEtcLinks(file, [programs, '/nowhere'])).toEqual(names);
  // Kept until a program comes or goes.
  symlinkSync('/etc/other-99', join(folder, 'usr/lib/jvm/java-99/lib/other'));
  expect(readEtcLinks(file, [programs, '/nowhere'])).toEqual(names);
  const later = new Date(statSync(programs).mtimeMs + 1_000);
  utimesSync(programs, later, later);
  expect(readEtcLinks(file, [programs, '/nowhere'])).toEqual([...names, 'other-99']);
});

const { program } = await findBubblewrap(place);
const has = (name: string): boolean => program !== undefined && spawnSync(name, ['-version']).status === 0;

describe('in the sandbox', () => {
  test.skipIf(!has('javac'))('a Java program is compiled and runs', async () => {
    writeFileSync(
      join(place.workspace, 'Hello.java'),
      'public class Hello { public static void main(String[] a) throws Exception { System.out.println(java.security.MessageDigest.getInstance("SHA-256").getAlgorithm()); } }\n',
    );
    const sandbox = await createSandbox({ ...place, choice: 'bubblewrap' });
    expect(await sandbox.exec({ command: 'javac Hello.java && java Hello' })).toMatchObject({
      exitCode: 0,
      stdout: 'SHA-256\n',
    });
  });

  test.skipIf(!has('mvn'))('Maven starts', async () => {
    const sandbox = await createSandbox({ ...place, choice: 'bubblewrap' });
    expect(await sandbox.exec({ command: 'mvn -v' })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Apache Maven'),
    });
  });
});
