import type { Browser, Page } from 'playwright-core';

/** One piece of work of a thread. Times in microseconds; `tdur` is the thread's own CPU time. */
interface Work {
  name: string;
  ph: string;
  ts: number;
  dur: number;
  tdur: number;
  pid: number;
  tid: number;
  args: { name?: string };
}

/** What the main thread of a page did, in milliseconds of its own CPU time where nothing else is said. */
export interface Trace {
  /** JavaScript, its compilation and garbage collection; style, layout and paint that it caused are left out. */
  script: number;
  /** The same from one picture that was drawn to the next, for each in which there was any. */
  updates: number[];
  longestTask: number;
  /** The longest task by the clock on the wall, as the Long Tasks API of a browser reports it. */
  longestTaskOnWall: number;
}

const CATEGORIES = ['-*', 'toplevel', 'devtools.timeline', 'v8', 'v8.execute'];

/** Names of work that is scripting, as the developer tools of Chromium count it; names that start with `v8.` count too. */
const SCRIPT: ReadonlySet<string> = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  'MajorGC',
  'MinorGC',
  'RunMicrotasks',
  'TimerFire',
]);
const TASK = 'ThreadControllerImpl::RunTask';
const PICTURE = 'FireAnimationFrame';

/** Less scripting than this between two pictures is a spinner that turns. Milliseconds. */
const IDLE = 0.5;

/** Records what a page does while `work` lasts. */
export async function trace(browser: Browser, page: Page, work: () => Promise<void>): Promise<Trace> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: Work[] };
  return toTrace(traceEvents);
}

function toTrace(events: readonly Work[]): Trace {
  const own = findMainThread(events);
  const result: Trace = { script: 0, updates: [], longestTask: 0, longestTaskOnWall: 0 };
  let update = 0;
  const settle = () => {
    if (update >= IDLE) result.updates.push(update);
    update = 0;
  };
  const open: { work: Work; inside: number }[] = [];
  const leave = () => {
    const { work, inside } = open.pop()!;
    const outer = open.at(-1);
    if (outer) outer.inside += work.tdur;
    if (!isScript(work.name)) return;
    const self = (work.tdur - inside) / 1_000;
    result.script += self;
    update += self;
  };
  for (const work of own) {
    while (open.length > 0 && open.at(-1)!.work.ts + open.at(-1)!.work.dur <= work.ts) leave();
    if (work.name === PICTURE) settle();
    if (work.name === TASK) {
      result.longestTask = Math.max(result.longestTask, work.tdur / 1_000);
      result.longestTaskOnWall = Math.max(result.longestTaskOnWall, work.dur / 1_000);
    }
    open.push({ work, inside: 0 });
  }
  while (open.length > 0) leave();
  settle();
  return result;
}

/** Work of the busiest main thread, outer before inner. */
function findMainThread(events: readonly Work[]): Work[] {
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const works = mains.map(({ pid, tid }) =>
    events
      .filter((it) => it.pid === pid && it.tid === tid && it.ph === 'X')
      .map((it) => ({ ...it, tdur: it.tdur ?? 0, dur: it.dur ?? 0 })),
  );
  const busiest = works.toSorted((a, b) => sum(b) - sum(a))[0];
  if (!busiest || sum(busiest) === 0) throw new Error('the trace holds no work of a page');
  return busiest.toSorted((a, b) => a.ts - b.ts || b.dur - a.dur);
}

function sum(works: readonly Work[]): number {
  return works.reduce((all, { name, tdur }) => (name === TASK ? all + tdur : all), 0);
}

function isScript(name: string): boolean {
  return SCRIPT.has(name) || /^v8\./i.test(name);
}
