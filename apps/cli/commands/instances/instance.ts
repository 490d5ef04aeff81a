import { randomBytes } from 'node:crypto';
import { openClient } from '../../client/open-client.ts';
import { toFolder } from '../../client/open-klaus.ts';
import { isUlid } from '../../instance/origin.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';
import type { Options } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'instance',
  summary: 'open a socket for scripts that start and control sessions',
  examples: [
    'klaus instance --json                 prints the socket; ends with Ctrl-C',
    'klaus instance -- ./review.sh         the script gets KLAUS_INSTANCE_ID and KLAUS_PROJECT_HASH',
  ],
  description:
    'Opens the socket of an instance without a terminal, and works on the sessions that are started over it. With a command, it runs that command with the variables of the instance and ends with it.',
  footer: 'docs/socket-protocol.md describes the protocol.',
  server: 'both',
  declare: (declared) =>
    declared
      .argument('[command...]', 'a program with its arguments, after --')
      .option('--id <ulid>', 'id of the instance (default: a new one)')
      .option('--session <id>', 'the current session at the start')
      .option('-C, --cwd <folder>', 'folder of the project (default: the current one)')
      .option('--json', 'one object with id, socket and project'),
  async run(words: readonly string[], options: Options & { id?: string }) {
    const { toUlid } = await import('@klaus/sdk/ulid');
    const { id = toUlid(Date.now(), randomBytes(10)), cwd } = options;
    if (!isUlid(id)) throw new UsageError(`${JSON.stringify(id)} is not a ULID.`, 'Leave out `--id`.');
    const root = toFolder(cwd ?? process.cwd());
    const [{ openInstances }, { openInstance }, { runCommand }] = await Promise.all([
      import('@klaus/sdk'),
      import('../../instance/instance-host.ts'),
      import('../../instance/run-command.ts'),
    ]);
    await using client = await openClient(options, { cwd, endProcesses: 'close' });
    using instances = await openInstances({ cwd: root });
    using stop = createInterruptSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
    const session = options.session === undefined ? undefined : (await client.session(options.session)).id;
    const env = { ...process.env };
    await using host = await openInstance({ client, instances, id, root, tty: null, session, env });
    if (options.json) out.json({ id, socket: host.socket, project: env['KLAUS_PROJECT_HASH'], root });
    else err.write(`klaus: instance ${id} listens at ${host.socket}\n`);
    const exitCode = await runCommand(words, {
      cwd: root,
      env,
      signal: stop.signal,
      graceMs: instances.graceSeconds * 1_000,
    });
    await host.end(exitCode);
    return exitCode;
  },
};
