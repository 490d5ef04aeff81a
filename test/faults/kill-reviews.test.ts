// Covers core/agent/review: SIGKILL after each event around the verdicts of reviewers.
import { mkdirSync, readdirSync } from 'node:fs';
import { createModelServer } from '@klaus/adapters/models';
import type { Event, EventOf } from '@klaus/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { canonicalOf, createKillBench, killAndResume, readSession, runOrder, type KillBench } from './kill-bench.ts';

const write = (name: string) => ({ name: 'write_file', input: { path: `${name}.txt`, content: 'text\n' } });
const verdict = (word: string) => ({
  calls: [{ name: 'give_verdict', input: { verdict: word, reason: 'So it is.' } }],
});

const JUDGE = 'works on what its user asked for';

const isReview = ({ purpose }: EventOf<'model.requested'> | EventOf<'model.attempted'>): boolean =>
  purpose === 'review';

const filesOf = ({ order }: KillBench): string[] =>
  readdirSync(order.workspace).filter((name) => name.endsWith('.txt'));

/** After how many of the events one is tried: a sample; `npm run test:kill` tries all of them. */
const STEP = process.env['KILL_STEP'] === '1' ? 1 : 3;

test('a killed process loses no charge and no verdict, and asks for none twice', async () => {
  const server = await createModelServer({
    script: {
      steps: [
        { when: { system: JUDGE, user: 'Changed files:\\s+[|] two' }, reply: verdict('OFF_TOPIC') },
        { when: { system: JUDGE }, reply: verdict('OK') },
        { when: { tools: false }, reply: { text: 'A title' } },
        { when: { turn: 0 }, reply: { calls: [write('one')] } },
        { when: { turn: 1 }, reply: { calls: [write('two')] } },
        { when: { turn: 2 }, reply: { text: 'Done.' } },
      ],
    },
  });
  onTestFinished(() => server.close());
  const create = () =>
    createKillBench((folder) => mkdirSync(folder, { recursive: true }), {
      url: server.url,
      prompt: 'Speed up the build',
      sandbox: 'host',
      reviewers: ['intent-validate'],
    });
  using undisturbed = create();
  const { lines } = await runOrder(undisturbed.order);
  const events = await readSession(undisturbed.order.home, lines[0]!.session!);
  const canonical = canonicalOf(undisturbed, events);
  expect(filesOf(undisturbed)).toEqual(['one.txt']);
  const isNear = (event: Event | undefined): boolean =>
    event?.type === 'gate.decided' ||
    ((event?.type === 'model.requested' || event?.type === 'model.attempted') && isReview(event));
  const all = events.filter((event, at) => isNear(event) || isNear(events[at + 1])).map(({ seq }) => seq);
  expect(all.length).toBeGreaterThan(6);
  const moments = all.filter((_, at) => at % STEP === 0);
  for (const seq of moments) {
    using bench = create();
    const { killed, session } = await killAndResume(bench, { dieAfterSeq: seq });
    expect(killed.signal).toBe('SIGKILL');
    const resumed: Event[] = await readSession(bench.order.home, session);
    const at = `killed after event ${seq}, ${events[seq - 1]!.type}`;
    expect(filesOf(bench), at).toEqual(['one.txt']);
    expect(canonicalOf(bench, resumed), at).toEqual(canonical);
    const requested = ofType(resumed, 'model.requested').filter(isReview);
    const attempted = ofType(resumed, 'model.attempted').filter(isReview);
    expect(attempted, at).toHaveLength(requested.length);
    expect(
      attempted.filter(({ review }) => review !== undefined),
      at,
    ).toHaveLength(2);
    expect(attempted.filter(({ outcome }) => outcome === 'abandoned').length, at).toBeLessThanOrEqual(1);
  }
}, 300_000);
