import { createSqliteStore } from '@klaus/adapters/store';
import { createState, fold, loadState, type Draft } from '@klaus/core/agent';
import { createTestHome, type TestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { toCompaction, toOpening, toRunStart, toTurnDrafts } from './drafts.ts';
import { listen, warm } from './first-byte.ts';
import { interleave } from './measure.ts';
import { buildBundle, toRunEnv } from './program.ts';

const SESSION = '01KE0000000000000000BENCH2';
/** Turns after which these turns fill 80 % of a window of a million tokens. */
const COMPACTED_EVERY = 1_400;

/** A session of 10,000 messages, opened and gone on with after a crash. */
export const longSession: Benchmark = {
  name: 'resume',
  async run({ quick }) {
    const turns = quick ? 1_000 : 5_000;
    const bundle = buildBundle();
    using place = createTestHome();
    await using listener = await listen();
    const env = await toRunEnv(place, listener.url);
    const run = [...bundle, 'run', 'Say hello.'];
    const resume = [...bundle, 'resume', SESSION];
    await addSession(place, turns);
    // The first resume folds the whole log, ends the run, and keeps the state.
    await warm([run, resume], { place, env });
    await beginAgain(place);
    const opened = await timeOpening(place, { rounds: quick ? 3 : 11 });
    const started = await interleave(
      {
        resume: () => listener.timeToFirstByte(resume, { place, env }),
        run: () => listener.timeToFirstByte(run, { place, env }),
      },
      quick ? 5 : 21,
    );
    const bare = { value: started.run, what: 'start of a new run to the same' };
    const name = `session of ${turns * 2} messages`;
    return [
      { name: `${name} opened`, ...opened, most: 100 },
      { name: `${name} resumed to the first byte`, value: started.resume, unit: 'ms', bare, most: { times: 1.2 } },
    ];
  },
};

async function timeOpening(place: TestHome, { rounds }: { rounds: number }): Promise<Omit<Row, 'name'>> {
  using store = createSqliteStore({ home: place.home });
  const whole = (): void => {
    const state = createState();
    for (const event of store.view.events(SESSION)) fold(state, event);
  };
  const { kept, folded } = await interleave(
    { kept: async () => time(async () => await loadState({ store }, SESSION)), folded: async () => time(whole) },
    rounds,
  );
  return { value: kept, unit: 'ms', bare: { value: folded, what: 'the whole log read and folded' } };
}

function time(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** A log as a process leaves it that was killed between two turns. */
async function addSession(place: TestHome, turns: number): Promise<void> {
  using store = createSqliteStore({ home: place.home });
  const lease = (await store.claim(SESSION))!;
  const batch: Draft[] = toOpening(place.workspace);
  for (let turn = 1; turn <= turns; turn++) {
    batch.push(...toTurnDrafts(turn));
    if (turn % COMPACTED_EVERY === 0) batch.push(toCompaction(turn, COMPACTED_EVERY / 4));
    if (turn % 50 === 0) await store.append(SESSION, batch.splice(0), { lease });
  }
  await store.append(SESSION, batch, { lease });
  await lease.release();
}

/** A run that is under way, as far as the log knows. */
async function beginAgain(place: TestHome): Promise<void> {
  using store = createSqliteStore({ home: place.home });
  const lease = (await store.claim(SESSION))!;
  await store.append(SESSION, toRunStart(), { lease });
  await lease.release();
}
