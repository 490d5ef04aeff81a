// Covers apps/web/viewers, apps/web/tables, apps/web/files, apps/web/preview, sdk/sessions: files and changed images in their views.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { PNG } from 'pngjs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enRender } from '../../apps/web/text/render/en-render.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';

const { viewer, preview, imageDiff, image } = enRender;
const ROWS = 50_000;

const FILES = {
  'data.csv': `name,value\n${Array.from({ length: ROWS }, (_, at) => `row ${at},${(at * 7) % ROWS}`).join('\n')}\n`,
  'data.json': JSON.stringify({
    items: [
      { id: 1, title: 'first' },
      { id: 2, title: 'second' },
    ],
    empty: {},
  }),
  'broken.json': '{"a": ',
  'docs/guide.md': '---\ntitle: x\n---\n# The guide\n\nSee [the data](../data.csv) and ![the logo](logo.svg).\n',
  'docs/logo.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>',
  'page.html': '<h1>The page</h1><script>document.querySelector("h1").textContent = "It ran"</script>',
  'paper.pdf': '%PDF-1.4\n%\u00e2\u00e3\n',
};

/** Draws an image of another size over the one that exists. */
const REDRAW = 'cp new.png picture.png; rm old.png; cp new.png added.png';

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'redraw', turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: REDRAW } }] } },
  ],
  fallback: { text: 'Done.' },
};

const toPng = (width: number, height: number): Buffer => {
  const png = new PNG({ width, height });
  png.data.fill(200);
  return PNG.sync.write(png);
};

describe.skipIf(WITHOUT_BROWSER !== undefined || !hasBubblewrap)(
  `a question about changed images${WITHOUT_BROWSER ?? ''}`,
  () => {
    test(
      'it shows the images before and after, and its files are those of the question alone',
      { tags: ['long'] },
      async () => {
        await provideWebPage();
        await using it = await startTestServer({
          script: SCRIPT,
          files: FILES,
          settings: { 'sandbox.driver': 'bubblewrap' },
        });
        for (const [name, size] of [
          ['picture.png', 10],
          ['old.png', 12],
          ['new.png', 24],
        ] as const)
          writeFileSync(join(it.place.workspace, name), toPng(size, size));
        await using browser = await openBrowser();
        const { page } = await openPage(browser, { url: it.server.url, token: it.server.token! });
        const { session } = await it.client.openSession({ body: { text: 'redraw', mode: 'auto', isolate: true } });
        await page.goto(`${it.server.url}/#/s/${session}`);
        const card = page.locator('[data-question]');
        await card.waitFor();
        const changed = card.getByRole('region', { name: imageDiff.label('picture.png') });
        await changed.getByText(image.size('10', '10')).waitFor();
        await changed.getByText(image.size('24', '24')).waitFor();
        const added = card.getByRole('region', { name: imageDiff.label('added.png') });
        await added.getByText(image.size('24', '24')).waitFor();
        const removed = card.getByRole('region', { name: imageDiff.label('old.png') });
        await removed.getByText(image.size('12', '12')).waitFor();
        await expectAccessible(page, 'a question about images');
        // Nothing has changed in the folder yet.
        expect(existsSync(join(it.place.workspace, 'added.png'))).toBe(false);
        const [approval] = (await it.client.approvals()).approvals;
        const read = async (path: string, of: string) => {
          const query = new URLSearchParams({ session, side: 'after', approval: of });
          const headers = { authorization: `Bearer ${it.server.token}` };
          const answer = await fetch(`${it.server.url}/api/shown-files/${path}?${query.toString()}`, { headers });
          await answer.body?.cancel();
          return answer.status;
        };
        expect(await read('added.png', approval!.id)).toBe(200);
        expect(await read('new.png', approval!.id)).toBe(404);
        expect(await read('added.png', '01NONE')).toBe(404);
      },
    );
  },
);

