// Covers apps/debug/hooks: errors in requests of the real Express, Fastify and Hono.
// @module-tag long
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { npm } from '../fixtures/npm.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const INDEX = JSON.stringify(join(import.meta.dirname, '../../apps/debug/index.ts'));
const folder = mkdtempSync(join(tmpdir(), 'klendathu-servers-'));

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"name":"servers","type":"module"}');
  const packages = ['express@5.3.0', 'fastify@5.12.8', 'hono@4.13.19', '@hono/node-server@2.1.8'];
  npm(['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', ...packages], folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Each starts a server whose route `/pay` fails, and returns its port. `options` are those of the hook. */
const SERVERS: Readonly<Record<string, string>> = {
  Express: `
    const { default: express } = await import('express');
    const app = express();
    app.get('/pay', () => { throw failure; });
    app.use(expressErrorHandler(options));
    app.use((error, request, response, next) => response.status(503).send('own: ' + error.message));
    const server = app.listen(0, '127.0.0.1', () => ask(server.address().port));`,
  Fastify: `
    const { default: Fastify } = await import('fastify');
    const app = Fastify();
    app.setErrorHandler((error, request, reply) => reply.status(503).send('own: ' + error.message));
    await app.register(fastifyPlugin, options);
    app.get('/pay', async () => { throw failure; });
    await app.listen({ port: 0, host: '127.0.0.1' });
    ask(app.server.address().port);`,
  Hono: `
    const { Hono } = await import('hono');
    const { serve } = await import('@hono/node-server');
    const app = new Hono();
    app.get('/pay', () => { throw failure; });
    app.onError(honoOnError((error, c) => c.text('own: ' + error.message, 503), options));
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ask(port));`,
};

for (const { cases, tags } of splitCases(Object.entries(SERVERS), 1))
  test.each(cases)('%s answers at once, and the error is investigated', { tags }, async (name, code) => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(
      file,
      `
    import { expressErrorHandler, fastifyPlugin, honoOnError } from ${INDEX};
    const failure = Object.assign(new Error('no stock'), { sku: 'A-7' });
    let isAnswered = false;
    const options = {
      mode: 'live',
      onReport: ({ text }) => {
        const { results, input } = JSON.parse(text);
        console.log(JSON.stringify({ answer, isAnswered, results, names: input.context.map(({ name }) => name) }));
        process.exit(0);
      },
      onFailure: (failure) => { console.error(failure); process.exit(1); },
    };
    let answer;
    async function ask(port) {
      const response = await fetch('http://127.0.0.1:' + port + '/pay?id=5');
      answer = [response.status, await response.text()];
      isAnswered = true;
    }
    ${code}`,
    );
    const steps = ['error.sku', 'request.url'].map((look) => ({ call: 'eval', input: { code: look } }));
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      cwd: folder,
      env: {
        ...process.env,
        KLENDATHU_CLI: join(import.meta.dirname, 'scripted-cli.fixture.ts'),
        KLENDATHU_STEPS: JSON.stringify(steps),
      },
    });
    const { results, ...seen } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { results: { text: string }[] };
    expect(seen).toEqual({ answer: [503, 'own: no stock'], isAnswered: true, names: ['error', 'request'] });
    const values = results.map(({ text }) => (JSON.parse(text) as { result: string }).result);
    expect(values).toEqual(['"A-7"', expect.stringMatching(/\/pay\?id=5"$/)]);
  });
