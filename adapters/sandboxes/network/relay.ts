import { realpathSync } from 'node:fs';

/** Path of the gateway's folder in the sandbox. */
export const RELAY_FOLDER = '/run/klaus';
/** Port on the loopback interface of the command's network. */
export const RELAY_PORT = 3128;

/** File names in the folder of a gateway. */
export const SOCKET = 'socket';
export const RELAY = 'relay.cjs';
export const NODE = 'node';

/** Forwards TCP connections of programs to the Unix socket of the gateway, the only connection out of the command's network. */
export const RELAY_TEXT = `
const net = require('node:net');
const fs = require('node:fs');
const { pipeline } = require('node:stream');
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: '${RELAY_FOLDER}/${SOCKET}', allowHalfOpen: true });
  pipeline(near, far, () => {});
  pipeline(far, near, () => {});
});
server.listen(${RELAY_PORT}, '127.0.0.1', () => fs.writeSync(1, 'ready\\n'));
`;

const READY = '/tmp/.klaus-relay';

/** Shell lines that start the relay before a command. It ends with the command's namespaces. */
export const RELAY_LINES: readonly string[] = [
  `mkfifo ${READY} || exit 125`,
  `env -i ${RELAY_FOLDER}/${NODE} ${RELAY_FOLDER}/${RELAY} </dev/null >${READY} 2>/dev/null 3>&- &`,
  `read -r ready <${READY} || { echo 'The network relay did not start.' >&2; exit 125; }`,
  `rm -f ${READY}`,
];

/**
 * The mounts of the relay as arguments of bubblewrap.
 *
 * @param folder The gateway's folder on this machine.
 * @param hasProgram True: a program in the sandbox passes connections on.
 */
export function toRelayMounts(folder: string, hasProgram: boolean): string[] {
  const program = ['--ro-bind', realpathSync.native(process.execPath), `${RELAY_FOLDER}/${NODE}`];
  return ['--ro-bind', folder, RELAY_FOLDER, ...(hasProgram ? program : [])];
}