describe.skipIf(WITHOUT_BROWSER !== undefined)(`views of files${WITHOUT_BROWSER ?? ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let page: Page;
  let session: string;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT, files: FILES });
    for (const [name, size] of [
      ['picture.png', 10],
      ['old.png', 12],
      ['new.png', 24],
    ] as const) {
      writeFileSync(join(it.place.workspace, name), toPng(size, size));
    }
    browser = await openBrowser();
    ({ page } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
    await page.getByRole('heading', { name: en.home.title }).waitFor();
    ({ session } = await it.client.openSession({ body: { text: 'redraw', mode: 'auto' } }));
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.locator('.end-good').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  async function open(path: string): Promise<Locator> {
    await page.goto(`${it.server.url}/#/s/${session}/files?path=${encodeURIComponent(path)}`);
    return page.getByRole('article', { name: en.files.content(path) });
  }

  test(
    'a CSV file is a table that is sorted, filtered and copied, with few rows in the page',
    { tags: ['long'] },
    async () => {
      const file = await open('data.csv');
      const table = file.getByRole('table', { name: 'data.csv' });
      await table.getByRole('cell', { name: 'row 0', exact: true }).waitFor();
      expect(await table.getAttribute('aria-rowcount')).toBe(`${ROWS + 1}`);
      expect(await table.getByRole('row').count()).toBeLessThan(100);
      const value = table.getByRole('columnheader', { name: 'value' });
      await value.getByRole('button').click();
      await value.getByRole('button').click();
      expect(await value.getAttribute('aria-sort')).toBe('descending');
      expect(await table.getByRole('row').nth(1).getByRole('cell').nth(1).textContent()).toBe(`${ROWS - 1}`);
      await page.keyboard.press('Control+f');
      await page.keyboard.type('row 4999');
      expect(await file.getByRole('searchbox', { name: viewer.filter }).inputValue()).toBe('row 4999');
      await file.getByText(viewer.found(11, ROWS)).waitFor();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await file.getByRole('button', { name: enRender.table.copy }).click();
      await expect
        .poll(() => page.evaluate('navigator.clipboard.readText()'))
        .toMatch(/^name,value\r\n(?:row 4999\d?,\d+\r\n){11}$/);
      await expectAccessible(page, 'table of a file');
      await file.getByRole('button', { name: viewer.source }).click();
      await file.getByText('name,value').waitFor();
    },
  );

  test('a JSON file is a tree with a search and paths, and an invalid one is text', { tags: ['long'] }, async () => {
    const file = await open('data.json');
    const tree = file.getByRole('tree', { name: 'data.json' });
    await tree.getByRole('treeitem', { name: 'items' }).focus();
    await page.keyboard.press('ArrowRight');
    await tree.getByRole('treeitem').getByText('{2}').first().waitFor();
    await file.getByRole('searchbox', { name: viewer.search }).fill('second');
    await file.getByText(viewer.matches(1)).waitFor();
    await tree.getByRole('treeitem').getByText('"second"').click();
    await file.getByText('$.items[1].title').waitFor();
    expect(await tree.getByText('"first"').count()).toBe(0);
    await expectAccessible(page, 'tree of a file');
    const broken = await open('broken.json');
    await broken.getByRole('alert').waitFor();
    await broken.getByText('{"a":').waitFor();
  });

  test('a Markdown file is rendered, with images and links of its folder', { tags: ['long'] }, async () => {
    const file = await open('docs/guide.md');
    await file.getByRole('heading', { name: 'The guide' }).waitFor();
    await file.getByRole('button', { name: image.open('the logo') }).waitFor();
    await expectAccessible(page, 'preview of a file');
    await file.getByRole('link', { name: 'the data' }).click();
    await page.getByRole('article', { name: en.files.content('data.csv') }).waitFor();
    expect(new URL(page.url()).hash).toContain('path=data.csv');
  });

  test('an HTML file is shown, and runs after a question in a frame without access to the page', async () => {
    const file = await open('page.html');
    await file.getByRole('button', { name: preview.show }).click();
    const frame = page.frameLocator(`iframe[title="${preview.page}"]`);
    await frame.getByRole('heading', { name: 'The page' }).waitFor();
    await file.getByRole('button', { name: preview.run }).click();
    await page.getByRole('dialog', { name: preview.ask }).getByRole('button', { name: preview.run }).click();
    await frame.getByRole('heading', { name: 'It ran' }).waitFor();
    expect(await file.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts');
    await expectAccessible(page, 'preview of a page');
  });

  test('an image has its size, and a PDF document opens in a tab of its own', { tags: ['long'] }, async () => {
    const file = await open('picture.png');
    await file.getByRole('button', { name: image.open('picture.png') }).waitFor();
    await file.getByText(image.size('24', '24')).waitFor();
    await expectAccessible(page, 'image of a file');
    const paper = await open('paper.pdf');
    const link = paper.getByRole('link', { name: viewer.pdf });
    const path = new URL((await link.getAttribute('href'))!, it.server.url);
    const answer = await rawRequest(it.server, {
      path: `${path.pathname}${path.search}`,
      headers: { authorization: `Bearer ${it.server.token}` },
    });
    expect(answer.headers['content-type']).toBe('application/pdf');
  });

  test('a changed image is compared side by side, with an edge and as an overlay', { tags: ['long'] }, async () => {
    await page.goto(`${it.server.url}/#/s/${session}/changes`);
    const changed = page.getByRole('region', { name: imageDiff.label('picture.png') });
    await changed.getByText(image.size('10', '10')).waitFor();
    await changed.getByText(image.size('24', '24')).waitFor();
    await expectAccessible(page, 'changed images');
    await changed.getByRole('button', { name: imageDiff.swipe }).click();
    await changed.getByRole('slider', { name: imageDiff.share }).fill('25');
    expect(await changed.getByRole('img', { name: imageDiff.after }).getAttribute('style')).toContain('75%');
    await changed.getByRole('button', { name: imageDiff.onion }).click();
    expect(await changed.getByRole('img', { name: imageDiff.after }).getAttribute('style')).toContain('0.25');
    const added = page.getByRole('region', { name: imageDiff.label('added.png') });
    await added.getByText(imageDiff.none).waitFor();
    const removed = page.getByRole('region', { name: imageDiff.label('old.png') });
    await removed.getByText(image.size('12', '12')).waitFor();
  });
});
