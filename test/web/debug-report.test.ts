// Covers apps/web/debug, core/conversation: frames, values and the report of an investigation on the page.
// @module-tag long
import { defineTool, type Script, type Tool } from '@klaus/sdk';
import { DEBUG_TOOLS, type DebugOutput } from 'klendathu/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deDebug } from '../../apps/web/text/de-debug.ts';
import { enDebug } from '../../apps/web/text/en-debug.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, ONE_LOOK, openPage } from '../fixtures/page.ts';
import { startTestServer } from '../fixtures/server.ts';

const FRAMES: DebugOutput<'frames'> = {
  frames: [
    {
      filePath: '/srv/shop/src/cart/total.ts',
      line: 12,
      column: 24,
      functionName: 'total',
      isUser: true,
      hasLocals: true,
    },
    { filePath: '/srv/shop/src/checkout.ts', line: 40, functionName: 'checkout', isUser: true, isAsync: true },
    { filePath: '/srv/shop/node_modules/hono/dist/compose.js', line: 29, isUser: false },
  ],
};

const LOCALS: DebugOutput<'locals'> = {
  values: [
    {
      name: 'cart',
      type: 'Cart',
      preview: 'Cart {items: Array(2), customer: null}',
      path: 'cart',
      children: [
        {
          name: 'items',
          type: 'Array',
          preview: '[{…}, {…}]',
          size: 2,
          children: [
            { name: '[0]', type: 'Object', preview: "{sku: 'a-1', price: 3}" },
            { name: '[1]', type: 'Object', preview: "{sku: 'b-2', price: undefined}" },
          ],
        },
        { name: 'customer', type: 'null', preview: 'null' },
      ],
      omitted: 3,
    },
    {
      name: 'lines',
      type: 'Array',
      preview: 'Array(250)',
      size: 250,
      children: Array.from({ length: 250 }, (_, at) => ({ name: `[${at}]`, type: 'number', preview: `${at * 2}` })),
    },
    { name: 'note', type: 'string', preview: '"<img src=x onerror=alert(1)>"' },
  ],
};

const REPORT = {
  text: 'The **second item** has no price.',
  rootCause: {
    file: 'src/cart/total.ts',
    line: 12,
    explanation: '`price` of the item `b-2` is undefined, because the catalog has no entry for it.',
    confidence: 0.9,
  },
  evidence: [
    { source: 'cart.items[1].price', finding: 'undefined' },
    { source: 'src/cart/total.ts:12', finding: 'multiplies the price without a check' },
  ],
  fix: {
    unifiedDiff:
      '--- a/src/cart/total.ts\n+++ b/src/cart/total.ts\n@@ -12 +12 @@\n-  sum += item.price * item.count;\n+  sum += (item.price ?? 0) * item.count;\n',
    risk: 'medium',
  },
};

/** Tools with the names of those in a program, which answer with `outputs`. */
function createTools(outputs: Record<string, unknown>): Tool[] {
  return Object.entries(outputs).map(([name, output]) =>
    defineTool({
      name,
      description: `Answers as ${name}.`,
      input: z.looseObject({}),
      effects: ['read'],
      resume: 'repeat',
      prepare: async () => ({ title: name, access: [] }),
      run: async () => ({ text: typeof output === 'string' ? output : JSON.stringify(output) }),
    }),
  );
}

type Calls = NonNullable<Script['steps'][number]['reply']['calls']>;

