import type { Browser, BrowserContext } from 'playwright-core';
import type { Served } from '../server/server-process.ts';

export type Visit = Awaited<ReturnType<typeof openVisit>>;

/** Opens a page of its own, with nothing in its caches, whose user is signed in. */
export async function openVisit(browser: Browser, served?: Served) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, locale: 'en-GB' });
  if (served) await signIn(context, served);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    page,
    cdp,
    /**
     * Milliseconds of the main thread's own CPU time since the page was opened: of JavaScript with its compilation, and
     * of everything.
     */
    async spent(): Promise<{ script: number; task: number }> {
      const { metrics } = await cdp.send('Performance.getMetrics');
      const read = (wanted: string) => (metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN) * 1_000;
      return { script: read('ScriptDuration') + read('V8CompileDuration'), task: read('TaskDuration') };
    },
    /** JavaScript heap that is in use after a collection, in MB. */
    async heap(): Promise<number> {
      await cdp.send('HeapProfiler.collectGarbage');
      const { usedSize } = await cdp.send('Runtime.getHeapUsage');
      return usedSize / 1e6;
    },
    [Symbol.asyncDispose]: (): Promise<void> => context.close(),
  };
}

async function signIn(context: BrowserContext, { url, token }: Served): Promise<void> {
  const answer = await context.request.post(new URL('/api/sign-in', url).href, {
    data: { token },
    headers: { origin: url.origin },
  });
  if (!answer.ok()) throw new Error(`the server refuses its own token: ${answer.status()}`);
}
