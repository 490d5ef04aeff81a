import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSandbox } from '../create-sandbox.ts';
import { findBubblewrap } from '../bubblewrap/find-bubblewrap.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';

using found = createSandboxFixture();
const { program } = await findBubblewrap({ home: found.home });

const server = createServer((asked, response) => response.end(`${asked.url} ${'x'.repeat(3_000_000)}`));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** Folders for temporary files, which commands of other tests also use. */
const temporary = mkdtempSync(join(tmpdir(), 'klaus-limited-'));
vi.stubEnv('TMPDIR', temporary);
afterAll(() => rmSync(temporary, { recursive: true }));

const listFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('klaus-net-'));

/** Mounts in a separate namespace. */
const UNSHARE = ['unshare', '--user', '--map-root-user', '--mount'] as const;
const canCover = spawnSync(UNSHARE[0], [...UNSHARE.slice(1), 'true']).status === 0;

/** A request without a proxy, by name and by address. */
const DIRECT = `for at in localhost 127.0.0.1; do
  bash -c "exec 5<>/dev/tcp/$at/$PORT" 2>/dev/null && echo "reached $at"
done; true`;
const REQUEST = (url: string) => `python3 -c "
import urllib.request
try: print(len(urllib.request.urlopen('${url}').read()))
except Exception as error: print(error)"`;

describe.skipIf(!program)('a command with a limited network', () => {
  async function run(command: string, request: { network?: boolean; hosts?: readonly string[] } = {}) {
    using place = createSandboxFixture();
    const { hosts = [`localhost:${port}`], network = true } = request;
    const env = { ...process.env, HTTPS_PROXY: '', PORT: String(port) };
    const options = { workspace: place.workspace, home: place.home, env, variables: ['PORT'] };
    const sandbox = await createSandbox({ ...options, choice: 'bubblewrap', hosts });
    return await sandbox.exec({ command, network });
  }

  test('reaches an allowed host to the last byte, and nothing without the proxy', async () => {
    const { output, exitCode, refusedHosts } = await run(`${REQUEST(`http://localhost:${port}/a`)}; ${DIRECT}`);
    expect({ output, exitCode, refusedHosts }).toEqual({ output: '3000003\n', exitCode: 0, refusedHosts: undefined });
  });

  test('reports which host was refused', async () => {
    const { output, refusedHosts } = await run(
      `${REQUEST(`http://127.0.0.1:${port}/`)}; ${REQUEST('https://example.com/')}`,
    );
    expect(output.match(/403/g)).toHaveLength(2);
    expect(refusedHosts).toEqual([`127.0.0.1:${port}`, 'example.com:443']);
  });

  test('has the gateway only while it runs, and a command without a network never', async () => {
    const { output } = await run('cat /proc/net/tcp | grep -c 0C38; ls /run/klaus', { network: false });
    expect(output).toMatch(/^0\n.*No such file/s);
    expect(listFolders()).toEqual([]);
    const ended = await run('grep -c 0C38 /proc/net/tcp; kill -9 -1', {});
    expect(ended.output).toMatch(/^1\n/);
    expect(listFolders()).toEqual([]);
  });

  test.skipIf(!canCover)('without Perl uses a relay, cannot change it, and gains nothing by ending it', async () => {
    using place = createSandboxFixture();
    const command = `${REQUEST(`http://localhost:${port}/a`)}
       for file in socket relay.cjs node; do rm -f /run/klaus/$file || echo kept; echo x > /run/klaus/$file || echo kept; done 2>/dev/null
       pkill -9 -f relay.cjs; ${DIRECT}`;
    const child = join(import.meta.dirname, 'limited-child.fixture.ts');
    const node = [process.execPath, child, place.workspace, place.home, `localhost:${port}`, command];
    const cover = `for perl in /usr/bin/perl /usr/local/bin/perl; do [ ! -e $perl ] || mount --bind /dev/null $perl; done; exec "$@"`;
    const [file, ...words] = [...UNSHARE, 'sh', '-c', cover, 'sh', ...node];
    const { stdout } = await promisify(execFile)(file!, words, { env: { ...process.env, PORT: String(port) } });
    expect(stdout).toMatch(/^3000003\n/);
    expect(stdout.match(/kept/g)).toHaveLength(6);
    expect(stdout).not.toContain('reached');
  });

  test("does not see the address of the user's own proxy", async () => {
    using place = createSandboxFixture();
    const env = { ...process.env, HTTPS_PROXY: 'http://me:word@proxy.example:1', all_proxy: 'socks://me:word@x' };
    const options = { workspace: place.workspace, home: place.home, env, variables: ['*_proxy', 'all_proxy'] };
    const sandbox = await createSandbox({ ...options, choice: 'bubblewrap', hosts: [] });
    const { output } = await sandbox.exec({ command: 'env', network: true });
    expect(output).toContain('HTTPS_PROXY=http://127.0.0.1:');
    expect(output).not.toContain('word');
  });

  test('is refused in the background, and for an invalid host', async () => {
    using place = createSandboxFixture();
    const options = { workspace: place.workspace, home: place.home, choice: 'bubblewrap' } as const;
    const sandbox = await createSandbox({ ...options, hosts: ['pypi.org'] });
    const started = sandbox.start!({ command: 'true', folder: place.root, survives: false, network: true });
    await expect(started).rejects.toMatchObject({ code: 'sandbox.failed' });
    await expect(run('true', { hosts: ['https://pypi.org/'] })).rejects.toMatchObject({ code: 'usage' });
    expect(listFolders()).toEqual([]);
  });
});
