// Covers apps/web: every view in a window of 320 px, in both languages.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { openPage } from '../fixtures/page.ts';
import { follow, startTestServer, type TestServer } from '../fixtures/server.ts';
import { toTagged } from '../fixtures/split-cases.ts';

const change = [{ name: 'write_file', input: { path: 'a.txt', content: 'b\n' } }];

/** What is outside of the window, cut without an ellipsis, or scrolls sideways; code and diffs may. */
const FIND_CUT = `(() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page');
  const name = (it) => it.tagName + ' ' + it.className + ' ' + it.textContent.trim().slice(0, 30);
  for (const it of document.querySelectorAll('body *')) {
    const box = it.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || it.closest('pre, .diff, .unseen, svg') || !it.checkVisibility()) continue;
    if (box.left < -1 || box.right > innerWidth + 1) found.push('outside: ' + name(it));
    const { overflowX, textOverflow } = getComputedStyle(it);
    if (overflowX !== 'visible' && textOverflow !== 'ellipsis' && it.scrollWidth > it.clientWidth + 1)
      found.push('cut: ' + name(it));
  }
  return found;
})()`;

describe.skipIf(WITHOUT_BROWSER !== undefined)(`320 px${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let views: [hash: string, shown: string][];

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({
      files: { 'a.txt': 'a\n' },
      script: {
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          { when: { user: 'write', turn: 0 }, reply: { text: 'I write.', calls: change } },
        ],
        fallback: { text: 'Fine.' },
      },
    });
    const begin = async (mode: 'ask' | 'auto', until: 'approval.asked' | 'run.finished') => {
      const { session } = await it.client.openSession({ body: { text: 'write a long word', mode } });
      const followed = follow(it.client, session);
      await followed.until(until);
      await followed.stop();
      return session;
    };
    const done = await begin('auto', 'run.finished');
    const asking = await begin('ask', 'approval.asked');
    const sections = ['keys', 'mcp', 'model', 'budgets', 'sandbox', 'memory'];
    views = [
      ['', '.session-row'],
      [`s/${asking}`, '.approval'],
      [`s/${done}`, '.end'],
      [`s/${done}/changes`, '.diff'],
      [`s/${done}/files`, '.files'],
      [`s/${done}/gate`, '.decision'],
      ['board', '.board-card'],
      ['usage', '.usage-table td'],
      ['agents', '.agent-row'],
      ['agents/new', '.agent-authority li'],
      ['guard', 'main h1'],
      ...[...sections, 'appearance', 'notifications', 'keyboard', 'all'].map((section): [string, string] => [
        `settings/${section}`,
        'main h2',
      ]),
    ];
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  for (const { name, value: locale, tags } of toTagged({ English: 'en-GB', German: 'de-DE' }, 1))
    test(`in ${name}, no view is cut or scrolls sideways`, { tags, timeout: 240_000 }, async () => {
      const { server } = it;
      const { page, complaints } = await openPage(browser, { url: server.url, token: server.token, locale });
      await page.setViewportSize({ width: 320, height: 640 });
      const found: Record<string, unknown> = {};
      for (const [hash, shown] of views) {
        await page.goto(`${server.url}/#/${hash}`);
        await page.locator(shown).first().waitFor();
        await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
        const cut = (await page.evaluate(FIND_CUT)) as string[];
        if (cut.length > 0) found[hash] = cut;
      }
      expect(found).toEqual({});
      expect(complaints).toEqual([]);
      await page.close();
    });
});
