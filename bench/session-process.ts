// Sessions of given numbers of turns, one after the other; reads its own CPU time as each turn begins.
import { createKlaus } from '@klaus/sdk';
import type { TestHome } from '../test/fixtures/test-home.ts';
import { type CpuReadings, readCpu } from './cpu-readings.ts';

export interface SessionOrder {
  place: Pick<TestHome, 'home' | 'workspace' | 'env'>;
  url: string;
  /** Turns of each session. */
  sessions: readonly number[];
}

const { place, url, sessions } = JSON.parse(process.argv[2]!) as SessionOrder;
await using klaus = await createKlaus({
  home: place.home,
  cwd: place.workspace,
  env: place.env,
  settings: { model: 'scripted/turns', 'limits.tokens': 0, 'limits.toolCalls': 0 },
  scripted: async () => ({ url, contextWindow: 100_000_000 }),
});
const readings: CpuReadings = [];
for (const turns of sessions) {
  // Only files are read: no command runs, in no sandbox.
  const session = await klaus.open({ sandbox: 'host' });
  const mine: number[] = [];
  session.subscribe(0, (event) => {
    if (event.type === 'turn.started') mine.push(readCpu());
  });
  await session.prompt(`Work for ${turns} turns.`);
  const result = await session.advance();
  const outcome = result.state === 'idle' ? result.finished?.outcome : result.state;
  if (outcome !== 'done') throw new Error(`the session ended with ${outcome}`);
  readings.push(mine);
}
process.send!(readings);
process.disconnect();
