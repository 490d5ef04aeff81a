import { KlausError, type Klaus, type Part, type Session } from '@klaus/sdk';
import type { RouteOf } from '../contract/index.ts';
import type { Parsed } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';

/** The fields that all routes with a prompt share. */
type PromptInput = Parsed<RouteOf<'sendPrompt'>>['body'];

/** The parts of a prompt; undefined without one. A text above the limit is attached as a file. */
function toParts({ text = '', parts = [] }: PromptInput, maxChars: number): Part[] | undefined {
  const isBlank = text.trim() === '';
  if (isBlank && parts.length === 0) return undefined;
  const allowed = parts.every(({ type }) => type === 'text' || type === 'image' || type === 'file');
  if (!allowed) throw new KlausError('usage', 'A prompt consists of text, images and files.');
  const attached = parts.flatMap((part) => (part.type === 'text' ? attachLong(part.text, maxChars) : [part]));
  return [...(isBlank ? [] : attachLong(text, maxChars)), ...attached];
}

function attachLong(text: string, maxChars: number): Part[] {
  if (text.length <= maxChars) return [{ type: 'text', text }];
  return [
    { type: 'text', text: 'Follow the instructions in the attached file prompt.txt.' },
    { type: 'file', name: 'prompt.txt', mediaType: 'text/plain', text },
  ];
}

/** Sends a prompt if there is one. Returns the id of the command. */
export async function sendPrompt(klaus: Klaus, session: Session, input: PromptInput): Promise<string | undefined> {
  const configuration = await readConfiguration(klaus, session.id);
  const parts = toParts(input, configuration.get('maxPromptChars'));
  if (!parts) return undefined;
  return session.prompt(parts, {
    onAsk: input.onAsk ?? configuration.get('onAsk') ?? 'wait',
    ...(input.pin ? { pin: true } : {}),
    delivery: input.delivery,
    id: input.command,
    waitForModelMs: input.waitForModelMs,
    untrusted: input.untrusted,
  });
}

/** The settings of the project of a session. @throws KlausError `config`. */
export async function readConfiguration(klaus: Klaus, session: string): Promise<Klaus['configuration']> {
  const workspace = (await klaus.store.session(session))?.workspace;
  return workspace ? klaus.configurationOf(workspace) : klaus.configuration;
}

/** @throws Refusal 400 without a prompt. */
export async function sendRequiredPrompt(...args: Parameters<typeof sendPrompt>): Promise<string> {
  const command = await sendPrompt(...args);
  if (command === undefined)
    throw new Refusal(400, 'usage', { title: 'There is no prompt.', detail: 'Send `text` or `parts`.' });
  return command;
}
