import { realpathSync } from 'node:fs';
import { toFolder } from '../../client/open-klaus.ts';
import { findInstance } from '../../instance/find-instance.ts';
import { sendRequest } from '../../instance/send-request.ts';
import { asCommand, fromAnswer } from '../../instance/socket-error.ts';
import { out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { toAmount } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'checkout',
  summary: 'make a session the current one of a terminal',
  examples: [
    'klaus checkout 01KE                    in the terminal that runs here, or the only one of this project',
    'klaus checkout --instance 01KF         the parent of its current session',
  ],
  description:
    'The terminal shows the session. A run of the session that it showed before continues. Without an id: the session from which the current one was started.',
  server: 'none',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions'))
      .option('--instance <id>', 'id of the instance, or its beginning (default: KLAUS_INSTANCE_ID, else the only one)')
      .option('--wait <seconds>', 'wait for the end of the run of the session first', toAmount)
      .option('-C, --cwd <folder>', 'folder of the project (default: the current one)')
      .option('--json', 'one object with the session before and after'),
  async run(id: string | undefined, { instance, wait, cwd, json }: Options & { instance?: string; wait?: number }) {
    const root = realpathSync(toFolder(cwd ?? process.cwd()));
    const { openInstances } = await import('@klaus/sdk');
    using instances = await openInstances({ cwd: root });
    const { KLAUS_INSTANCE_ID: own, KLAUS_SESSION_ID: from } = process.env;
    const project = instances.hashOf(root);
    const target = asCommand(() => findInstance(instances, { project, wanted: instance, own }));
    const payload = {
      sessionId: id,
      waitSeconds: wait,
      // The session of the caller, if the terminal has not gone to another one since.
      ...(id === undefined && from && target.id === own ? { fromSessionId: from } : {}),
    };
    const answer = await sendRequest(target.socket ?? '', { action: 'checkout', payload });
    const { sessionId, previousSessionId } = fromAnswer(answer);
    if (json) out.json({ instance: target.id, sessionId, previousSessionId });
    else out.write(`Instance ${target.id} now shows session ${sessionId}.\n`);
  },
};
