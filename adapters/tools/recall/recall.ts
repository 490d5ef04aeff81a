import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import type { RecalledText } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { checkWord } from '../shell/quote.ts';
import { toolFailed } from '../tool-failed.ts';

/** Characters. */
const PAGE = 6_000;
const MAX_NAMED = 20;

/** Finds the exact text of messages, calls and results of the session, including those that compaction dropped. */
export const recall = defineBuiltinTool({
  name: 'recall',
  description:
    'Find the exact text of earlier messages, calls and results of this session, including truncated and dropped ones: by words, or by reading one record.',
  input: z.object({
    query: z.string().optional().describe('distinctive words'),
    seq: z.number().min(1).optional().describe('record to read'),
    start: z.number().min(0).optional().describe('offset of the first character'),
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
    if ((query === undefined) === (seq === undefined)) throw toolFailed('Use either query or seq.');
    checkWord('query', query ?? '');
    const what = query === undefined ? `record ${seq}` : headOf(query.replaceAll(/\s+/g, ' '), 100);
    return { title: `recall ${what}`, access: [] };
  },
  async run({ query, seq, start }, context) {
    if (seq !== undefined) {
      const page = await context.recall.read(seq, { max: PAGE, start: Math.floor(start ?? 0) });
      if (page) return { text: describePage(page) };
      throw toolFailed(`Record ${seq} of this session has no text. Find records with query.`);
    }
    const { hits, skipped } = await context.recall.search(query!);
    const omitted =
      skipped.length === 0
        ? []
        : [`Not searched, because they are too large: seq ${skipped.slice(0, MAX_NAMED).join(', ')}.`];
    if (hits.length === 0) {
      return { text: ['No text of this session has these words. Use other or fewer words.', ...omitted].join('\n') };
    }
    const next = `Continue with recall {"seq": ${hits[0]!.seq}, "start": ${hits[0]!.start + hits[0]!.text.length}}.`;
    return {
      text: [...hits.map(describeHit), next, ...omitted].join('\n\n'),
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
