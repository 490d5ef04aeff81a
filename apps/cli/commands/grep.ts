import type { RecalledText } from '@klaus/sdk';
import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { refuseServer, type ServerOptions } from '../server-option.ts';
import { createPaint } from '../output/paint.ts';
import { toPrintable } from '@klaus/sdk/printable';

const LIMIT = 20;

/** `klaus show ID --grep WORDS`: where in the session's messages, calls and results the words stand. */
export async function grep(
  id: string,
  query: string,
  options: ServerOptions & { json?: true; plain?: true },
): Promise<number> {
  refuseServer(options, 'klaus show --grep');
  await using klaus = await openKlaus();
  const session = klaus.session(id);
  const { hits, skipped } = await session.recall.search(query, { limit: LIMIT });
  if (options.json) {
    for (const hit of hits) process.stdout.write(`${JSON.stringify(hit)}\n`);
  } else {
    const paint = createPaint(process.stdout, options.plain ?? false);
    process.stdout.write(hits.map((hit) => `${paint('bold', toHead(hit))}\n${toPrintable(hit.text)}\n\n`).join(''));
  }
  if (hits.length === 0) process.stderr.write(`Nothing in session ${session.id} has these words.\n`);
  if (skipped.length > 0)
    process.stderr.write(`Not looked through, because there is too much of them: seq ${skipped.join(', ')}.\n`);
  return EXIT.done;
}

function toHead({ seq, turn, title, start, text, length }: RecalledText): string {
  return `seq ${seq}, turn ${turn}, ${toPrintable(title)}, characters ${start}–${start + text.length} of ${length}`;
}
