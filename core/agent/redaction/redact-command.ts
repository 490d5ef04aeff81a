import { openSecretsOf } from '../folders/open-secrets.ts';
import type { Redactor } from '../../policy/index.ts';
import { KlausError, unlessFailed, type Command } from '../../protocol/index.ts';
import type { Engine } from '../loop/engine.ts';
import { loadState } from '../state/load-state.ts';
import { redactParts } from './redact-body.ts';

/** The fields of a command that hold text of a user. A prompt holds it in its parts. */
const TEXT_FIELDS: { readonly [T in Command['type']]?: readonly string[] } = {
  pin: ['text'],
  approve: ['note', 'plan'],
  cancel: ['reason'],
  change: ['title'],
  shell: ['command'],
};

function readTexts(command: Command): [field: string, text: string][] {
  const fields = command as Record<string, unknown>;
  if (command.type === 'call') return [['input', JSON.stringify(command.input)]];
  if (command.type === 'approve' && command.content) return [['content', JSON.stringify(command.content)]];
  return (TEXT_FIELDS[command.type] ?? []).flatMap((field): [string, string][] => {
    const text = fields[field];
    return typeof text === 'string' ? [[field, text]] : [];
  });
}

/** True for a command with text of a user. */
export function carriesText(command: Command): boolean {
  return command.type === 'prompt' || readTexts(command).length > 0;
}

/**
 * Redacts the text of a user before it is stored in the inbox, with the placeholders of the session's log.
 *
 * @throws KlausError `usage` for a call whose input contains a secret.
 */
export async function redactCommand<C extends Command>(
  engine: Engine,
  command: C,
  { session, workspace }: { session: string; workspace: string },
): Promise<C> {
  if (!carriesText(command)) return command;
  const opened = (await loadState(engine, session)).session;
  const redactor = engine.createRedactor(opened?.forked?.root ?? session);
  if (await unlessFailed(() => engine.openWorkspace(workspace))) {
    const secrets = openSecretsOf(engine, { workspace, readable: opened?.readable });
    redactor.learn(await secrets.values({ history: false }));
  }
  return redactTexts(command, redactor) as C;
}

function redactTexts(command: Command, redactor: Redactor): Command {
  if (command.type === 'prompt') {
    return { ...command, parts: redactParts(command.parts, redactor) };
  }
  if (command.type === 'call' || (command.type === 'approve' && command.content)) {
    const [[, text] = []] = readTexts(command);
    if (text === undefined || redactor.redact(text) === text) return command;
    // The placeholder of a secret would be passed in its place.
    throw new KlausError(
      'usage',
      `The ${command.type === 'call' ? 'call' : 'answer'} contains a secret, which is not stored.`,
      {
        hint: 'Remove the secret from the input.',
      },
    );
  }
  const clean = readTexts(command).map(([field, text]) => [field, redactor.redact(text)]);
  return { ...command, ...Object.fromEntries(clean) };
}
