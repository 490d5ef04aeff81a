import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, Transform, type Readable } from 'node:stream';
import type * as zlib from 'node:zlib';
import { MalformedResponse } from '../failure/errors.ts';

type Zlib = typeof zlib;

/** A server may end a compressed stream without its last block: whether the answer is complete is in the answer. */
const DECODERS: ReadonlyMap<string, (zlib: Zlib) => Transform> = new Map([
  ['gzip', (zlib) => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH })],
  ['deflate', createInflate],
  ['br', (zlib) => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH })],
  ['zstd', (zlib) => zlib.createZstdDecompress({ finishFlush: zlib.constants.ZSTD_e_flush })],
]);

/** `deflate` is a format with a head, which some servers leave out. */
function createInflate(zlib: Zlib): Transform {
  const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  let inner: Transform | undefined;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (!inner) {
        inner = (chunk[0]! & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options);
        inner.on('data', (piece) => this.push(piece)).on('error', (error) => this.destroy(error));
      }
      inner.write(chunk, () => done());
    },
    flush(done) {
      inner?.once('end', done).end();
      if (!inner) done();
    },
  });
}

/**
 * The body without its `content-encoding`, which some servers and proxies send although the request refuses it. Ends
 * with the error of the connection.
 *
 * @throws MalformedResponse for an unknown encoding.
 */
export function decodeBody(body: Readable, headers: IncomingHttpHeaders): Readable {
  const names = (headers['content-encoding'] ?? '').toLowerCase().split(',');
  const encodings = names.map((name) => name.trim().replace(/^x-/, '')).filter((name) => name && name !== 'identity');
  if (encodings.length === 0) return body;
  // Loaded only for such servers.
  const zlib = process.getBuiltinModule('node:zlib');
  const decoders = encodings.toReversed().map((name) => {
    const create = DECODERS.get(name);
    if (!create) throw new MalformedResponse(`The server answered with the unknown content encoding ${name}.`);
    return create(zlib);
  });
  // The error arrives at the reader of the last decoder.
  pipeline([body, ...decoders], () => {});
  return decoders.at(-1)!;
}
