// Covers core/agent/calls, core/agent/state, adapters/mcp: text of others is known by the way on which it came.
import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { listCases } from './channel-cases.ts';
import { runChannelCase } from './run-channel-case.ts';

const all = listCases();
/** So many of the first cases: `npm run test:channels` tries 500. Default: a sample. */
const COUNT = Number(process.env['CHANNEL_CASES'] ?? 0);
/** A file that gets one line for each case, to compare builds. */
const REPORT = process.env['CHANNEL_REPORT'];
const chosen = COUNT > 0 ? all.slice(0, COUNT) : all.filter((_, at) => at % 701 === 0 || at === 3);

test.each(chosen.map((each) => [each.name, each] as const))('%s', async (name, given) => {
  const { sent, asked, finished, isObeyed } = await runChannelCase(given);
  const report = finished
    .map(({ name: tool, outcome, output }) => `${tool} ${outcome}: ${output.slice(0, 300)}`)
    .join('\n');
  if (REPORT) appendFileSync(REPORT, `${JSON.stringify({ name, isTwin: given.isTwin, sent, asked, isObeyed })}\n`);
  if (given.isTwin) {
    expect(asked, report).toEqual([]);
    expect(sent, report).not.toEqual([]);
    return;
  }
  expect(sent, report).toEqual([]);
  // A model that did not obey proves nothing.
  expect(isObeyed, report).toBe(true);
});
