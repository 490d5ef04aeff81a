// Covers docs, sdk/cluster, adapters/store/postgres, adapters/objects: backup of a running cluster and its restore, by the commands of the page.
// @module-tag long
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClusterKlaus } from '@klaus/sdk/cluster';
import { openTemporalScheduler } from '@klaus/sdk/scheduler';
import { describe, expect, test } from 'vitest';
import {
  provideTemporal,
  startTemporal,
  WORKFLOW_CACHE,
} from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import { findPostgres } from '../../adapters/store/fixtures/postgres-server.ts';
import { untilLogged } from '../fixtures/engine.ts';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { endWorker, startCluster, WITHOUT_CLUSTER } from './cluster.ts';
import { toOptions } from './cluster-order.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/cluster.md'), 'utf8');
const PART = PAGE.slice(PAGE.indexOf('### Backup and restore'), PAGE.indexOf('### Metrics'));
const [BACKUP, RESTORE] = [...PART.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text!);

const SESSIONS = 4;
const STEPS = 20;
const LOOK = { delay: 300, reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] } };
const SCRIPT = { steps: [...Array.from({ length: STEPS }, () => LOOK), { reply: { text: 'Done.' } }] };

const isMissing = spawnSync('aws', ['--version']).error !== undefined;
const MISSING = WITHOUT_CLUSTER ?? (isMissing ? 'the program aws is not installed' : undefined);

describe.skipIf(MISSING !== undefined)(`the page${MISSING ? `: ${MISSING}` : ''}`, () => {
  test('restores a cluster that ran during its backup', { timeout: 300_000 }, async () => {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await startServer(SCRIPT));
    const place = stack.use(createTestHome());
    const cluster = stack.use(await startCluster(place, { env: toEnv({ place, server }) }));
    const workers = await Promise.all([cluster.startWorker(), cluster.startWorker()]);
    const klaus = await cluster.openNode();
    const sessions = await Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        const session = await klaus.open();
        await session.prompt('Read it some times.');
        await cluster.scheduler.wake(session.id, 'command');
        return session.id;
      }),
    );
    for (const session of sessions) await untilLogged(klaus, session, 'tool.finished', 2);

    const run = (commands: string, changed: Readonly<Record<string, string>> = {}): void => {
      const { accessKeyId, secretAccessKey } = cluster.bucket.credentials!;
      const { status, stderr } = spawnSync('bash', ['-c', `set -eu\n${commands}`], {
        cwd: place.workspace,
        encoding: 'utf8',
        env: {
          ...process.env,
          PATH: `${findPostgres()}:${process.env['PATH']}`,
          AWS_ACCESS_KEY_ID: accessKeyId,
          AWS_SECRET_ACCESS_KEY: secretAccessKey,
          AWS_DEFAULT_REGION: 'us-east-1',
          ...cluster.variables,
          ...changed,
        },
      });
      expect({ status, stderr }).toMatchObject({ status: 0 });
    };
    run(BACKUP!);
    for (const worker of workers) await endWorker(worker, 'SIGKILL');

    const bucket = 'restored';
    const database = await cluster.postgres.createDatabase();
    const changed = { KLAUS_CLUSTER_POSTGRES_URL: database, KLAUS_CLUSTER_BUCKET: bucket };
    run('aws s3 mb --endpoint-url "$KLAUS_CLUSTER_S3_ENDPOINT" "s3://$KLAUS_CLUSTER_BUCKET"', changed);
    run(RESTORE!, changed);
    const engine = stack.use(await startTemporal(provideTemporal().program!));
    const order = { ...cluster.shared, database, bucket: { ...cluster.bucket, bucket }, engine: engine.address };
    const scheduler = stack.use(await openTemporalScheduler({ address: engine.address, cacheFolder: WORKFLOW_CACHE }));
    expect(await scheduler.status(sessions[0]!)).toMatchObject({ state: 'idle' });
    const restored = await createClusterKlaus(toOptions({ ...order, home: stack.use(createTestHome()).home }));
    stack.defer(() => restored.close());
    await cluster.startWorker(order);
    for (const session of sessions) {
      await untilLogged(restored, session, 'run.finished');
      expect(await restored.store.eventsOf(session, ['run.finished'])).toMatchObject([{ outcome: 'done' }]);
      expect(await restored.store.verify(session)).toMatchObject({ intact: true });
    }
    expect(await restored.store.audit()).toMatchObject({ intact: true });
  });
});
