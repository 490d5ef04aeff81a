// The scripted model server in a process of its own, so that its work is not counted as the client's.
import { writeFileSync } from 'node:fs';
import { type Script, startModelServer } from '@klaus/sdk';

export interface ModelOrder {
  /** Or its file: a command line cannot be longer than 128 KB. */
  script: Script | string;
}

/** Sent when the server listens. */
export interface ModelReady {
  url: string;
}

/** Asks for every body received so far, one behind the other in one file. */
export interface SaveBodies {
  file: string;
}

/** Bytes of each body, in order of arrival. */
export interface SavedBodies {
  lengths: number[];
}

const { script } = JSON.parse(process.argv[2]!) as ModelOrder;
const server = await startModelServer({ script });
process.on('message', ({ file }: SaveBodies) => {
  const bodies = server.requests.map((request) => Buffer.from(request.body));
  writeFileSync(file, Buffer.concat(bodies));
  process.send!({ lengths: bodies.map((body) => body.length) } satisfies SavedBodies);
});
process.on('disconnect', () => process.exit());
process.send!({ url: server.url } satisfies ModelReady);
