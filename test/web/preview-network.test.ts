// Covers apps/web/preview, apps/web/diagram, apps/web/markdown, sdk/share, apps/server/http: what an answer shows connects to no address.
//
// Not by a request, by WebRTC, or by a name that the browser looks up before a request. The browser records each name and
// each connection (NetLog); a listener counts what arrives over TCP and UDP.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Script } from '@klaus/sdk';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enRender } from '../../apps/web/text/render/en-render.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { findChromium, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { openFirefox, WITHOUT_FIREFOX, type Firefox } from '../fixtures/firefox.ts';
import { openPage } from '../fixtures/page.ts';
import { pollUntil } from '../fixtures/poll.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

/** Names below this one are looked up by nothing but what a test shows. */
const ZONE = 'leak.example';

/** Everything that is known to connect without a script. `port` is that of the listener. */
const toStaticParts = (port: number): readonly string[] => {
  let count = 0;
  const at = (): string => `http://n${(count += 1)}.${ZONE}:${port}/`;
  return [
    ...[
      'dns-prefetch',
      'preconnect',
      'prefetch',
      'preload',
      'modulepreload',
      'prerender',
      'icon',
      'manifest',
      'next',
    ].map((rel) => `<link rel="${rel}" href="${at()}" as="image" crossorigin>`),
    `<link rel="stylesheet" href="${at()}"><base href="${at()}">`,
    `<meta http-equiv="refresh" content="0;url=${at()}"><meta http-equiv="x-dns-prefetch-control" content="on">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; report-uri ${at()}">`,
    `<style>@import "${at()}"; @font-face { font-family: x; src: url(${at()}) } body { background: url(${at()}); font-family: x; cursor: url(${at()}), auto }</style>`,
    `<p style="background-image: image-set('${at()}' 1x)">text</p>`,
    `<img src="${at()}" srcset="${at()} 2x" attributionsrc="${at()}"><picture><source srcset="${at()}"><img src="${at()}"></picture>`,
    `<video src="${at()}" poster="${at()}" autoplay></video><audio src="${at()}" autoplay></audio><track src="${at()}">`,
    `<iframe src="${at()}"></iframe><object data="${at()}"></object><embed src="${at()}">`,
    `<iframe srcdoc="<link rel=preconnect href=${at()}><img src=${at()}>"></iframe>`,
    `<svg><image href="${at()}"/><use href="${at()}#a"/><a href="${at()}"><set attributeName="href" to="${at()}"/><text y="9">x</text></a><style>@import "${at()}";</style></svg>`,
    `<math><mi href="${at()}">x</mi></math><table background="${at()}"><tr><td background="${at()}"></table>`,
    `<form action="${at()}"><input type="image" src="${at()}" formaction="${at()}"></form>`,
    `<template shadowrootmode="open"><link rel="preconnect" href="${at()}"><img src="${at()}"></template>`,
    `<div><template shadowrootmode="open"><link rel="preconnect" href="${at()}"></template></div>`,
    `<noscript><link rel="preconnect" href="${at()}"><img src="${at()}"></noscript>`,
    `<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["${at()}"]}]}</script>`,
    `<a id="follow" href="${at()}" ping="${at()}">follow</a><a href="${at()}">not followed</a>`,
  ];
};

