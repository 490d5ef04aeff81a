// Covers apps/web/agents, apps/web/sessions: agents in the page.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { enAgents } from '../../apps/web/text/en-agents.ts';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';

const REVIEWER = `---
name: reviewer
description: Reviews.
maxTurns: 7
capabilities: [file-operations]
---

You review.
`;

const FILES = {
  'README.md': '# Test\n',
  '~/.klaus/agents/reviewer.md': REVIEWER,
  '~/.klaus/agents/broken.md': '---\nname: broken\ndescription: b\nwrong: 1\n---\n',
};

const { fields } = enAgents;

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `agents in the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;
    let reviewer: string;
    let mine: string;

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({ files: FILES, script: { steps: [], fallback: { text: 'Fine.' } } });
      reviewer = join(it.place.home, 'agents/reviewer.md');
      mine = join(it.place.home, 'agents/mine.md');
      browser = await openBrowser();
      page = await browser.newPage({ locale: 'en-GB' });
      page.setDefaultTimeout(20_000);
      await page.goto(`${it.server.url}/#token=${it.server.token}`);
      await page.getByRole('heading', { name: en.home.title }).waitFor();
    });
    afterEach(() => {
      writeFileSync(reviewer, REVIEWER);
      rmSync(mine, { force: true });
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    const open = async (hash: string) => {
      await page.goto('about:blank');
      await page.goto(`${it.server.url}/#/${hash}`);
    };
    const box = (name: keyof typeof enAgents.capability) =>
      page.getByRole('checkbox', { name: enAgents.capability[name], exact: true });
    const field = (name: string) => page.getByLabel(name, { exact: true });
    const authority = () => page.getByRole('status', { name: enAgents.authority });
    const save = () => page.getByRole('button', { name: enAgents.save }).click();
    /** The list, which follows a change. */
    const list = () => page.getByRole('group', { name: enAgents.title });

    test('an agent is chosen for a new session, which names it', async () => {
      await open('');
      await page.getByRole('button', { name: en.home.agent(en.app.name) }).click();
      await page
        .getByRole('dialog')
        .getByRole('option', { name: /reviewer/ })
        .click();
      await page.getByRole('button', { name: en.home.agent('reviewer') }).waitFor();
      await page.getByRole('textbox', { name: en.composer.label }).fill('review it');
      await page.keyboard.press('Enter');
      await page.locator('.session-head').getByText(en.home.agent('reviewer')).waitFor();
      await page
        .locator('.sidebar')
        .getByText(/^reviewer · /)
        .waitFor();
      const { sessions } = await it.client.sessions();
      expect(sessions.map(({ agent }) => agent)).toEqual(['reviewer']);
    });

    test('the list has every agent and the broken files', { tags: ['long'] }, async () => {
      await open('');
      await page.getByRole('button', { name: en.app.agents }).click();
      await list().getByRole('link', { name: 'reviewer' }).waitFor();
      await page.getByText(join(it.place.home, 'agents/broken.md')).waitFor();
      expect(
        await list()
          .getByText(new RegExp(`^${enAgents.line(4)}:`))
          .count(),
      ).toBe(1);
    });

    test('an agent is created with the keyboard, and errors are at their fields', { tags: ['long'] }, async () => {
      await open('agents/new');
      await save();
      // The focus is in the first invalid field.
      await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('agent-name');
      expect(await field(fields.name).getAttribute('aria-invalid')).toBe('true');
      await page.keyboard.type('reviewer');
      await field(fields.description).focus();
      await page.keyboard.type('Mine.');
      for (const _ of ['model', 'instructions', 'first capability']) await page.keyboard.press('Tab');
      expect(await authority().getByRole('listitem').count()).toBe(1);
      await page.keyboard.press('Space');
      await expect.poll(() => authority().getByRole('listitem').count()).toBeGreaterThan(2);
      expect(await box('file-operations').isChecked()).toBe(true);
      await field(fields.systemPrompt).fill('You help.');
      await save();
      // The name is taken.
      await page.locator('#agent-name-error:not(:empty)').waitFor();
      expect(await field(fields.name).getAttribute('aria-invalid')).toBe('true');
      await field(fields.name).fill('../mine');
      await save();
      await expect.poll(() => page.locator('#agent-name-error').textContent()).not.toContain('reviewer');
      await field(fields.name).fill('mine');
      await page.keyboard.press('Enter');
      await list().getByRole('link', { name: 'mine' }).waitFor();
      const { definition } = await it.client.agent({ params: { name: 'mine' } });
      expect(definition).toEqual({
        name: 'mine',
        description: 'Mine.',
        capabilities: ['file-operations'],
        systemPrompt: 'You help.',
      });
      expect(existsSync(mine)).toBe(true);
    });

    test('a change keeps the fields that the form does not show', { tags: ['long'] }, async () => {
      await open('agents/reviewer');
      await page.getByText(enAgents.kept('maxTurns')).waitFor();
      await box('code-execution').check();
      await save();
      await list().waitFor();
      expect((await it.client.agent({ params: { name: 'reviewer' } })).definition).toMatchObject({
        maxTurns: 7,
        capabilities: ['file-operations', 'code-execution'],
        systemPrompt: 'You review.',
      });
    });

    test('a change of another editor is not overwritten', { tags: ['long'] }, async () => {
      await open('agents/reviewer');
      await field(fields.description).fill('Mine.');
      writeFileSync(reviewer, REVIEWER.replace('Reviews.', 'Theirs.'));
      await save();
      await page.getByRole('button', { name: enAgents.reload }).click();
      await expect.poll(() => field(fields.description).inputValue()).toBe('Theirs.');
      expect(readFileSync(reviewer, 'utf8')).toContain('Theirs.');
    });

    test('a delete asks first', { tags: ['long'] }, async () => {
      await open('agents/reviewer');
      const remove = page.getByRole('button', { name: enAgents.remove, exact: true });
      await remove.click();
      const dialog = page.getByRole('dialog', { name: enAgents.removeTitle('reviewer') });
      // Enter answers with the first button, which changes nothing.
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      expect(existsSync(reviewer)).toBe(true);
      await remove.click();
      await dialog.getByRole('button', { name: enAgents.remove, exact: true }).click();
      await list().waitFor();
      expect(existsSync(reviewer)).toBe(false);
    });
  },
);
