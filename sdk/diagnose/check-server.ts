import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Finding } from './finding.ts';

/** Where `klaus serve` listens unless it is told otherwise. */
const PORT = 3001;

/** Whether `klaus serve` runs for this state folder and, if not, whether it could. */
export async function checkServer(home: string): Promise<Finding> {
  const name = 'server';
  const socket = join(home, 'server', 'klaus.sock');
  if (await isAnswered({ path: socket })) {
    return { name, status: 'ok', text: `klaus serve runs at ${readUrl(`${socket}.json`) ?? socket}` };
  }
  if (await isAnswered({ host: '127.0.0.1', port: PORT })) {
    const text = `Port ${PORT} is in use by another program, so klaus serve cannot begin there`;
    return { name, status: 'warn', text, fix: 'Type: klaus serve --port 0 (it takes a free one)' };
  }
  return { name, status: 'ok', text: `not running; port ${PORT} is free` };
}

function readUrl(file: string): string | undefined {
  try {
    const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url?: unknown };
    return typeof url === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
}

function isAnswered(to: { path: string } | { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...to });
    const end = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
