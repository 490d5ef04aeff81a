import { realpathSync } from 'node:fs';

/** Where a command sees the folder of its gateway. */
const INSIDE = '/run/klaus';
/** On the loopback of the command's own network. */
export const RELAY_PORT = 3128;

/** Names in the folder of a gateway. */
export const SOCKET = 'socket';
export const RELAY = 'relay.cjs';
export const NODE = 'node';

/** Programs speak to a proxy by TCP; its socket is a file, the only thing that leads out of the command's network. */
export const RELAY_TEXT = `
const net = require('node:net');
const fs = require('node:fs');
const { pipeline } = require('node:stream');
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: '${INSIDE}/${SOCKET}', allowHalfOpen: true });
  pipeline(near, far, () => {});
  pipeline(far, near, () => {});
});
server.listen(${RELAY_PORT}, '127.0.0.1', () => fs.writeSync(1, 'ready\\n'));
`;

const READY = '/tmp/.klaus-relay';

/** Shell lines before a command: the relay listens when they are done, and ends with the command's namespaces. */
export const RELAY_LINES: readonly string[] = [
  `mkfifo ${READY} || exit 125`,
  `env -i ${INSIDE}/${NODE} ${INSIDE}/${RELAY} </dev/null >${READY} 2>/dev/null 3>&- &`,
  `read -r ready <${READY} || { echo 'The relay of the network did not start.' >&2; exit 125; }`,
  `rm -f ${READY}`,
];

/** Arguments of bubblewrap. @param folder Of the gateway, on this machine. */
export function toRelayMounts(folder: string): string[] {
  return ['--ro-bind', folder, INSIDE, '--ro-bind', realpathSync.native(process.execPath), `${INSIDE}/${NODE}`];
}
