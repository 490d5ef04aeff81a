// Covers apps/web/guard, sdk/guard-log: the page of the guard of Claude Code.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enGuard } from '../../apps/web/text/en-guard.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { recordDecision } from '../fixtures/guard-decisions.ts';
import { expectAccessible, openPage, type WatchedPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
/** More than two pages of the list. */
const OLD = 120;
/** Decisions that a page of the list has. */
const PAGE = 50;

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the guard${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;
  const seqs: number[] = [];

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer();
    browser = await openBrowser();
    watched = await openPage(browser, { url: it.server.url, token: it.server.token });
    ({ page } = watched);
    await page.goto(`${it.server.url}/#/guard`);
    await page.getByRole('heading', { name: enGuard.title, exact: true }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  const shown = () =>
    page.locator('.guard-decision').evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-seq'))));
  const row = (seq: number) => page.locator(`.guard-decision[data-seq="${seq}"]`);
  const figure = (name: string) =>
    page
      .locator('.guard-figures > div', { has: page.getByText(name, { exact: true }) })
      .locator('strong')
      .innerText();
  const record = async (...given: Parameters<typeof recordDecision> extends [unknown, infer F] ? [F] : never) =>
    void seqs.push((await recordDecision(it.klaus, ...given)).seq);

  test('without decisions it names the command that installs the guard', async () => {
    await expect.poll(() => page.getByText('klaus guard install', { exact: true }).count(), WAIT).toBe(1);
    await expectAccessible(page, 'the empty guard');
  });

  test('it follows new decisions, and shows one with its reviews when it is opened', async () => {
    for (let at = 0; at < OLD; at++) await record({ workspace: '/projects/shop', text: `echo ${at}` });
    await page.reload();
    await expect.poll(shown, WAIT).toEqual(seqs.toReversed().slice(0, PAGE));
    await record({
      workspace: '/projects/shop',
      text: 'npm publish',
      verdict: 'deny',
      rule: 'tool-approve',
      reason: 'it was not requested',
      reviews: [
        { reviewer: 'tool-approve', outcome: 'deny', reason: 'it was not requested', decidedBy: 'model', usd: 0.01 },
        { reviewer: 'tool-appeal', outcome: 'deny', reason: 'it is not in the prompt', decidedBy: 'model', usd: 0.02 },
      ],
    });
    await record({
      workspace: '/projects/site',
      text: 'node deploy.js',
      reviews: [
        { reviewer: 'tool-approve', outcome: 'deny', reason: 'it leaves the machine', decidedBy: 'rules' },
        { reviewer: 'tool-appeal', outcome: 'pass', reason: 'the user asked for it', decidedBy: 'model', usd: 0.03 },
      ],
    });
    await record({
      workspace: '/projects/site',
      text: 'rm -rf /',
      verdict: 'deny',
      rule: 'shell',
      reason: 'destroy: /',
    });
    await record({
      workspace: '/projects/site',
      event: 'Stop',
      text: 'All tests pass.',
      verdict: 'deny',
      rule: 'evidence',
    });
    await expect.poll(shown, WAIT).toEqual(seqs.toReversed().slice(0, PAGE + 4));
    await expect.poll(() => figure(enGuard.blocked), WAIT).toBe('1');
    expect(await figure(enGuard.calls)).toBe(String(OLD + 3));
    expect(await figure(enGuard.denied)).toBe('2%');
    expect(await figure(enGuard.overturned)).toBe('50%');
    expect(await figure(enGuard.cost)).toBe('$0.0600');

    const published = row(seqs[OLD]!);
    await published.getByRole('button').click();
    const reviews = published.getByRole('group', { name: enGuard.reviewsOf }).locator('tbody tr');
    await expect.poll(() => reviews.count(), WAIT).toBe(2);
    await expectAccessible(page, 'the guard');
    await page.setViewportSize({ width: 320, height: 800 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), WAIT).toBe(true);
    const { GUARD_SHOTS: folder } = process.env;
    if (folder !== undefined) await page.screenshot({ path: join(folder, 'narrow.png') });
    await page.setViewportSize({ width: 1_280, height: 1_100 });
    if (folder !== undefined) await page.screenshot({ path: join(folder, 'wide.png') });
  });

  test('older decisions are added at the end, and a new one at the beginning', async () => {
    const older = page.getByRole('button', { name: enGuard.older });
    await older.click();
    await expect.poll(shown, WAIT).toEqual(seqs.toReversed().slice(0, 2 * PAGE + 4));
    await record({ workspace: '/projects/shop', text: 'ls', tool: 'Bash' });
    await expect.poll(shown, WAIT).toEqual(seqs.toReversed().slice(0, 2 * PAGE + 5));
    await older.click();
    await expect.poll(shown, WAIT).toEqual(seqs.toReversed());
    await expect.poll(() => older.count(), WAIT).toBe(0);
  });

  test('filters by decision, by who decided, and by project', async () => {
    const verdict = page.getByRole('group', { name: enGuard.verdict });
    await verdict.getByRole('button', { name: enGuard.verdicts.deny }).click();
    await expect.poll(shown, WAIT).toEqual([seqs[OLD + 3], seqs[OLD + 2], seqs[OLD]]);
    await page.getByLabel(enGuard.decider).selectOption('tool-approve');
    await expect.poll(shown, WAIT).toEqual([seqs[OLD]]);
    await page.getByRole('combobox', { name: enGuard.project }).selectOption('/projects/site');
    await expect.poll(shown, WAIT).toEqual([]);
    await page.getByText(enGuard.noneShown).waitFor();
    // The rates are those of the project.
    await expect.poll(() => figure(enGuard.calls), WAIT).toBe('2');
    await page.getByLabel(enGuard.decider).selectOption('gate');
    await expect.poll(shown, WAIT).toEqual([seqs[OLD + 3], seqs[OLD + 2]]);
  });

  test(
    'it shows installations, and the list of pages what is wrong with one until it was seen',
    { tags: ['long'] },
    async () => {
      const file = '/home/user/.claude/settings.json';
      const installation = page.locator(`.guard-installation[data-of="${file}"]`);
      const change = (state: 'on' | 'off', reason: string) =>
        it.klaus.recordGuard({
          type: 'guard.changed',
          workspace: '/home/user/.claude',
          of: file,
          place: 'user',
          state,
          reason,
        });
      await change('on', 'installed');
      await expect.poll(() => installation.getAttribute('data-state'), WAIT).toBe('on');
      const alert = page.locator('.sidebar').getByRole('link', { name: en.attention.guardOff });
      expect(await alert.count()).toBe(0);
      await change('off', '`disableAllHooks` is set');
      await expect.poll(() => installation.getAttribute('data-state'), WAIT).toBe('off');
      await expect.poll(() => alert.count(), WAIT).toBe(1);
      await expectAccessible(page, 'the guard that is off');
      const { GUARD_SHOTS: folder } = process.env;
      if (folder !== undefined) await page.screenshot({ path: join(folder, 'off.png') });
      await installation.getByRole('button', { name: enGuard.dismiss }).click();
      await expect.poll(() => alert.count(), WAIT).toBe(0);
      expect(await installation.getAttribute('data-state')).toBe('off');
    },
  );

  test('it is reached by the list of pages and by keys', async () => {
    await page.goto(`${it.server.url}/#/`);
    await page.getByRole('button', { name: en.app.guard, exact: true }).click();
    await page.getByRole('heading', { name: enGuard.title, exact: true }).waitFor();
    expect(watched.complaints).toEqual([]);
  });
});
