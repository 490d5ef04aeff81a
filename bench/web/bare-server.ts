import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a bare page asks for by its path. */
export type Answers = Readonly<Record<string, (response: ServerResponse) => Promise<void> | void>>;

/** Gives out pages that do the least that can be done with the same bytes. */
export async function startBareServer(answers: Answers) {
  const server = createServer((request, response) => {
    const answer = answers[new URL(request.url ?? '/', 'http://localhost').pathname];
    if (!answer) response.writeHead(404).end();
    else void answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function toBarePage(script: string): (response: ServerResponse) => void {
  const page = `<!doctype html><meta charset="utf-8"><title>bare</title>
<style>#list { height: 600px; overflow-y: auto; white-space: pre-wrap; }</style>
<input id="field"><div id="list" tabindex="0"></div><script type="module">${script}</script>`;
  return (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page);
}

/** Sends a text in pieces of `size` characters, one every `pace` milliseconds, each as one event. */
export async function sendInPieces(
  response: ServerResponse,
  text: string,
  { size, pace }: { size: number; pace: number },
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let at = 0; at < text.length && !response.destroyed; at += size) {
    const data = { type: 'message.delta', message: 'm', part: 'text', offset: at, text: text.slice(at, at + size) };
    response.write(`event: live\ndata: ${JSON.stringify(data)}\n\n`);
    await sleep(pace);
  }
  response.end();
}

/** In a page: calls `take` with the data of each event of a stream; resolves at its end. */
export const READ_EVENTS = `
async function readEvents(path, take) {
  const reader = (await fetch(path)).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + value).split('\\n\\n');
    rest = frames.pop();
    for (const frame of frames) {
      const at = frame.indexOf('data: ');
      if (at >= 0) take(JSON.parse(frame.slice(at + 6)));
    }
  }
}`;
