import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Served } from '../server/server-process.ts';

/** What Chromium has counted for a page since it was opened. Milliseconds of the main thread's own CPU time. */
export interface Spent {
  /** JavaScript, its compilation included; style and layout that it asked for are left out. */
  script: number;
  /** Everything that the main thread did. */
  task: number;
}

/** A page of its own, with nothing in its caches, whose user is signed in. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly cdp: CDPSession;
  spent(): Promise<Spent>;
  /** JavaScript heap that is in use after a collection, in MB. */
  heap(): Promise<number>;
}

export async function openVisit(browser: Browser, served?: Served): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, locale: 'en-GB' });
  if (served) await signIn(context, served);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    page,
    cdp,
    async spent() {
      const { metrics } = await cdp.send('Performance.getMetrics');
      const read = (wanted: string) => (metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN) * 1_000;
      return { script: read('ScriptDuration') + read('V8CompileDuration'), task: read('TaskDuration') };
    },
    async heap() {
      await cdp.send('HeapProfiler.collectGarbage');
      const { usedSize } = await cdp.send('Runtime.getHeapUsage');
      return usedSize / 1e6;
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

async function signIn(context: BrowserContext, { url, headers }: Served): Promise<void> {
  const token = headers.authorization.slice('Bearer '.length);
  const answer = await context.request.post(new URL('/api/sign-in', url).href, {
    data: { token },
    headers: { origin: url.origin },
  });
  if (!answer.ok()) throw new Error(`the server refuses its own token: ${answer.status()}`);
}
