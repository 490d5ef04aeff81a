import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { readClientHello } from './client-hello.ts';

/** The ClientHello of the TLS client of Node. */
async function createHello(servername: string): Promise<Buffer> {
  const [near, far] = duplexPair();
  const client = connect({ socket: near, servername, ALPNProtocols: ['h2'] });
  client.on('error', () => {});
  const [bytes] = (await once(far, 'data')) as [Buffer];
  client.destroy();
  return bytes;
}

test('the server name is read, in lower case, and may be absent', async () => {
  expect(readClientHello(await createHello('Files.Example.org'))).toEqual({
    kind: 'hello',
    serverName: 'files.example.org',
  });
  expect(readClientHello(await createHello(''))).toEqual({ kind: 'hello' });
});

test('every beginning of it is partial, and bytes after it do not matter', async () => {
  const hello = await createHello('example.org');
  for (let length = 0; length < hello.length; length++)
    expect(readClientHello(hello.subarray(0, length))).toEqual({ kind: 'partial' });
  expect(readClientHello(Buffer.concat([hello, Buffer.from('more')]))).toMatchObject({ serverName: 'example.org' });
});

test('one that is cut into records of one byte has its server name', async () => {
  const hello = await createHello('example.org');
  const cut = [...hello.subarray(5)].flatMap((byte) => [22, 3, 1, 0, 1, byte]);
  expect(readClientHello(Buffer.from(cut))).toEqual({ kind: 'hello', serverName: 'example.org' });
});

test('a changed length or type is never another server name', async () => {
  const hello = await createHello('example.org');
  const found = new Set<string | undefined>();
  // The last bytes of the name are left out: they are the name.
  const name = hello.indexOf('example.org');
  for (let at = 0; at < hello.length; at++) {
    if (at >= name && at < name + 11) continue;
    for (const value of [0, 1, 255]) {
      const changed = Buffer.from(hello);
      changed[at] = value;
      const read = readClientHello(changed);
      if (read.kind === 'hello') found.add(read.serverName);
    }
  }
  expect([...found].filter((each) => each !== undefined && each !== 'example.org')).toEqual([]);
});

test.for(['GET / HTTP/1.1\r\n', 'SSH-2.0-x\r\n', '\x16\x02\x01', '\x16\x03\x01\x00\x00', '\x16\x03\x01\x00\x01\x02'])(
  '%j is no ClientHello',
  (text) => {
    expect(readClientHello(Buffer.from(text, 'latin1'))).toEqual({ kind: 'other' });
  },
);
