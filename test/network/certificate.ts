import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate and its key, as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));
const oid = (...bytes: number[]): Buffer => der(0x06, Buffer.from(bytes));

const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const ALT_NAME = oid(0x55, 0x1d, 0x11);
const CONSTRAINTS = oid(0x55, 0x1d, 0x13);

/** A new self-signed certificate for some names, valid from 2020 to 2049. @source RFC 5280, section 4.1 */
export function createCertificate(names: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(der(0x31, sequence(COMMON_NAME, text(0x0c, names[0]!))));
  const extensions = sequence(
    sequence(ALT_NAME, der(0x04, sequence(...names.map((name) => text(0x82, name))))),
    sequence(CONSTRAINTS, der(0x01, Buffer.from([255])), der(0x04, sequence(der(0x01, Buffer.from([255]))))),
  );
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    subject,
    sequence(text(0x17, '200101000000Z'), text(0x17, '491231235959Z')),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = sequence(content, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate
      .toString('base64')
      .match(/.{1,64}/g)!
      .join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
