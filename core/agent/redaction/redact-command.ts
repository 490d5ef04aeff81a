import { openSecretsOf } from '../folders/open-secrets.ts';
import type { Redactor } from '../../policy/index.ts';
import { isKlausError, type Command } from '../../protocol/index.ts';
import type { Engine } from '../loop/engine.ts';
import { loadState } from '../state/load-state.ts';
import { redactPart } from './redact-body.ts';

/** True for a command with text that a person wrote. */
export function carriesText(command: Command): boolean {
  switch (command.type) {
    case 'prompt':
    case 'pin':
      return true;
    case 'approve':
      return command.note !== undefined;
    case 'cancel':
      return command.reason !== undefined;
    case 'change':
      return command.title !== undefined;
    default:
      return false;
  }
}

/**
 * Takes secrets out of what a person wrote before it is sent: the inbox is a file too. The placeholders are those of
 * the session's log.
 *
 * @param workspace Absolute; its secret files say which values are secret.
 */
export async function redactCommand<C extends Command>(
  engine: Engine,
  command: C,
  { session, workspace }: { session: string; workspace: string },
): Promise<C> {
  if (!carriesText(command)) return command;
  const opened = (await loadState(engine, session)).session;
  const redactor = engine.createRedactor(opened?.forked?.root ?? session);
  if (await isThere(engine, workspace)) {
    const secrets = openSecretsOf(engine, { workspace, readable: opened?.readable });
    redactor.learn(await secrets.values({ history: false }));
  }
  return redactTexts(command, redactor) as C;
}

function redactTexts(command: Command, redactor: Redactor): Command {
  const clean = (text: string): string => redactor.redact(text);
  switch (command.type) {
    case 'prompt':
      return { ...command, parts: command.parts.flatMap((part) => redactPart(part, redactor)) };
    case 'pin':
      return { ...command, text: clean(command.text) };
    case 'approve':
      return { ...command, note: clean(command.note ?? '') };
    case 'cancel':
      return { ...command, reason: clean(command.reason ?? '') };
    case 'change':
      return { ...command, title: clean(command.title ?? '') };
    default:
      return command;
  }
}

async function isThere(engine: Engine, workspace: string): Promise<boolean> {
  try {
    await engine.openWorkspace(workspace);
    return true;
  } catch (error) {
    if (isKlausError(error)) return false;
    throw error;
  }
}
