import type { EventOf } from '@klaus/core/protocol';

/**
 * For the user, after a call that failed because dependencies of the project are not installed.
 *
 * @param command Installs them. Default: that of the command line.
 */
export function describeUninstalled(command = 'klaus fetch'): string {
  return `The dependencies of this project are not installed: \`${command}\` installs them.`;
}

/** The command that installs the dependencies that a call lacked. Undefined: it lacked none. */
export function toFetch({ detail }: EventOf<'tool.finished'>): string | undefined {
  const command = (detail as { fetch?: unknown } | undefined)?.fetch;
  return typeof command === 'string' ? command : undefined;
}
