// Runs a server of this folder over standard input and output: its file, and a file that counts its starts.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { toAnswer, type BadServer, type Message } from './bad-server.ts';

const [file = '', counter = ''] = process.argv.slice(2);
const { server } = (await import(file)) as { server: BadServer };
const starts = readFileSync(counter).length;
const write = (text: string): void => void process.stdout.write(text);
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  if (message.method === 'initialize') appendFileSync(counter, '.');
  if (server.onStdio?.({ message, starts, write })) return;
  const answer = toAnswer(server, message);
  if (answer) write(`${JSON.stringify(answer)}\n`);
});
