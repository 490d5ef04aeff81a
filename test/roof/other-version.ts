// A daemon of another version, for a state folder: KLAUS_HOME. Prints a line when it is ready, and ends on SIGTERM.
import { createKlaus } from '@klaus/sdk';
import { startServer } from '../../apps/server/server.ts';

const klaus = await createKlaus({ endProcesses: 'close' });
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };
const isDaemon = process.argv[2] !== '--typed';
const server = await startServer({ klaus, port: 0, log, version: '0.0.1', isDaemon });
process.stdout.write('ready\n');
process.once('SIGTERM', () => void stop());

async function stop(): Promise<void> {
  await server.close();
  await klaus[Symbol.asyncDispose]();
  process.exit(0);
}
