import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import type { RecalledText } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { checkWord } from '../shell/quote.ts';

/** Characters of one record that are given at a time. */
const PAGE = 6_000;
/** Record numbers that are named. */
const MAX_NAMED = 20;

/** Finds the exact text of what the session said, called and was given, also where compaction left it out. */
export const recall = defineBuiltinTool({
  name: 'recall',
  description:
    'Find the exact text of earlier messages, calls and results of this session, also cut or dropped ones: by words, or read on in one record.',
  input: z.object({
    query: z.string().optional().describe('distinctive words'),
    seq: z.number().min(1).optional().describe('record to read'),
    start: z.number().min(0).optional().describe('its first character to show'),
  }),
  effects: ['read'],
  resume: 'repeat',
  example: {
    files: { 'long.txt': `${'line\n'.repeat(3_000)}the pelican sleeps\n${'line\n'.repeat(3_000)}` },
    before: [{ name: 'read_file', input: { path: 'long.txt' } }],
    input: { query: 'pelican' },
    output: /^\[seq \d+, turn 1, [^]*the pelican sleeps\n/,
  },
  async prepare({ query, seq }) {
    if ((query === undefined) === (seq === undefined))
      throw new KlausError('tool.failed', 'recall takes either query or seq.');
    checkWord('query', query ?? '');
    const what = query === undefined ? `record ${seq}` : query.replaceAll(/\s+/g, ' ').slice(0, 100);
    return { title: `recall ${what}`, access: [] };
  },
  async run({ query, seq, start }, context) {
    if (seq !== undefined) {
      const page = await context.recall.read(seq, { max: PAGE, start: Math.floor(start ?? 0) });
      if (page) return { text: describePage(page) };
      throw new KlausError('tool.failed', `Record ${seq} of this session has no text. Find one by a query.`);
    }
    const { hits, skipped } = await context.recall.search(query!);
    const unseen =
      skipped.length === 0
        ? []
        : [`Not looked through, because there is too much of them: seq ${skipped.slice(0, MAX_NAMED).join(', ')}.`];
    if (hits.length === 0) {
      return { text: ['Nothing in this session has these words. Try others, or fewer.', ...unseen].join('\n') };
    }
    const how = `Read on with recall {"seq": ${hits[0]!.seq}, "start": ${hits[0]!.start + hits[0]!.text.length}}.`;
    return {
      text: [...hits.map(describeHit), how, ...unseen].join('\n\n'),
      detail: { hits: hits.map((hit) => ({ seq: hit.seq, start: hit.start })) },
    };
  },
});

function toHead({ seq, turn, title, start, text, length }: RecalledText): string {
  return `[seq ${seq}, turn ${turn}, ${title}: characters ${start}–${start + text.length} of ${length}]`;
}

function describeHit(hit: RecalledText): string {
  return `${toHead(hit)}\n${hit.text}`;
}

function describePage(page: RecalledText): string {
  const end = page.start + page.text.length;
  const more = end < page.length ? `\n\n[${page.length - end} more: recall {"seq": ${page.seq}, "start": ${end}}]` : '';
  return `${describeHit(page)}${more}`;
}
