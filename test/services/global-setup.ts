import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES_VARIABLE, type ServiceName } from '../../adapters/system/fixtures/shared-service.ts';

/** A service that runs. */
interface Started extends AsyncDisposable {
  /** How a client reaches it. */
  address: string;
}

/** Starts each service. The modules are imported when they are needed: most parts of the tests need none of them. */
const STARTS: Readonly<Record<ServiceName, () => Promise<Started>>> = {
  async chromium() {
    const { launchBrowserServer } = await import('../fixtures/browser.ts');
    const server = await launchBrowserServer();
    return { address: server.wsEndpoint(), [Symbol.asyncDispose]: () => server.close() };
  },
  async postgres() {
    const { startPostgres } = await import('../../adapters/store/fixtures/postgres-server.ts');
    const server = await startPostgres();
    return { address: String(server.port), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
  async temporal() {
    const { provideTemporal, startTemporal } =
      await import('../../adapters/scheduler/temporal/temporal-server.fixture.ts');
    return await startTemporal(provideTemporal().program!);
  },
};

/**
 * The services that all test files share: one Postgres, one Temporal, one Chromium. The first file that asks starts one, by a
 * request to the Unix socket that `KLAUS_TEST_SERVICES` names; the end of the run ends all.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-services-'));
  const started = new Map<string, Promise<Started>>();
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? '';
    const start = name in STARTS ? STARTS[name as ServiceName] : undefined;
    const service = started.get(name) ?? start?.() ?? Promise.reject(new Error(`There is no service ${name}.`));
    started.set(name, service);
    service.then(
      ({ address }) => response.end(address),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(join(folder, 'socket'));
  await once(server, 'listening');
  process.env[SERVICES_VARIABLE] = join(folder, 'socket');
  return async () => {
    server.close();
    const all = await Promise.allSettled(started.values());
    const running = all.flatMap((service) => (service.status === 'fulfilled' ? [service.value] : []));
    await Promise.all(running.map((service) => service[Symbol.asyncDispose]()));
    rmSync(folder, { recursive: true, force: true });
  };
}
