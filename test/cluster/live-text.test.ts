// Covers core/agent, adapters/store/postgres: in-flight text of a worker on another process.
import { createPostgresStore, createPostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { defineTool, type Live, type Tool } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { findPostgres, openPostgres } from '../../adapters/store/fixtures/postgres-server.ts';
import { createKlausOver } from '../../sdk/create-klaus.ts';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

/** The value of a credential variable, which is redacted everywhere. */
const KEY = 'key-of-provider-4f1c9b7e2a60';
const WORDS = 'and more words that follow it, one after the other. ';

/** Shows a secret in two pieces, and ends after a call of `end`. */
function createTalkingTool(): { tool: Tool; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const tool: Tool = defineTool({
    name: 'talk',
    description: 'test',
    input: z.unknown(),
    effects: ['read'],
    resume: 'repeat',
    async run(_input, context) {
      context.progress(`output has ${KEY.slice(0, 9)}`);
      context.progress(`${KEY.slice(9)} in it `);
      await promise;
      return { text: 'ended' };
    },
  });
  return { tool, end: resolve };
}

test.skipIf(findPostgres() === undefined)(
  'the text of the model and the output of a tool arrive elsewhere before they are durable, without secrets (needs Postgres)',
  async () => {
    await using postgres = await openPostgres();
    const database = await postgres.createDatabase();
    using place = createTestHome();
    await using server = await startServer({
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name: 'talk', input: {} }] } },
        { when: { turn: 1 }, reply: { text: `The key is ${KEY} ${WORDS}` }, chunk: 5, pace: 15 },
      ],
    });
    const showing = await createPostgresStore({ url: database, home: place.home });
    const { tool, end } = createTalkingTool();
    const klaus = await createKlausOver(
      {
        home: place.home,
        cwd: place.workspace,
        env: toEnv({ place, server, env: { ANTHROPIC_API_KEY: KEY } }),
        tools: [tool],
      },
      ({ home, redact }) => createPostgresWorkerStore({ url: database, home, redact }),
    );
    try {
      const seen: Live[] = [];
      showing.onLive((live) => seen.push(live));
      const locks = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${0x6b6c76}
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      await expect.poll(() => postgres.query(locks, [], database)).toHaveLength(1);
      const textOf = (type: Live['type']): string =>
        seen.map((live) => (live.type === type && 'text' in live ? live.text : '')).join('');
      const session = await klaus.open();
      await session.prompt('go');
      const running = session.advance();
      await expect.poll(() => textOf('tool.progress')).toMatch(/^output has \[secret:[a-z0-9-]+:[0-9a-f]{8}\] in it $/);
      expect(await showing.lastOf(session.id, ['tool.finished'])).toBeUndefined();
      end();
      await expect.poll(() => textOf('message.delta')).toMatch(/^The key is \[secret:[a-z0-9-]+:[0-9a-f]{8}\] and /);
      expect(await running).toMatchObject({ finished: { outcome: 'done' } });
      expect(JSON.stringify(seen)).not.toContain(KEY.slice(0, 9));
      expect(await showing.lastOf(session.id, ['tool.finished'])).toMatchObject({ outcome: 'ok' });
    } finally {
      end();
      await klaus.close();
      await showing.close();
    }
  },
);
