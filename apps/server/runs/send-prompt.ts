import { optional } from '@klaus/sdk/optional';
import { KlausError, type Klaus, type OnAsk, type Part, type Session } from '@klaus/sdk';
import { Refusal } from '../http/problem.ts';

/** What routes that take a prompt have in common. */
export interface GivenPrompt {
  text?: string | undefined;
  parts?: readonly Part[] | undefined;
  pin?: boolean | undefined;
  /** Id for the command. */
  command?: string | undefined;
  waitForModelMs?: number | undefined;
  onAsk?: OnAsk | undefined;
}

/** The parts of a prompt; undefined where none is given. A text beyond the limit is attached as a file. */
function toParts({ text = '', parts = [] }: GivenPrompt, maxChars: number): Part[] | undefined {
  const said = text.trim();
  if (said === '' && parts.length === 0) return undefined;
  const allowed = parts.every(({ type }) => type === 'text' || type === 'image' || type === 'file');
  if (!allowed) throw new KlausError('usage', 'A prompt consists of text, images and files.');
  return [
    ...(said === '' ? [] : attachLong(text, maxChars)),
    ...parts.flatMap((part) => attachLongPart(part, maxChars)),
  ];
}

function attachLongPart(part: Part, maxChars: number): Part[] {
  return part.type === 'text' ? attachLong(part.text, maxChars) : [part];
}

function attachLong(text: string, maxChars: number): Part[] {
  if (text.length <= maxChars) return [{ type: 'text', text }];
  return [
    { type: 'text', text: 'Do what the attached file prompt.txt says.' },
    { type: 'file', name: 'prompt.txt', mediaType: 'text/plain', text },
  ];
}

/** Sends a prompt if one is given. Returns the command's id. */
export async function sendPrompt(
  klaus: Klaus,
  session: Session,
  given: GivenPrompt & { delivery?: 'steer' | 'queue' | undefined },
): Promise<string | undefined> {
  const parts = toParts(given, klaus.configuration.get('maxPromptChars'));
  if (!parts) return undefined;
  return session.prompt(parts, {
    onAsk: given.onAsk ?? klaus.configuration.get('onAsk') ?? 'wait',
    ...optional({ delivery: given.delivery }),
    ...(given.pin ? { pin: true } : {}),
    ...optional({ id: given.command, waitForModelMs: given.waitForModelMs }),
  });
}

/** The same where one is needed. @throws Refusal 400. */
export async function sendNeededPrompt(...given: Parameters<typeof sendPrompt>): Promise<string> {
  const command = await sendPrompt(...given);
  if (command === undefined)
    throw new Refusal(400, 'usage', { title: 'There is no prompt.', detail: 'Give text or parts.' });
  return command;
}
