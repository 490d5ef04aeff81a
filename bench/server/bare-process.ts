// The least that a program can do: it writes each line that it is given to every open answer. Prints its port.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

const open = new Set<ServerResponse>();
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': \n\n');
  open.add(response);
  response.on('close', () => open.delete(response));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
let id = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const frame = `id: ${++id}\nevent: event\ndata: ${line}\n\n`;
  for (const response of open) response.write(frame);
}
process.exit(0);
