import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRedactor } from '../../policy/index.ts';
import { createRedactedBlob } from './redacted-blob.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const VALUE = 'Zq7-hunter2_K9!xW4vB';
const KEY = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('');
const redactor = createRedactor({ salt: 's', digest, values: [{ name: 'v', value: VALUE }] });

/** Writes bytes in chunks of this size, and returns what is stored. */
async function store(bytes: Uint8Array, size: number): Promise<Buffer> {
  const written: Buffer[] = [];
  const writer = {
    write: (chunk: Uint8Array) => void written.push(Buffer.from(chunk)),
    finish: async () => ({ hash: 'h', size: 1 }),
    abort() {},
  };
  const blob = createRedactedBlob(writer, redactor);
  for (let at = 0; at < bytes.length; at += size) blob.write(bytes.subarray(at, at + size));
  await blob.finish();
  return Buffer.concat(written);
}

test.each([1, 1_000, 4_096, 65_536, 131_072, 1_000_000])(
  'output in chunks of %i bytes is stored as if it had been redacted in one piece',
  async (size) => {
    const line = 'a line of text with é and 漢字 in it\n';
    const text = [
      line.repeat(3_300),
      `${VALUE}\n`,
      line.repeat(3_000),
      `key = ${KEY}\n`,
      `${'1234567 '.repeat(20_000)}${VALUE} ${'x'.repeat(140_000)}\n`,
      `-----BEGIN RSA PRIVATE KEY-----\n${'MIIabc\n'.repeat(300)}-----END RSA PRIVATE KEY-----\n`,
      line.repeat(200),
    ].join('');
    const expected = redactor.redact(text);
    expect(expected.match(/\[secret:/g)).toHaveLength(4);
    expect((await store(Buffer.from(text), size)).toString()).toBe(expected);
  },
);

test('a value is redacted at every position around the end of a window', async () => {
  for (let at = 126_900; at < 131_200; at += 53) {
    const text = `${'.'.repeat(at)}${VALUE}${'.'.repeat(10_000)}`;
    expect((await store(Buffer.from(text), 65_536)).includes('hunter2')).toBe(false);
  }
});

test('binary data is stored unchanged, except for secrets', async () => {
  const noise = Buffer.alloc(400_000, Buffer.from([0xff, 0x00, 0xfe, 0x80, 0x41]));
  expect((await store(noise, 65_536)).equals(noise)).toBe(true);
  const stored = await store(Buffer.concat([noise, Buffer.from(VALUE), noise]), 65_536);
  expect(stored.includes('hunter2')).toBe(false);
  expect(stored.includes('[secret:v:')).toBe(true);
});

test.each([
  ['a private key after many lines', `${'a line of text\n'.repeat(4_360)}-----BEGIN PRIVATE KEY-----\n`, 'Zm9vYmFy'],
  ['a secret in a line without an end', 'x.'.repeat(32_765), KEY],
])('%s is redacted in chunks of the size of a pipe', async (_, before, secret) => {
  const after = secret === KEY ? ' and more' : `${`\n${secret}`.repeat(30)}\n-----END PRIVATE KEY-----\n`;
  const text = (await store(Buffer.from(before + secret + after), 65_536)).toString();
  expect(text).toContain('[secret:');
  expect(text).not.toContain(secret);
});

test('a value that was wrapped is redacted at any chunk size', async () => {
  const bytes = Buffer.from(`${'a line of text\n'.repeat(1_000)}${VALUE.split('').join('\n')}\nend\n`.repeat(4));
  for (const size of [1_000, 8_192, 8_200, 65_536]) {
    const text = (await store(bytes, size)).toString();
    expect(text).not.toMatch(/h\nu\nn|n\nt\ne|W\n4/);
    expect(text.match(/\[secret:v:/g)).toHaveLength(4);
  }
});

test('a secret or a letter that is split over chunks is redacted', async () => {
  const bytes = Buffer.from(
    `line é\nkey ${KEY} end\n-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----\nlast`,
  );
  expect((await store(bytes, 3)).toString()).toMatch(
    /^line é\nkey \[secret:aws-access-key:\w{8}\] end\n\[secret:private-key:\w{8}\]\nlast$/,
  );
});
