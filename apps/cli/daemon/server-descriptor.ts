import { readFileSync } from 'node:fs';
import type { ServerDescriptor } from '@klaus/server/contract';

/** What the server behind a socket wrote about itself; undefined if it wrote nothing. It may have ended since. */
export function readDescriptor(socket: string): Partial<ServerDescriptor> | undefined {
  try {
    return JSON.parse(readFileSync(`${socket}.json`, 'utf8')) as Partial<ServerDescriptor>;
  } catch {
    return undefined;
  }
}
