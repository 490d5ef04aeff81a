// Covers apps/web/processes, apps/web/terminal, apps/web/plan, apps/web/image, apps/web/conversation: background processes, outputs, images of results and the accepted plan.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTool, type Script } from '@klaus/sdk';
import { PNG } from 'pngjs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { enRender } from '../../apps/web/text/render/en-render.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const { terminal, processes, plan, image } = enRender;

/** Writes a line whenever a file changes, until it is stopped. */
const WATCH = 'echo started; while [ ! -e more.txt ]; do sleep 0.1; done; echo got more; while :; do sleep 1; done';
const LINES = `for i in $(seq 1 3000); do echo "line $i"; done; printf '\\033[31mred end\\033[0m\\n'`;

const command = (text: string, more = {}) => ({ name: 'run_command', input: { command: text, ...more } });

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'watch', turn: 0 }, reply: { calls: [command(WATCH, { background: true })] } },
    { when: { user: 'lines', turn: 0 }, reply: { calls: [command(LINES)] } },
    { when: { user: 'picture', turn: 0 }, reply: { calls: [{ name: 'draw', input: {} }] } },
    {
      when: { user: 'plan', turn: 0 },
      reply: {
        calls: [{ name: 'use_tool', input: { name: 'present_plan', input: { plan: '# The steps\n\n1. One' } } }],
      },
    },
  ],
  fallback: { text: 'Done.' },
};

const picture = new PNG({ width: 30, height: 20 });
picture.data.fill(120);
const toData = () => PNG.sync.write(picture).toString('base64');

const draw = defineTool({
  name: 'draw',
  description: 'Draw a picture.',
  input: z.looseObject({}),
  effects: ['read'],
  resume: 'repeat',
  prepare: async () => ({ title: 'draw', access: [] }),
  async run() {
    return {
      text: 'A picture.',
      images: [{ type: 'image' as const, mediaType: 'image/png' as const, data: toData() }],
    };
  },
});

describe.skipIf(WITHOUT_BROWSER !== undefined)(`what a session did${WITHOUT_BROWSER ?? ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let page: Page;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT, tools: [draw] });
    browser = await openBrowser();
    ({ page } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
    await page.getByRole('heading', { name: en.home.title }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  async function open(text: string, more: { mode?: 'plan'; sandbox?: 'bubblewrap' } = {}): Promise<string> {
    const { session } = await it.client.openSession({ body: { text, mode: 'auto', ...more } });
    await page.goto(`${it.server.url}/#/s/${session}`);
    return session;
  }

  sandboxed('a background process is listed with its live output, and is stopped', async () => {
    const session = await open('watch', { sandbox: 'bubblewrap' });
    await page.locator('.end-good').waitFor();
    const panel = page.getByRole('region', { name: processes.label });
    await panel.getByText(processes.running(1)).waitFor();
    await panel.getByRole('button', { name: processes.label }).click();
    await panel.getByRole('img', { name: processes.states.running }).waitFor();
    await expectAccessible(page, 'background processes');
    await panel.getByRole('button', { name: processes.show('p1') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('started', { exact: true }).waitFor();
    expect(await dialog.getByText('got more', { exact: true }).count()).toBe(0);
    writeFileSync(join(it.place.workspace, 'more.txt'), '');
    await dialog.getByText('got more', { exact: true }).waitFor();
    await expectAccessible(page, 'output of a process');
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: processes.stopOf('p1') }).click();
    await panel.getByRole('img', { name: processes.states.stopped }).waitFor();
    await panel.getByText(processes.all(1)).waitFor();
    const { processes: left } = await it.client.processes({ params: { id: session } });
    expect(left.map(({ state }) => state)).toEqual(['stopped']);
  });

  test('the output of a command opens in full view, with a search', async () => {
    await open('lines');
    await page.locator('.end-good').waitFor();
    await page
      .getByRole('article', { name: /run_command/ })
      .getByRole('button')
      .first()
      .click();
    await page.getByRole('button', { name: terminal.open }).click();
    const dialog = page.getByRole('dialog');
    // The end is shown first.
    await dialog.locator('.terminal-line').getByText('red end').waitFor();
    expect(await dialog.locator('.terminal-line').count()).toBeLessThan(200);
    await dialog.getByRole('group', { name: terminal.of(LINES.slice(0, 200)) }).focus();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('line 12');
    await dialog.getByText(terminal.found(111, 111)).waitFor();
    await page.keyboard.press('Shift+Enter');
    await dialog.locator('[aria-current=location]').getByText('line 12', { exact: true }).waitFor();
    await dialog.getByText(terminal.found(1, 111)).waitFor();
    await expectAccessible(page, 'output in full view');
    await page.keyboard.press('Escape');
    expect(await dialog.getByRole('searchbox').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('an image of a result is shown in its call, and opens in full view', { tags: ['long'] }, async () => {
    await open('picture');
    await page.locator('.end-good').waitFor();
    const small = page.getByRole('button', { name: image.open(image.ofCall(1)) });
    await small.click();
    const dialog = page.getByRole('dialog', { name: image.ofCall(1) });
    await dialog.getByText(image.size('30', '20')).waitFor();
    await dialog.getByRole('button', { name: image.actual }).click();
    expect((await dialog.getByRole('img').boundingBox())?.width).toBe(30);
    await expectAccessible(page, 'image in full view');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(
      await small.evaluate(
        (element, active) => element === active,
        await page.evaluateHandle('document.activeElement'),
      ),
    ).toBe(true);
  });

  test('an image of a prompt opens in full view', async () => {
    const parts = [{ type: 'image' as const, mediaType: 'image/png' as const, data: toData() }];
    const { session } = await it.client.openSession({ body: { text: 'look', parts, mode: 'auto' } });
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.getByRole('button', { name: image.open(image.ofPrompt(1)) }).click();
    await page
      .getByRole('dialog', { name: image.ofPrompt(1) })
      .getByText(image.size('30', '20'))
      .waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('the accepted plan opens beside the todo list', { tags: ['long'] }, async () => {
    await open('plan', { mode: 'plan' });
    const question = page.locator('[data-question]');
    await question.getByRole('heading', { name: 'The steps' }).waitFor();
    expect(await page.getByRole('region', { name: plan.label }).count()).toBe(0);
    await question.getByRole('button', { name: en.approval.approve }).click();
    const panel = page.getByRole('region', { name: plan.label });
    await panel.getByRole('button', { name: plan.label }).click();
    await panel.getByRole('heading', { name: 'The steps' }).waitFor();
    await expectAccessible(page, 'accepted plan');
  });
});
