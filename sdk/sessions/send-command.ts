import { carriesText, redactCommand, type Engine, type SessionRow, type SessionStore } from '@klaus/core/agent';
import { isKlausError, isRunnerModel, KlausError, type Command } from '@klaus/core/protocol';
import type { PolicyEngines } from '../policy/policy-engines.ts';

/** Sends commands to one session. Text of the user is redacted before it is stored. */
export interface CommandSender {
  readonly send: (command: Command) => Promise<string>;
  /** @throws KlausError with an invalid policy: nothing runs, and no command that would start a run is sent. */
  readonly checkPolicy: () => Promise<void>;
  /**
   * A command is durable once it is sent: with an unusable model it would wait and run together with the next one.
   *
   * @throws KlausError also `usage` for a closed session, `model.unknown`, `auth`, `config` for an unusable model.
   */
  readonly checkReady: () => Promise<void>;
}

/** Commands that start a run for the user, and not for the session that started this one. */
const OWN_RUNS: ReadonlySet<Command['type']> = new Set(['compact', 'shell', 'call']);

export function createCommandSender(
  { engine, store, inForce }: { engine: Engine; store: SessionStore; inForce: PolicyEngines },
  id: string,
): CommandSender {
  const workspace = async (): Promise<string | undefined> => (await store.session(id))?.workspace || undefined;
  const checkPolicy = async (): Promise<void> => {
    const root = await workspace();
    if (root !== undefined) await inForce.policy(root);
  };
  /** A run can be cancelled, and a session renamed, even with an invalid policy. */
  const toJudging = async (root: string): Promise<Engine> => {
    try {
      return await inForce.judging(root);
    } catch (error) {
      if (isKlausError(error)) return engine;
      throw error;
    }
  };
  const toClean = async (command: Command): Promise<Command> => {
    const root = await workspace();
    if (root === undefined || !carriesText(command)) return command;
    return redactCommand(await toJudging(root), command, { session: id, workspace: root });
  };
  return {
    checkPolicy,
    async checkReady() {
      await checkPolicy();
      const row = await store.session(id);
      checkOpen(row);
      if (!row?.model || isRunnerModel(row.model)) return;
      if (await store.isClaimed(id)) return;
      const { models } = row.workspace ? (await inForce.project(row.workspace)).engine : engine;
      await models.resolve(row.model);
    },
    async send(command) {
      if (OWN_RUNS.has(command.type)) checkOwn(await store.session(id));
      const clean = await toClean(command);
      // The placeholder of a secret would run in its place.
      if (command.type === 'shell' && clean.type === 'shell' && clean.command !== command.command) {
        throw new KlausError('usage', 'The command contains a secret, which is not stored.', {
          hint: 'Put the secret into a file, and let the command read it.',
        });
      }
      await store.send(id, clean);
      return command.id;
    },
  };
}

/** @throws KlausError `usage` for a closed session, in which a prompt would wait without an end. */
function checkOpen(row: SessionRow | undefined): void {
  if (row?.status !== 'closed') return;
  throw new KlausError('usage', `The session ${row.id} is closed.`, {
    hint: row.parent === null ? 'Open another one.' : `Continue the session that started it: ${row.parent}.`,
  });
}

/** @throws KlausError `usage` for a closed session, and for a child session. */
function checkOwn(row: SessionRow | undefined): void {
  checkOpen(row);
  if (row === undefined || row.parent === null) return;
  throw new KlausError('usage', `The session ${row.id} was started by another one.`, {
    hint: `Use the session that started it: ${row.parent}.`,
  });
}
