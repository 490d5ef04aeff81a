// Replays a session, forks it, and undoes what it changed. With a key in ANTHROPIC_API_KEY, in a folder with notes.txt:
//   node examples/fork-and-undo.ts
import { readFile } from 'node:fs/promises';
import { createKlaus } from '@klaus/sdk';

await using klaus = await createKlaus();
const session = await klaus.open({ mode: 'edits' });
await session.prompt('Replace the content of notes.txt with "new".');
await session.advance();
console.log('changed:', (await readFile('notes.txt', 'utf8')).trim());

// The loop again, on the log alone: offline, and without touching a file.
const replayed = await session.replay();
console.log('replay:', replayed.outcome, replayed.requests);

// Another session that continues from the same point. It works in the same folder.
const fork = await klaus.fork(session.id, { title: 'A second try' });
await fork.session.prompt('Say what you did.');
const result = await fork.session.advance();
console.log(
  'fork:',
  fork.from === session.id,
  fork.settled.length,
  result.state === 'idle' && result.finished?.outcome,
);

const undone = await session.restore({ kind: 'undo' }, { by: 'example' });
console.log('undo:', undone.done, (await readFile('notes.txt', 'utf8')).trim());
const redone = await session.restore({ kind: 'redo' }, { by: 'example' });
console.log('redo:', redone.done, (await readFile('notes.txt', 'utf8')).trim());
