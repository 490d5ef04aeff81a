// Covers apps/web/shell, apps/web/state, apps/server/access/sign-in: sign-in at a provider in a browser, and a page for a viewer.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { type OidcProvider, startOidcProvider } from '../fixtures/oidc-provider.ts';
import { expectAccessible, ONE_LOOK, watch } from '../fixtures/page.ts';
import { follow, startTestServer, type TestServer } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] } },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
  ],
};

/** Signs in at the page of the provider, and agrees. */
async function signInThere(page: Page, name: string): Promise<void> {
  await page.locator('input[name="login"]').fill(name);
  await page.locator('input[name="password"]').fill('x');
  await page.locator('button[type="submit"]').click();
  await page.locator('form input[name="prompt"][value="consent"]').waitFor({ state: 'attached' });
  await page.locator('button[type="submit"]').click();
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the sign-in${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let provider: OidcProvider;
  let it: TestServer;

  beforeAll(async () => {
    await provideWebPage();
    browser = await openBrowser();
    const alice = { email: 'alice@example.com', email_verified: true, groups: ['readers'] };
    const dan = { email: 'dan@example.com', email_verified: true, groups: ['others'] };
    provider = await startOidcProvider({ alice, dan });
    it = await startTestServer({
      script: SCRIPT,
      settings: { approve: 'ask' },
      env: {
        KLAUS_SERVER_SIGN_IN: 'oidc',
        KLAUS_SERVER_ROLES: 'readers=viewer',
        KLAUS_OIDC_ISSUER: provider.issuer,
        KLAUS_OIDC_CLIENT_ID: provider.clientId,
        KLAUS_OIDC_CLIENT_SECRET: provider.clientSecret,
      },
    });
    await provider.open(`${it.server.url}/api/sign-in/callback`);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  test('a viewer is sent to the provider and back to its session, reads it, and signs out', async () => {
    const { session } = await it.client.openSession({ body: { text: 'go' } });
    const followed = follow(it.client, session);
    await followed.until('approval.asked');
    const page = await browser.newPage({ locale: 'en-GB' });
    const complaints = watch(page);
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.waitForURL(`${provider.issuer}/**`);
    await signInThere(page, 'alice');
    await page.waitForURL(`${it.server.url}/#/s/${session}`);
    const nav = page.getByRole('navigation', { name: en.app.sessions, exact: true });
    await nav.getByText('alice@example.com').waitFor();
    await nav.getByText(en.signIn.roles.viewer, { exact: true }).waitFor();
    // It reads the session and cannot answer.
    const approve = page.locator('[data-answer="approved"]');
    await approve.waitFor();
    expect(await approve.isDisabled()).toBe(true);
    expect(await approve.getAttribute('title')).toBe(en.signIn.needs.operator);
    expect(await page.getByRole('textbox', { name: en.composer.label }).count()).toBe(0);
    await page.getByText(en.signIn.readOnly).waitFor();
    await page.keyboard.press('Alt+y');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog');
    await palette.getByText(en.keys.signOut).waitFor();
    expect(await palette.getByText(en.keys.undo, { exact: true }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await expectAccessible(page, 'the session of a viewer', { looks: ONE_LOOK });
    // The cookie is not for scripts, and not sent by other sites.
    const cookies = await page.context().cookies(it.server.url);
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
    await page.keyboard.press('Control+k');
    await palette.getByText(en.keys.signOut).click();
    const again = page.getByRole('button', { name: en.signIn.submit });
    await again.waitFor();
    expect(new URL(page.url()).origin).toBe(it.server.url);
    const there = page.getByRole('link', { name: en.signIn.signOutThere });
    expect(await there.getAttribute('href')).toContain(provider.issuer);
    expect(await page.context().cookies(it.server.url)).toEqual([]);
    await expectAccessible(page, 'the sign-in at a provider', { looks: ONE_LOOK });
    // The provider still knows the person, so the button is enough.
    await again.click();
    await nav.getByText('alice@example.com').waitFor();
    expect(complaints).toEqual([]);
    expect((await it.client.approvals()).approvals).toHaveLength(1);
    await followed.stop();
    await page.close();
  });

  test('a person without a role reads why, and is not sent to the provider again', { tags: ['long'] }, async () => {
    const context = await browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    const complaints = watch(page);
    await page.goto(`${it.server.url}/`);
    await page.waitForURL(`${provider.issuer}/**`);
    await signInThere(page, 'dan');
    await page.getByRole('alert').getByText(en.signIn.failures.no_role).waitFor();
    await page.reload();
    await page.getByRole('button', { name: en.signIn.submit }).waitFor();
    expect(new URL(page.url()).origin).toBe(it.server.url);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('behind a proxy the page names the person, and has no sign-out', { tags: ['long'] }, async () => {
    const env = {
      KLAUS_SERVER_SIGN_IN: 'proxy',
      AGENT_TRUST_PROXY: 'loopback',
      KLAUS_SERVER_ROLES: 'team=operator',
    };
    await using other = await startTestServer({ env });
    const page = await browser.newPage({ locale: 'en-GB' });
    await page.goto(`${other.server.url}/`);
    await page.getByText(en.signIn.proxy).waitFor();
    await page.setExtraHTTPHeaders({ 'x-forwarded-user': 'bob', 'x-forwarded-groups': 'team' });
    await page.goto(`${other.server.url}/#/usage`);
    await page.reload();
    await page.getByText('bob', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByText(en.keys.theme).waitFor();
    expect(await page.getByRole('dialog').getByText(en.keys.signOut).count()).toBe(0);
    await page.goto(`${other.server.url}/#/agents`);
    const create = page.locator(`[title="${en.signIn.needs.admin}"]`);
    await expect.poll(() => create.first().isDisabled(), WAIT).toBe(true);
    await page.close();
  });
});
