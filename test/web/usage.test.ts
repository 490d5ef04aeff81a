// Covers apps/web/usage, sdk/sessions, apps/server/handlers: the usage page.
// @module-tag long
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { enUsage } from '../../apps/web/text/usage/en-usage.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER, readDownload } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { follow, startTestServer, type TestServer } from '../fixtures/server.ts';

const USAGE = { input: 1_000, output: 500, cacheRead: 3_000, cacheWrite: 0 };
const SCRIPT = { steps: [], fallback: { text: 'Done.', usage: USAGE } };

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the usage page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    await provideWebPage();
    browser = await openBrowser();
    it = await startTestServer({ script: SCRIPT, settings: { 'usage.monthlyUsd': 0.0001 } });
    const { session } = await it.client.openSession({ body: { text: '=HYPERLINK("x")' } });
    const followed = follow(it.client, session);
    await followed.until('run.finished');
    await followed.stop();
    ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token }));
    await page.goto(`${it.server.url}/#/usage`);
    await page.locator('.usage-table').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  test('the summary has the cost, the hit rate of the cache, and a forecast above the plan', async () => {
    const summary = page.getByRole('region', { name: enUsage.summary });
    const { rows } = await it.client.usage({ query: { by: 'day' } });
    await summary.getByText(enUsage.requests(rows[0]!.requests)).waitFor();
    await summary.getByText('75%').waitFor();
    await summary.locator('.bad').waitFor();
    expect(await summary.getByRole('link', { name: enUsage.setPlan }).count()).toBe(0);
    // One day is no chart.
    await page.getByText(enUsage.firstDay).waitFor();
    expect(await page.locator('.heat').count()).toBe(0);
    await expectAccessible(page, 'usage of the first day');
  });

  test('from the second day on there is a chart', async () => {
    // The server has no usage of yesterday.
    const addYesterday = async (route: Route) => {
      const response = await route.fetch();
      const { rows, ...rest } = (await response.json()) as { rows: { key: string }[] };
      const key = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
      await route.fulfill({ response, json: { ...rest, rows: [{ ...rows[0], key }, ...rows] } });
    };
    await page.route('**/api/usage?by=day*', addYesterday);
    await page.reload();
    await page.getByText(enUsage.heatTable).click();
    // The heat map has the values as a table: 26 weeks.
    expect(await page.locator('.heat tbody tr').count()).toBe(26);
    await expectAccessible(page, 'usage by day');
    await page.unroute('**/api/usage?by=day*', addYesterday);
  });

  test('projects are a group', async () => {
    await page.getByRole('button', { name: en.usage.workspace, exact: true }).click();
    await page.locator('.usage-table').getByRole('rowheader', { name: it.place.workspace }).waitFor();
    const { rows } = await it.client.usage({ query: { by: 'workspace' } });
    expect(rows.map(({ key }) => key)).toEqual([it.place.workspace]);
    await expectAccessible(page, 'usage by project');
  });

  test('the CSV has the rows of the table, and no formula', async () => {
    await page.getByRole('button', { name: en.usage.session, exact: true }).click();
    await page.locator('.usage-table').getByRole('link').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: enUsage.csv }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^klaus-usage-session-\d{4}-\d\d-\d\d\.csv$/);
    const [head, first] = (await readDownload(download)).split('\r\n');
    expect(head!.split(',')).toHaveLength(7);
    expect(first).toMatch(/^"'=HYPERLINK\(""x""\)",0\.\d+,/);
    expect(complaints).toEqual([]);
  });
});
