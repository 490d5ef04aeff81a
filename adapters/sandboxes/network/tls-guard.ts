import type { Duplex } from 'node:stream';
import { parseAddress } from '@klaus/core/policy';
import { MAX_HELLO, readClientHello } from './client-hello.ts';

/** The port at which a tunnel has to be TLS for its host. */
export const TLS_PORT = 443;

/**
 * Reads the beginning of a tunnel until it is clear that it is TLS for the host of its CONNECT request: behind one
 * address there can be servers of many names, which the server name (SNI) selects.
 *
 * A client that names no server, which is usual only for an address, or that does not speak TLS is refused.
 *
 * @param head Bytes that arrived with the request.
 * @returns All bytes read; undefined if the tunnel is refused, or its client left.
 */
export async function readTlsStart(near: Duplex, head: Buffer, host: string): Promise<Buffer | undefined> {
  let bytes = head;
  for (;;) {
    const hello = readClientHello(bytes);
    if (hello.kind === 'hello') return isFor(hello.serverName, host) ? bytes : undefined;
    if (hello.kind === 'other' || bytes.length > MAX_HELLO) return undefined;
    const chunk = await readChunk(near);
    if (!chunk) return undefined;
    bytes = Buffer.concat([bytes, chunk]);
  }
}

function isFor(serverName: string | undefined, host: string): boolean {
  return serverName === undefined ? parseAddress(host) !== undefined : serverName === host;
}

/** The next bytes; undefined at the end. */
function readChunk(stream: Duplex): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const finish = (chunk?: Buffer): void => {
      stream.off('readable', take).off('end', finish).off('close', finish);
      resolve(chunk);
    };
    const take = (): void => {
      const chunk = stream.read() as Buffer | null;
      if (chunk) finish(chunk);
    };
    stream
      .on('readable', take)
      .on('end', () => finish())
      .on('close', () => finish());
    if (stream.readableEnded || stream.destroyed) finish();
    else take();
  });
}
