// Covers apps/web/markdown, apps/web/diagram, apps/web/math, apps/web/image, apps/server/http, apps/server/handlers: what an answer contains as it is shown.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { PNG } from 'pngjs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enRender } from '../../apps/web/text/render/en-render.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, scrollToBeginning } from '../fixtures/page.ts';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';

/** What the tests read of an image element. */
type Img = { naturalWidth: number; src: string };

const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n\n`;
const FLOW = 'flowchart LR\n  A[Prompt] --> B{Gate}\n  B -->|allow| C[Run]';

const DRAWN = `${fence('mermaid', FLOW)}${fence('mermaid', 'flowchart XX\n  A -->')}It is $e^{i\\pi}$ and not $5 or $10.

$$
\\sum_{i=1}^n i
$$

${fence('math', String.raw`\undefined`)}`;

const WORDS = `A note[^1] of \`src/a.ts:2\`, README.md and gone.ts.

> [!WARNING]
> Careful.

| Name | Value |
|---|---|
| =a | "b", c |

- [x] finished
- [ ] left

<details>
<summary>More</summary>

Hidden **words**.

</details>

${'A paragraph in between.\n\n'.repeat(60)}
[^1]: The text of the note.
`;

const IMAGES = `![The logo](docs/logo.svg)

![A page](evil.svg)

![Secret](.env)

![Outside](../outside.png)

![Far away](https://example.org/x.png)

![Text](README.md)`;

const HOSTILE = `${fence(
  'mermaid',
  `%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%
flowchart LR
  A["<img src='https://example.org/a.png' onerror='globalThis.hacked = 1; parent.hacked = 1'>"] --> B["<script>top.hacked = 1</script>"]
  click A "javascript:top.hacked=1" "tip"
  click B href "https://example.org/click"
  style A fill:url(https://example.org/fill)`,
)}${fence('math', String.raw`\href{javascript:hacked=1}{x} \includegraphics{https://example.org/m.png} \htmlStyle{background:url(https://example.org/s)}{y}`)}${fence(
  'math',
  String.raw`\def\a{\a\a}\a`,
)}<details onclick="globalThis.hacked = 1"><summary>x</summary></details>

<img src=x onerror="globalThis.hacked = 1"> [x](javascript:globalThis.hacked=1)