/** Scripts that connect, also from frames that they create. */
const toScripts = (port: number): string => {
  const servers = `{ iceServers: [{ urls: ['stun:127.0.0.1:${port}', 'turn:127.0.0.1:${port}?transport=tcp', 'stun:rtc.${ZONE}:${port}'], username: 'x', credential: 'y' }] }`;
  const connect = `const it = new Peer(${servers}); it.createDataChannel('x'); it.createOffer().then((offer) => it.setLocalDescription(offer));`;
  const nested = `<script>const Peer = window.RTCPeerConnection || window.webkitRTCPeerConnection; ${connect}<\\/script>`;
  return `<img src="x" onerror="{ const Peer = window.webkitRTCPeerConnection; ${connect.replaceAll('"', "'")} }">
<script>
const attempts = [
  () => { const Peer = webkitRTCPeerConnection; ${connect} },
  () => { const Peer = RTCPeerConnection; ${connect} },
  () => { const frame = document.createElement('iframe'); document.body.append(frame); const Peer = frame.contentWindow.RTCPeerConnection; ${connect} },
  () => { const frame = document.createElement('iframe'); frame.srcdoc = \`${nested}\`; document.body.append(frame); },
  () => { const frame = document.createElement('iframe'); frame.src = URL.createObjectURL(new Blob([\`${nested}\`], { type: 'text/html' })); document.body.append(frame); },
  () => { const frame = document.createElement('iframe'); frame.src = 'data:text/html,' + encodeURIComponent(\`${nested}\`); document.body.append(frame); },
  () => { new WebTransport('https://wt.${ZONE}:${port}/'); },
  () => { new WebSocket('ws://ws.${ZONE}:${port}/'); },
  () => { fetch('http://fetch.${ZONE}:${port}/'); },
  () => { const link = document.createElement('link'); link.rel = 'preconnect'; link.href = 'http://link.${ZONE}:${port}/'; document.head.append(link); },
  () => { window.open('http://open.${ZONE}:${port}/'); location = 'http://go.${ZONE}:${port}/'; },
];
for (const attempt of attempts) try { attempt(); } catch {}
</script>`;
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`what an answer shows${WITHOUT_BROWSER ?? ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-preview-'));
  const reached: string[] = [];
  const tcp = createServer((socket) => {
    reached.push('tcp');
    socket.destroy();
  });
  const udp = createSocket('udp4', () => void reached.push('udp'));
  let port = 0;
  let text = '';
  let it: TestServer;
  beforeAll(async () => {
    await provideWebPage();
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
    ({ port } = udp.address());
    await new Promise<void>((resolve) => tcp.listen(port, '127.0.0.1', resolve));
    const script: Script = { steps: [{ when: { tools: false }, reply: { text: 'A title' } }] };
    it = await startTestServer({
      script: {
        ...script,
        fallback: {
          get text() {
            return text;
          },
        },
      },
    });
  });
  afterAll(async () => {
    tcp.close();
    udp.close();
    await it?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @returns The names below the zone that the browser looked up, and what arrived at the listener. */
  async function record(act: (browser: Browser) => Promise<void>): Promise<{ names: string[]; reached: string[] }> {
    reached.length = 0;
    const log = join(folder, 'net.json');
    const browser = await chromium.launch({
      executablePath: findChromium()!,
      args: [
        ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', `--log-net-log=${log}`],
        '--allow-loopback-in-peer-connection',
        `--host-resolver-rules=MAP *.${ZONE} 127.0.0.1`,
      ],
    });
    try {
      await act(browser);
    } finally {
      await browser.close();
    }
    const names = readFileSync(log, 'utf8').matchAll(/[\w-]+\.leak\.example/g);
    return { names: [...new Set([...names].map(([name]) => name))].toSorted(), reached: [...reached] };
  }

  /** Opens a session whose answer is the text. */
  async function openAnswer(browser: Browser, answer: string): Promise<{ page: Page; session: string }> {
    text = answer;
    const { session } = await it.client.openSession({ body: { text: 'page', mode: 'auto' } });
    const { page } = await openPage(browser, { url: it.server.url, token: it.server.token! });
    await page.getByRole('heading', { name: en.home.title }).waitFor();
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.locator('.end-good').waitFor();
    return { page, session };
  }

  /** Waits until a later connection of the same browser by WebRTC and by TCP arrived. */
  async function settle(page: Page): Promise<void> {
    const control = createSocket('udp4');
    await new Promise<void>((resolve) => control.bind(0, '127.0.0.1', resolve));
    const arrived = once(control, 'message');
    const other = await page.context().browser()!.newPage();
    await other.goto('about:blank');
    await other.evaluate(`{
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${control.address().port}' }] });
      peer.createDataChannel('x');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    }`);
    await arrived;
    const before = reached.length;
    await other.goto(`http://127.0.0.1:${port}/`).catch(() => {});
    expect(reached.splice(before)).toContain('tcp');
    await other.close();
    control.close();
  }
  const toDocument = (): string => `<!doctype html><title>x</title>${toStaticParts(port).join('\n')}${toScripts(port)}`;

  test('the same document outside of a preview connects', async () => {
    const file = join(folder, 'open.html');
    writeFileSync(file, toDocument().replaceAll(/<meta http-equiv[^>]*>/g, ''));
    const found = await record(async (browser) => {
      const page = await browser.newPage();
      await page.goto(pathToFileURL(file).href, { waitUntil: 'commit' });
      await pollUntil(() => reached.includes('tcp') && reached.includes('udp'));
    });
    expect(found.names.length).toBeGreaterThan(5);
  });

  test('a preview of HTML connects to nothing, also when its links are followed', async () => {
    const found = await record(async (browser) => {
      const { page } = await openAnswer(browser, `\`\`\`html\n${toDocument()}\n\`\`\`\n`);
      await page.getByRole('button', { name: enRender.preview.show }).click();
      const frame = page.frameLocator(`iframe[title="${enRender.preview.page}"]`);
      await frame.locator('#follow').click();
      await settle(page);
      expect(page.frames().length).toBe(2);
    });
    expect(found).toEqual({ names: [], reached: [] });
  });

  test('diagrams and text of an answer connect to nothing', async () => {
    const parts = toStaticParts(port).join('\n');
    const label = parts.replaceAll(/["\n#;]/g, ' ');
    const diagram = `\`\`\`mermaid\nflowchart LR\n  A["${label}"] --> B\n\`\`\`\n`;
    const styled = `\`\`\`mermaid\n%%{init: {"themeCSS": "@import url(http://css.${ZONE}:${port}/); * { background: url(http://bg.${ZONE}:${port}/) }"}}%%\nflowchart LR\n  A --> B\n  click A "http://click.${ZONE}:${port}/"\n\`\`\`\n`;
    const links = `[link](http://md.${ZONE}:${port}/) ![image](http://image.${ZONE}:${port}/) <http://auto.${ZONE}:${port}/>\n`;
    const found = await record(async (browser) => {
      const { page } = await openAnswer(browser, `${links}\n${diagram}\n${styled}\n${parts}\n`);
      await page.locator('.diagram').first().waitFor();
      await settle(page);
    });
    expect(found).toEqual({ names: [], reached: [] });
  });

  test('a shared file connects to nothing', async () => {
    const file = join(folder, 'shared.html');
    const found = await record(async (browser) => {
      const parts = toStaticParts(port).join('\n');
      const answer = `${parts}\n\n[link](http://md.${ZONE}:${port}/)\n\n\`\`\`html\n${toDocument()}\n\`\`\`\n`;
      const { page, session } = await openAnswer(browser, answer);
      const headers = { authorization: `Bearer ${it.server.token!}` };
      const response = await fetch(`${it.server.url}/api/sessions/${session}/export?format=html`, { headers });
      writeFileSync(file, await response.text());
      expect(readFileSync(file, 'utf8')).toContain(ZONE);
      await page.goto(pathToFileURL(file).href);
      await settle(page);
    });
    expect(found).toEqual({ names: [], reached: [] });
  });

  describe.skipIf(WITHOUT_FIREFOX !== undefined)(`in Firefox${WITHOUT_FIREFOX ?? ''}`, () => {
    /** The same record: Firefox writes each name that it looks up into its log. */
    async function recordFirefox(
      act: (firefox: Firefox) => Promise<void>,
    ): Promise<{ names: string[]; reached: string[] }> {
      reached.length = 0;
      const log = join(folder, 'firefox-log');
      const names = Array.from({ length: 60 }, (_, at) => `n${at}.${ZONE}`);
      {
        await using firefox = await openFirefox({
          env: { MOZ_LOG: 'sync,nsHostResolver:5,nsSocketTransport:5', MOZ_LOG_FILE: log },
          preferences: { 'network.dns.localDomains': names.join(','), 'media.peerconnection.ice.loopback': true },
        });
        await act(firefox);
      }
      const files = readdirSync(folder).filter((name) => name.startsWith('firefox-log'));
      const text = files.map((name) => readFileSync(join(folder, name), 'latin1')).join('');
      for (const name of files) rmSync(join(folder, name));
      return {
        names: [...new Set([...text.matchAll(/[\w-]+\.leak\.example/g)].map(([name]) => name))],
        reached: [...reached],
      };
    }
    const click = (name: string, scope = 'document'): string =>
      `new Promise((done) => { const look = () => { const found = [...${scope}.querySelectorAll('button')].find((each) => each.textContent.trim() === ${JSON.stringify(name)}); if (found) { found.click(); done(true); } else setTimeout(look, 50); }; look(); })`;

    test('the same document outside of a preview connects', async () => {
      const file = join(folder, 'open.html');
      writeFileSync(file, toDocument().replaceAll(/<meta http-equiv[^>]*>/g, ''));
      const found = await recordFirefox(async (firefox) => {
        await firefox.open('about:blank');
        void firefox.open(pathToFileURL(file).href).catch(() => {});
        await pollUntil(() => reached.includes('tcp'));
      });
      expect(found.names.length).toBeGreaterThan(0);
    });

    test('a preview of HTML connects to nothing', async () => {
      text = `\`\`\`html\n${toDocument()}\n\`\`\`\n`;
      const { session } = await it.client.openSession({ body: { text: 'page', mode: 'auto' } });
      const found = await recordFirefox(async (firefox) => {
        await firefox.open(`${it.server.url}/#token=${it.server.token!}`);
        await firefox.evaluate(`location.hash = '#/s/${session}'`);
        await firefox.evaluate(click(enRender.preview.show));
        const frame = `document.querySelector('iframe[title="${enRender.preview.page}"]')?.contentDocument`;
        await pollUntil(async () => (await firefox.evaluate(`Boolean(${frame}?.querySelector('#follow'))`)) === true);
        await firefox.evaluate(`${frame}.querySelector('#follow').click()`);
        // A later connection of the same browser arrives.
        const control = createServer((socket) => socket.destroy());
        await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));
        const arrived = once(control, 'connection');
        const { port: later } = control.address() as AddressInfo;
        await firefox.evaluate(`void (location = 'http://127.0.0.1:${later}/')`);
        await arrived;
        control.close();
      });
      expect(found).toEqual({ names: [], reached: [] });
    });
  });
});
