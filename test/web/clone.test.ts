// Covers scripts/web.ts, scripts/provide-web.ts: the page of a clone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { createTestHome } from '../fixtures/test-home.ts';

test('./klaus serve of a clone builds and serves the page', async () => {
  using place = createTestHome();
  const serving = spawn(join(import.meta.dirname, '../../klaus'), ['serve', '--json', '--port', '0'], {
    cwd: place.workspace,
    env: { ...place.env, KLAUS_HOME: place.home, AGENT_API_SECRET: 'a-secret-of-the-test' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  serving.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  try {
    const [line] = (await once(createInterface({ input: serving.stdout }), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const page = await (await fetch(url)).text();
    expect(page).toContain('<title>Klaus</title>');
    const [, script] = /src="(\.\/assets\/[^"]+\.js)"/.exec(page)!;
    expect((await fetch(new URL(script!, url))).status).toBe(200);
    // Nothing of the tools with which it was built.
    expect(printed).not.toMatch(/\u001b|Warning:|plugin|\(!\)/);
  } finally {
    serving.kill('SIGTERM');
    await once(serving, 'exit');
  }
});
