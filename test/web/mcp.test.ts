// Covers apps/web/composer, apps/web/review, apps/server/handlers, core/protocol/messages: prompts and questions of MCP servers on the page.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { openPage } from '../fixtures/page.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { toEntry } from '../mcp/open-session.ts';

const SCRIPT: Script = { steps: [{ when: { tools: false }, reply: { text: 'A title' } }], fallback: { text: 'Done.' } };
const ENV = { KLAUS_SANDBOX: 'host' };

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `MCP servers on the page${WITHOUT_BROWSER === undefined ? '' : ` (${WITHOUT_BROWSER})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
    });
    afterAll(() => browser.close());

    test('a prompt is completed, and sent as the terminal sends it', { timeout: 120_000 }, async () => {
      using place = createTestHome();
      mkdirSync(place.home, { recursive: true });
      writeFileSync(join(place.home, 'mcp.json'), JSON.stringify({ mcpServers: { one: toEntry() } }));
      expect(await runKlaus(['mcp', 'test', 'one'], { place, env: ENV })).toMatchObject({ code: 0 });
      await using server = await startServer(SCRIPT);
      const { url, process } = await startServeProcess(place, server, { env: ENV });
      const { page, complaints } = await openPage(browser, { url });
      const field = page.getByRole('textbox', { name: en.composer.label });
      await field.fill('/gre');
      await page.getByRole('option', { name: '/mcp__one__greet' }).waitFor();
      await field.press('Enter');
      await expect.poll(() => field.inputValue()).toBe('/mcp__one__greet ');
      await field.pressSequentially('Ada Lovelace');
      await field.press('Enter');
      await page.getByText('Done.', { exact: true }).waitFor();
      const input = JSON.stringify({ name: 'greet', arguments: { who: 'Ada Lovelace' } });
      expect(server.requests.some(({ body }) => body.includes(JSON.stringify(input).slice(1, -1)))).toBe(true);
      expect(complaints).toEqual([]);
      process.kill('SIGTERM');
      await process.ended;
    });
  },
);
