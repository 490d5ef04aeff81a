// Covers apps/web/board, apps/server/handlers: agents in working copies, compared, merged and discarded on the page.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enBoard } from '../../apps/web/text/en-board.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, type WatchedPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer, untilListed } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
/** A folder for pictures of the states; undefined: none are taken. */
const PICTURES = process.env['BOARD_PICTURES'];

const LINES = Array.from({ length: 40 }, (_, at) => `export const line${at + 1} = ${at + 1};\n`);
const change = (...lines: [number, string][]) =>
  LINES.map((line, at) => lines.find(([number]) => number === at + 1)?.[1] ?? line).join('');

const edit = (content: string, more: { path: string; content: string }[] = []) => ({
  calls: [
    { name: 'write_file', input: { path: 'src/lines.ts', content } },
    ...more.map((input) => ({ name: 'write_file', input })),
  ],
});

/** Two agents give the same answer, and the third one, which has another system prompt, another answer. */
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'Rename the lines' } },
    { when: { user: 'Rename', turn: 1 }, reply: { text: 'The lines have names now.' } },
    {
      when: { user: 'Rename', system: 'You are terse.' },
      reply: edit(change([2, 'export const two = 2;\n'])),
    },
    {
      when: { user: 'Rename' },
      reply: edit(change([2, 'export const second = 2;\n'], [30, 'export const thirtieth = 30;\n']), [
        { path: 'docs/names.md', content: '# Names\n\nThe second and the thirtieth line have names.\n' },
      ]),
    },
  ],
  fallback: { text: 'Fine.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`working copies${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;
  let ids: string[] = [];

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({
      script: SCRIPT,
      files: { 'src/lines.ts': LINES.join('') },
      env: { AGENT_APPROVE: 'auto' },
    });
    for (const [key, value] of [
      ['user.name', 'Ann'],
      ['user.email', 'ann@localhost'],
    ] as const)
      git('config', key, value);
    const body = { name: 'terse', description: 'Changes little.', systemPrompt: 'You are terse.' };
    await it.client.createAgent({ body: { ...body, capabilities: ['file-operations'] } });
    browser = await openBrowser();
    watched = await openPage(browser, { url: it.server.url, token: it.server.token });
    ({ page } = watched);
    await page.goto(`${it.server.url}/#/board`);
    await page.getByRole('heading', { name: enBoard.title, exact: true }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: it.place.workspace, env: it.place.env, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString()
      .trimEnd();
  const head = (letter: string) => page.locator('.compared').filter({ has: page.getByText(letter, { exact: true }) });
  const cell = (path: string, letter: string) => page.getByRole('group', { name: enBoard.of(path, letter) });
  const dialog = () => page.getByRole('dialog');

  /** The state is accessible in every look, and can be photographed. */
  async function show(name: string): Promise<void> {
    await expectAccessible(page, name);
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1_280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}-${width}.png`) });
      }
    await page.setViewportSize({ width: 1_280, height: 800 });
  }

  test('three agents start with one prompt, each in a working copy', async () => {
    await page.getByRole('button', { name: enBoard.start }).click();
    await page.getByLabel(enBoard.prompt, { exact: true }).fill('Rename the lines that have numbers.');
    await page.getByRole('button', { name: enBoard.addAgent }).click();
    await page.getByRole('combobox', { name: enBoard.agent, exact: true }).nth(1).selectOption('terse');
    await show('start');
    await page.getByRole('button', { name: enBoard.submit(3), exact: true }).click();
    await page.getByRole('button', { name: enBoard.compare(3) }).waitFor();
    await untilListed(it.client, (all) => all.filter(({ state }) => state === 'done').length === 3 || undefined);
    const { copies } = await it.client.copies();
    expect(copies.map(({ state, target }) => [state, target])).toEqual(Array(3).fill(['changed', 'main']));
    ids = copies.map(({ session }) => session);
    expect(git('status', '--porcelain')).toBe('');
    await show('board');
  });

  test('their changes are side by side, file by file', { tags: ['long'] }, async () => {
    await page.goto(`${it.server.url}/#/board/${ids.join()}`);
    await cell('src/lines.ts', 'A').getByText('export const second = 2;').waitFor();
    await cell('src/lines.ts', 'C').getByText('export const two = 2;').waitFor();
    await cell('src/lines.ts', 'B').getByText(enBoard.sameAs('A')).waitFor();
    await cell('docs/names.md', 'C').getByText(enBoard.notChanged).waitFor();
    await page.getByRole('navigation', { name: enBoard.filesChanged }).getByRole('button').nth(1).click();
    const [one, two] = [await cell('src/lines.ts', 'A').boundingBox(), await cell('src/lines.ts', 'B').boundingBox()];
    expect(one!.y).toBe(two!.y);
    expect(one!.x + one!.width).toBeLessThanOrEqual(two!.x);
    await show('comparison');
  });

  test('one is merged; its conflicts are solved by hunk', { tags: ['long'] }, async () => {
    const mine = change([2, 'export const deux = 2;\n'], [30, 'export const trente = 30;\n']);
    writeFileSync(join(it.place.workspace, 'src/lines.ts'), mine);
    git('commit', '-qam', 'French names');
    await head('A').getByRole('button', { name: enBoard.merge }).click();
    await show('merge');
    await dialog().getByRole('button', { name: enBoard.doMerge, exact: true }).click();
    await dialog().getByText(enBoard.solved(0, 2)).waitFor();
    const finish = dialog().getByRole('button', { name: enBoard.finish });
    expect(await finish.isDisabled()).toBe(true);
    const hunk = (line: number) => dialog().locator('.conflict').nth(line);
    await hunk(0).getByLabel(enBoard.take.copy).check();
    await hunk(1).getByLabel(enBoard.take.edit).check();
    const field = hunk(1).getByRole('textbox');
    await field.fill('export const thirty = 30;');
    await show('conflicts');
    expect(git('log', '-1', '--format=%s')).toBe('French names');
    await finish.click();
    await dialog().getByText('Merged into main', { exact: false }).waitFor();
    await show('merged');
    const expected = change([2, 'export const second = 2;\n'], [30, 'export const thirty = 30;\n']);
    expect(readFileSync(join(it.place.workspace, 'src/lines.ts'), 'utf8')).toBe(expected);
    expect(git('status', '--porcelain')).toBe('');
  });

  test(
    'the others are discarded after a confirmation, and an undo restores them as branches',
    { tags: ['long'] },
    async () => {
      await dialog()
        .getByRole('button', { name: enBoard.discardRest(2) })
        .click();
      await dialog().getByText(enBoard.discardSaved).waitFor();
      await show('discard');
      await dialog()
        .getByRole('button', { name: enBoard.doDiscard(2), exact: true })
        .click();
      await expect.poll(async () => (await it.client.copies()).copies.length, WAIT).toBe(0);
      await head('B').getByText(enBoard.ended.discarded).waitFor();
      await head('A').getByText(enBoard.ended.squashed).waitFor();
      await show('ended');
      expect(git('branch', '--list', 'klaus/*')).toBe('');
      await page.getByRole('button', { name: enBoard.undo, exact: true }).click();
      await expect.poll(() => git('branch', '--list', 'klaus/*').split('\n').length, WAIT).toBe(2);
      const [, , branch] = await Promise.all(
        ids.map(async (id) => (await it.client.session({ params: { id } })).workingCopy?.branch),
      );
      expect(git('show', `${branch!}:src/lines.ts`)).toContain('export const two = 2;');
      expect(watched.complaints).toEqual([]);
    },
  );
});