function toScript(calls: Calls): Script {
  return {
    steps: [
      { when: { tools: false }, reply: { text: 'A title' } },
      { when: { turn: 0 }, reply: { calls } },
    ],
    fallback: { text: 'That is all.' },
  };
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `an investigation${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
    });
    afterAll(() => browser?.close());

    const openCall = (page: Page, name: string) =>
      page.getByRole('article', { name }).getByRole('button', { name }).first().click();

    test('shows frames and values as trees, and the report as a card', { timeout: 240_000 }, async () => {
      // What a program sends has these shapes.
      DEBUG_TOOLS.frames.output.parse(FRAMES);
      DEBUG_TOOLS.locals.output.parse(LOCALS);
      DEBUG_TOOLS.report.input.parse(REPORT);
      await using it = await startTestServer({
        tools: createTools({ frames: FRAMES, locals: LOCALS, report: { accepted: true } }),
        script: toScript([
          { name: 'frames' },
          { name: 'locals', input: { frame: 1 } },
          { name: 'report', input: REPORT },
        ]),
      });
      const { url, token } = it.server;
      const { session } = await it.client.openSession({ body: { text: 'What happened?' } });
      const { page, complaints } = await openPage(browser, { url, token });
      await page.goto(`${url}/#/s/${session}`);

      const report = page.getByRole('region', { name: enDebug.report });
      await report.getByText('src/cart/total.ts:12', { exact: true }).first().waitFor();
      await report.getByText(enDebug.confidence(90)).waitFor();
      await report.getByText(enDebug.risk.medium).waitFor();
      await report.locator('.diff-added').waitFor();
      expect(await report.getByRole('listitem').count()).toBe(2);

      await openCall(page, 'frames');
      await openCall(page, 'locals');
      const frames = page.getByRole('tree', { name: enDebug.frames(3) });
      await frames.waitFor();
      expect(await frames.getByRole('treeitem').count()).toBe(3);
      const tree = page.getByRole('tree', { name: enDebug.locals(1, 3) });
      const items = tree.getByRole('treeitem');
      // The log has only a part of this output.
      await page.getByRole('button', { name: enDebug.load }).click();
      await items.first().waitFor();
      expect(await items.count()).toBe(3);

      // By keyboard: into the cart, its items, the second one, and back.
      const focused = () => page.evaluate('document.activeElement?.getAttribute("data-row")');
      await items.first().focus();
      const keys = ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowDown'];
      for (const key of keys) await page.keyboard.press(key);
      expect(await focused()).toBe('0.0.1');
      expect(await tree.locator('[data-row="0.0.1"]').getAttribute('aria-level')).toBe('3');
      await page.keyboard.press('ArrowLeft');
      expect(await focused()).toBe('0.0');
      await page.keyboard.press('ArrowLeft');
      expect(await tree.locator('[data-row="0.0"]').getAttribute('aria-expanded')).toBe('false');
      await page.keyboard.press('Home');
      expect(await focused()).toBe('0');
      await tree.getByText(enDebug.omitted(3)).waitFor();
      await page.keyboard.press('Enter');
      expect(await items.count()).toBe(3);

      // Of a long list, only a part is there.
      await items.nth(1).click();
      expect(await items.count()).toBe(3 + 100 + 1);
      await page.keyboard.press('End');
      expect(await focused()).toBe('2');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await tree.locator('[data-row="1.199"]').waitFor();
      expect(await items.count()).toBe(3 + 200 + 1);
      await items.nth(1).click();
      await items.first().click();
      await tree.locator('[data-row="0.0"]').click();
      await frames.getByRole('treeitem').first().click();
      await expectAccessible(page, 'an investigation', { height: 2_400 });
      const shots = process.env['DEBUG_SHOTS'];
      if (shots) await takeShots(page, shots);

      const german = await openPage(browser, { url, token, locale: 'de-DE' });
      await german.page.goto(`${url}/#/s/${session}`);
      await german.page.getByRole('region', { name: deDebug.report }).waitFor();
      await openCall(german.page, 'locals');
      await german.page.getByRole('button', { name: deDebug.load }).click();
      await german.page.getByRole('tree', { name: deDebug.locals(1, 3) }).waitFor();
      await expectAccessible(german.page, 'German: an investigation', { looks: ONE_LOOK });
      expect([...complaints, ...german.complaints]).toEqual([]);
    });

    test('shows anything else as text', { tags: ['long'], timeout: 240_000 }, async () => {
      await using it = await startTestServer({
        tools: createTools({ frames: '{"frames": [{"line": 1}]}', locals: 'no JSON at all', report: 'accepted' }),
        script: toScript([{ name: 'frames' }, { name: 'locals' }, { name: 'report', input: { rootCause: 'unclear' } }]),
      });
      const { url, token } = it.server;
      const { session } = await it.client.openSession({ body: { text: 'What happened?' } });
      const { page, complaints } = await openPage(browser, { url, token });
      await page.goto(`${url}/#/s/${session}`);
      for (const [name, text] of [
        ['frames', '{"frames": [{"line": 1}]}'],
        ['locals', 'no JSON at all'],
        ['report', 'accepted'],
      ] as const) {
        await openCall(page, name);
        await page.getByRole('article', { name }).getByLabel(en.call.output).getByText(text).waitFor();
      }
      expect(await page.getByRole('tree').count()).toBe(0);
      expect(complaints).toEqual([]);
    });
  },
);

/** Pictures to look at. */
async function takeShots(page: Page, folder: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 2_000 });
      await page.screenshot({ path: `${folder}/${colorScheme}-${width}.png` });
    }
  }
}
