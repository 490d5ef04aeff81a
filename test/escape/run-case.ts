import type { ExecResult, Sandbox } from '@klaus/core/agent';
import { closeIdleContainers, createSandbox, type CreateSandboxOptions } from '@klaus/adapters/sandboxes';
import { isKlausError } from '@klaus/core/protocol';
import { BubblewrapSandbox } from '../../adapters/sandboxes/bubblewrap/bubblewrap-sandbox.ts';
import { findBubblewrap } from '../../adapters/sandboxes/bubblewrap/find-bubblewrap.ts';
import { isSecretShown } from './case.ts';
import type { EscapeCase } from './case.ts';
import { createWorld, listSecrets } from './world.ts';
import type { Prepared } from './prepare-docker.ts';
import type { World } from './world.ts';

/** Controls can be removed only in bubblewrap. */
export type Driver = 'bubblewrap' | 'docker' | 'kubernetes';

type ToOptions = NonNullable<Prepared['toOptions']>;

export interface Attempt {
  harmed: boolean;
  /** True if the program that the attack needs is not in the sandbox. */
  missing: boolean;
  result: ExecResult | undefined;
}

/** Runs one case in a new world. @param driver `bare`: bubblewrap without the controls of the case. */
export async function attempt(escape: EscapeCase, driver: Driver | 'bare', toOptions?: ToOptions): Promise<Attempt> {
  await using world = await createWorld();
  escape.before?.(world);
  const path = process.env['PATH'];
  if (escape.path) process.env['PATH'] = `${escape.path(world)}:${path}`;
  try {
    const sandbox = await openSandbox(world, { driver, escape, more: toOptions?.(world) ?? {} });
    if (escape.program !== undefined) {
      const found = await sandbox.exec({ command: `command -v ${escape.program}` });
      if (found.exitCode !== 0) return { harmed: false, missing: true, result: undefined };
    }
    // The attack finds a container that has run a command before.
    if (driver === 'docker' || driver === 'kubernetes')
      await tryExec(sandbox, { ...escape, attack: () => 'true' }, world);
    const result = await tryExec(sandbox, escape, world);
    const harmed = result !== undefined && (await (escape.harmed ?? isSecretShown)(world, result));
    return { harmed, missing: false, result };
  } finally {
    await closeIdleContainers();
    process.env['PATH'] = path;
    escape.after?.(world);
  }
}

/** A request that the driver refuses counts as prevented. */
async function tryExec(sandbox: Sandbox, escape: EscapeCase, world: World): Promise<ExecResult | undefined> {
  const command = escape.attack(world);
  const request = escape.request?.(world);
  try {
    return await sandbox.exec({ command, ...request });
  } catch (error) {
    // It begins with the refused path, which no failure of a driver does.
    const shown = [...(request?.readable ?? []), ...(request?.binds ?? []).map(({ path }) => path)];
    const isRefused = isKlausError(error) && error.code === 'sandbox.failed';
    if (isRefused && shown.some((path) => error.message.startsWith(`${path} `))) return undefined;
    throw error;
  }
}

async function openSandbox(
  world: World,
  { driver, escape, more }: { driver: Driver | 'bare'; escape: EscapeCase; more: Partial<CreateSandboxOptions> },
): Promise<Sandbox> {
  const { workspace, home } = world;
  const options = { workspace, home, limits: { timeoutMs: 20_000 }, masks: async () => listSecrets(world) };
  if (driver !== 'bare') return createSandbox({ ...options, ...more, choice: driver });
  const { program } = await findBubblewrap({ home });
  if (!program) throw new Error('bubblewrap does not work here');
  return new BubblewrapSandbox(options, program, { without: escape.without });
}
