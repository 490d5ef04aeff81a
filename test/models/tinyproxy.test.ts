// Covers adapters/models, adapters/system/user-proxy.ts: requests to models through a proxy of other makers.
// @module-tag long
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModels } from '@klaus/adapters/models';
import { expect, onTestFinished, test } from 'vitest';
import { pollUntil } from '../fixtures/poll.ts';
import { createCertificate } from '../network/certificate.ts';
import { ask, startChatServer } from './model-server.ts';

const isInstalled = spawnSync('tinyproxy', ['-v']).status === 0;
const LOGIN = 'me:s3cr3t-word';

async function startTinyproxy(): Promise<{ port: number; log: () => string }> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-tinyproxy-'));
  const reserved = createServer();
  await once(reserved.listen(0, '127.0.0.1'), 'listening');
  const { port } = reserved.address() as AddressInfo;
  await new Promise((resolve) => reserved.close(resolve));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const [user, password] = LOGIN.split(':');
  const lines = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    `BasicAuth ${user} ${password}`,
    `LogFile "${log}"`,
    'LogLevel Connect',
  ];
  writeFileSync(join(folder, 'conf'), `${lines.join('\n')}\n`);
  const child = spawn('tinyproxy', ['-d', '-c', join(folder, 'conf')], { stdio: 'ignore' });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  await pollUntil(async () => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isOpen;
  });
  return { port, log: () => readFileSync(log, 'utf8') };
}

test.skipIf(!isInstalled)('tinyproxy: http, TLS in a tunnel, and a wrong password (needs tinyproxy)', async () => {
  const certificate = createCertificate(['localhost']);
  using plain = await startChatServer();
  using secure = await startChatServer({ certificate });
  const { port, log } = await startTinyproxy();
  const folder = mkdtempSync(join(tmpdir(), 'klaus-tinyproxy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, certificate.cert);
  const send = async (baseUrl: string, login: string) => {
    const settings = { wire: 'chat' as const, baseUrl, caFile, proxy: `http://${login}@127.0.0.1:${port}` };
    return ask(await createModels({ keys: {}, env: {}, servers: { mine: settings } }).resolve('mine/m'));
  };
  expect(await send(`http://127.0.0.1:${plain.port}/v1`, LOGIN)).toMatchObject({ type: 'finished' });
  expect(await send(`https://localhost:${secure.port}/v1`, LOGIN)).toMatchObject({ type: 'finished' });
  expect(log()).toContain(`CONNECT localhost:${secure.port}`);
  expect(plain.seen[0]!.headers).not.toHaveProperty('proxy-authorization');
  const failed = await send(`https://localhost:${secure.port}/v1`, 'me:other-word');
  expect(failed).toMatchObject({ type: 'failed', failure: { code: 'connection' } });
  expect(JSON.stringify(failed)).not.toContain('other-word');
  expect(secure.seen).toHaveLength(1);
});
