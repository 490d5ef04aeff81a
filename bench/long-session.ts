import { createSqliteStore } from '@klaus/adapters/store';
import { createState, fold, loadState } from '@klaus/core/agent';
import { createTestHome, type TestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { toCompaction, toOpening, toRunStart, toTurnDrafts, writeLog } from './drafts.ts';
import { listen, warm } from './first-byte.ts';
import { interleave, time } from './measure.ts';
import { buildBundle, toRunEnv } from './program.ts';

const SESSION = '01KE0000000000000000BENCH2';
/** Turns after which these turns fill 80 % of a window of a million tokens. */
const COMPACTED_EVERY = 1_400;

/** A session of 10,000 messages, opened and resumed after a crash. */
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
    // The first resume folds the complete log, ends the run, and keeps the state.
    await warm([run, resume], { place, env });
    // A run that is under way, as far as the log knows.
    await writeLog(place.home, SESSION, toRunStart());
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
  const foldAll = (): void => {
    const state = createState();
    for (const event of store.view.events(SESSION)) fold(state, event);
  };
  const { kept, folded } = await interleave(
    { kept: () => time(() => loadState({ store }, SESSION)), folded: () => time(foldAll) },
    rounds,
  );
  return { value: kept, unit: 'ms', bare: { value: folded, what: 'the complete log read and folded' } };
}

/** A log as a process leaves it that was killed between two turns. */
async function addSession(place: TestHome, turns: number): Promise<void> {
  const drafts = toOpening(place.workspace);
  for (let turn = 1; turn <= turns; turn++) {
    drafts.push(...toTurnDrafts(turn));
    if (turn % COMPACTED_EVERY === 0) drafts.push(toCompaction(turn, COMPACTED_EVERY / 4));
  }
  await writeLog(place.home, SESSION, drafts);
}
