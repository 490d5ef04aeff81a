import type { Benchmark, Row, Skipped } from '../benchmark.ts';
import { interleave } from '../measure.ts';
import { buildBundle, openModelServer, SOURCE } from '../program.ts';
import { openKlaus, openPeer, PEER_NAMES, type Program, timeToPrompt } from './programs.ts';

const TEXT = 'started';
const PROMPT = 'start to the first prompt';

/** Start to the first painted prompt, in a terminal. */
export const start: Benchmark = {
  name: 'start',
  async run({ quick }) {
    using stack = new DisposableStack();
    await using server = await openModelServer({ steps: [{ reply: { text: 'Hello.' } }] });
    const klaus = stack.use(await openKlaus(buildBundle(), server.url));
    const source = stack.use(await openKlaus(SOURCE, server.url));
    const peers = new Map<string, Program>();
    const rows: (Row | Skipped)[] = [];
    for (const name of PEER_NAMES) {
      try {
        peers.set(name, stack.use(await openPeer(name, server.url)));
      } catch (error) {
        rows.push({ name: `start of ${name}`, skipped: String(error).split('\n')[0]! });
      }
    }
    const bare = {
      command: [process.execPath, '-e', `console.log('${TEXT}')`],
      options: klaus.options,
      prompt: new RegExp(TEXT),
    };
    const things = { bare, klaus, source, ...Object.fromEntries(peers) };
    const measures = Object.entries(things).map(([name, program]) => [name, () => timeToPrompt(program)] as const);
    const taken = await interleave(Object.fromEntries(measures), quick ? 3 : 21);
    const beside = { value: taken['bare']!, what: 'node -e that prints a line, in the same terminal' };
    const best = [...peers].toSorted(([a], [b]) => taken[a]! - taken[b]!)[0];
    return [
      { name: `${PROMPT}, bundle`, value: taken['klaus']!, unit: 'ms', bare: beside, most: { times: 4 } },
      ...(best ? [toBest(taken['klaus']!, { title: best[1].title, time: taken[best[0]]! })] : []),
      { name: `${PROMPT}, source`, value: taken['source']!, unit: 'ms', bare: beside },
      ...[...peers].map(([name, { title }]): Row => ({
        name: `${PROMPT}, ${title}`,
        value: taken[name]!,
        unit: 'ms',
        bare: beside,
      })),
      ...rows,
    ];
  },
};

function toBest(value: number, { title, time }: { title: string; time: number }): Row {
  const bare = { value: time, what: `${title}, the fastest of the others` };
  return { name: `${PROMPT}, bundle`, value, unit: 'ms', bare, most: { times: 0.7 } };
}