The end.`;

/** A megabyte of one diagram. */
const HUGE = fence('mermaid', `flowchart LR\n${'  A --> B\n'.repeat(100_000)}`);

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'drawn' }, reply: { text: DRAWN } },
    { when: { user: 'words' }, reply: { text: WORDS } },
    { when: { user: 'images' }, reply: { text: IMAGES } },
    { when: { user: 'hostile' }, reply: { text: HOSTILE } },
    { when: { user: 'huge' }, reply: { text: HUGE } },
    {
      when: { user: 'streamed' },
      reply: { text: `${fence('mermaid', `${FLOW}\n${'  C --> D\n'.repeat(20)}`)}Then.` },
      pace: 200,
    },
  ],
};

const FILES = {
  'src/a.ts': 'one\ntwo\n',
  'README.md': '# Read\n',
  '.env': 'KEY=secret\n',
  'docs/logo.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>',
  'evil.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>top.hacked = 1; fetch("/api/sessions")</script></svg>',
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`content of answers${WITHOUT_BROWSER ?? ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let page: Page;
  let complaints: string[];
  const foreign: string[] = [];

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT, files: FILES });
    writeFileSync(join(it.place.workspace, 'large.png'), PNG.sync.write(new PNG({ width: 8, height: 8 })));
    browser = await openBrowser();
    ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
    page.on('request', (request) => {
      if (/^(?:https?|wss?):/.test(request.url()) && !request.url().startsWith(it.server.url))
        foreign.push(request.url());
    });
    await page.getByRole('heading', { name: en.home.title }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  async function open(text: string): Promise<Locator> {
    const { session } = await it.client.openSession({ body: { text, mode: 'auto' } });
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.locator('.end-good').waitFor();
    return page.locator('.conversation');
  }

  const diagram = (kind: string) => page.getByRole('figure', { name: enRender.diagram.described(kind) });

  test('a diagram is an image with its source, and one with an error is its source', { tags: ['long'] }, async () => {
    const answer = await open('drawn');
    const figure = diagram('flowchart');
    await figure.getByRole('img', { name: enRender.diagram.described('flowchart') }).waitFor();
    // The answer is complete when its last diagram is.
    await answer.getByRole('alert').getByText(enRender.diagram.failed).waitFor();
    await answer.getByText('flowchart XX\n', { exact: false }).last().waitFor();
    expect(await figure.getByRole('img').evaluate((image) => (image as unknown as Img).naturalWidth)).toBeGreaterThan(
      100,
    );
    expect(await figure.getByText('A[Prompt]').count()).toBe(0);
    await figure.getByRole('button', { name: enRender.diagram.source }).click();
    await figure.getByText('A[Prompt]').waitFor();
    const saved = page.waitForEvent('download');
    await figure.getByRole('button', { name: enRender.diagram.save }).click();
    expect((await saved).suggestedFilename()).toBe('diagram.svg');
    await figure.getByRole('button', { name: enRender.diagram.open }).click();
    await page.getByRole('dialog', { name: enRender.diagram.described('flowchart') }).waitFor();
    await expectAccessible(page, 'full view of a diagram');
    await page.keyboard.press('Escape');
    await expectAccessible(page, 'diagrams and formulas');
  });

  test('the colours of a diagram follow the theme', { tags: ['long'] }, async () => {
    await open('drawn');
    const image = diagram('flowchart').getByRole('img');
    const read = async () => (await image.getAttribute('src')) ?? '';
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(read).toContain(encodeURIComponent('#ffffff'));
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(read).not.toContain(encodeURIComponent('#ffffff'));
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('formulas are elements for the eyes and MathML for screen readers, and prices are text', async () => {
    const answer = await open('drawn');
    await answer.locator('.math math').first().waitFor();
    await expect.poll(() => answer.locator('.math math').count()).toBe(2);
    expect(await answer.locator('.math .katex-html[aria-hidden=true]').count()).toBe(2);
    await answer.getByText('not $5 or $10.').waitFor();
    await answer
      .locator('.math-failed')
      .getByText(String.raw`\undefined`)
      .waitFor();
    // The fonts come from this server.
    expect(await page.evaluate('document.fonts.check("16px KaTeX_Math", "x")')).toBe(true);
  });

  test('footnotes, alerts, tables, tasks and details', { tags: ['long'] }, async () => {
    const answer = await open('words');
    await page.keyboard.press('Home');
    await scrollToBeginning(page);
    // Its text is in another part of the message.
    await answer.getByRole('button', { name: enRender.footnote('1') }).click();
    await page
      .getByRole('dialog', { name: enRender.footnote('1') })
      .getByText('The text of the note.')
      .waitFor();
    await page.keyboard.press('Escape');
    await answer.getByRole('note', { name: enRender.alerts.warning }).getByText('Careful.').waitFor();
    await answer.getByRole('img', { name: en.code.taskDone }).waitFor();
    expect(await answer.getByText('Hidden words.').isVisible()).toBe(false);
    await answer.getByText('More', { exact: true }).click();
    await answer.getByText('Hidden words.').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await answer.getByRole('button', { name: enRender.table.copy }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('Name,Value\r\n\'=a,"""b"", c"\r\n');
    await expectAccessible(page, 'words of an answer');
  });

  test('paths of existing files are links into the file view, asked for in one request', async () => {
    const requests: string[] = [];
    const record = (request: { url: () => string }) => {
      if (request.url().includes('/api/existing-files')) requests.push(request.url());
    };
    page.on('request', record);
    const answer = await open('words');
    await scrollToBeginning(page);
    await answer.getByRole('link', { name: 'README.md' }).waitFor();
    page.off('request', record);
    expect(requests.length).toBeLessThanOrEqual(2);
    expect(await answer.getByRole('link', { name: 'gone.ts' }).count()).toBe(0);
    await answer.getByRole('link', { name: 'src/a.ts:2' }).click();
    await page.locator('[aria-current=location]').getByText('two').waitFor();
  });

  test('images of the workspace are shown, and no others', async () => {
    const answer = await open('images');
    const logo = answer.getByRole('button', { name: enRender.image.open('The logo') });
    await expect.poll(() => logo.locator('img').evaluate((image) => (image as unknown as Img).naturalWidth)).toBe(40);
    await expect.poll(() => answer.getByText(enRender.image.failed).count()).toBe(2);
    expect(await answer.getByRole('link', { name: 'Far away' }).getAttribute('href')).toBe('https://example.org/x.png');
    await answer.getByText(enRender.image.remote, { exact: false }).waitFor();
    await logo.click();
    await page.getByRole('dialog', { name: 'The logo' }).getByText(enRender.image.size('40', '20')).waitFor();
    await page.keyboard.press('Escape');
    await expectAccessible(page, 'images of an answer');
    expect(await page.evaluate('globalThis.hacked')).toBe(undefined);
  });

  test('the server shows images by their content, and an SVG file runs nothing', async () => {
    const ask = (path: string) =>
      rawRequest(it.server, { path, headers: { authorization: `Bearer ${it.server.token}` } });
    const svg = await ask('/api/shown-files/evil.svg');
    expect(svg.headers['content-type']).toBe('image/svg+xml');
    expect(svg.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox$/);
    expect((await ask('/api/shown-files/large.png')).headers['content-type']).toBe('image/png');
    expect((await ask('/api/shown-files/README.md')).status).toBe(415);
    expect((await ask('/api/shown-files/.env')).status).toBe(403);
    expect((await ask('/api/shown-files/%2e%2e/outside.png')).status).toBeGreaterThanOrEqual(400);
    expect((await rawRequest(it.server, { path: '/api/shown-files/evil.svg' })).status).toBe(401);
  });

  test('a fence is its source until it is closed', { tags: ['long'] }, async () => {
    const { session } = await it.client.openSession({ body: { text: 'streamed', mode: 'auto' } });
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.getByText('A[Prompt]').waitFor();
    expect(await page.getByRole('figure', { name: enRender.diagram.label }).count()).toBe(0);
    await diagram('flowchart').getByRole('img').waitFor();
    expect(await page.getByText('A[Prompt]').count()).toBe(0);
  });

  test('a hostile answer runs nothing and reaches nothing', async () => {
    const answer = await open('hostile');
    await answer.getByText('The end.').waitFor();
    await expect.poll(() => answer.locator('.math-failed').count()).toBeGreaterThanOrEqual(1);
    const image = answer.locator('.diagram-picture img');
    await image.or(answer.getByText(enRender.diagram.failed)).first().waitFor();
    for (const source of await image.evaluateAll((all) =>
      all.map((each) => decodeURIComponent((each as unknown as Img).src)),
    )) {
      expect(source).not.toMatch(/<script|<img|onerror|javascript:|<a\s|url\(http/i);
    }
    expect(await answer.locator('img[src*="example.org"], script, [onerror], [onclick]').count()).toBe(0);
    expect(await answer.locator('a[href^="javascript"]').count()).toBe(0);
    for (const frame of page.frames()) expect(await frame.evaluate('globalThis.hacked')).toBe(undefined);
    expect(foreign).toEqual([]);
  });

  test('a diagram of a megabyte does not block the page', { tags: ['long'] }, async () => {
    const { session } = await it.client.openSession({ body: { text: 'huge', mode: 'auto' } });
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.locator('.end-good').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    // What the policy of the frame of diagrams stopped, and its directive that Chromium does not know yet.
    const isExpected = /^Executing inline event handler|directive 'webrtc'/;
    expect(complaints.filter((each) => !isExpected.test(each))).toEqual([]);
  });
});
