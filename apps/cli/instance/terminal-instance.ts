import { readlinkSync } from 'node:fs';
import { openInstances } from '@klaus/sdk';
import type { SessionClient } from '@klaus/sdk/client';
import { CliError } from '../program/cli-error.ts';
import { openInstance } from './instance-host.ts';
import { toRoot } from './session-facts.ts';

export interface TerminalInstanceOptions {
  /** ULID. */
  id: string;
  /** Absolute path of the project. */
  folder: string;
  client: SessionClient;
  session: string | undefined;
  show: (id: string) => Promise<void>;
  /** See `InstanceOptions`. */
  holds?: boolean;
}

/** Registers the terminal of this process as an instance and opens its socket. @throws as `openInstance`. */
export async function openTerminalInstance({ folder, ...given }: TerminalInstanceOptions) {
  const { client } = given;
  const instances = await openInstances({ cwd: folder });
  try {
    const tty = findTty();
    const host = await openInstance({ ...given, instances, root: folder, tty, env: process.env });
    const { graceSeconds, linkSeconds } = instances;
    return {
      graceSeconds,
      linkSeconds,
      setSession: (shown: string | undefined) => host.setSession(shown),
      async end(exitCode: number) {
        const running = client.server === undefined ? host.running() : [];
        await host.end(exitCode);
        instances[Symbol.dispose]();
        return running;
      },
    };
  } catch (error) {
    instances[Symbol.dispose]();
    throw error;
  }
}

/** The same for a terminal that joined a session: it belongs to the project of that session. */
export async function openAttachedInstance(options: Omit<TerminalInstanceOptions, 'folder'>) {
  const { client, session } = options;
  for await (const event of client.events(session ?? ''))
    if (event.type === 'session.opened')
      return await openTerminalInstance({ ...options, folder: toRoot({ opened: event }) });
  throw new CliError('usage', `Session ${session} has no beginning.`);
}

/** The device of standard input; null if it cannot be found. */
function findTty(): string | null {
  try {
    return readlinkSync('/proc/self/fd/0');
  } catch {
    return null;
  }
}
