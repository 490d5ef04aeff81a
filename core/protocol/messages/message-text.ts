import { headOf } from '../text/cut-text.ts';
import { toText, type Message } from './message.ts';

/** Characters of the first prompt in a session's row. */
const PROMPT = 200;

/** The text of a message, with attachments in brackets. Calls are in `tool_calls`. */
export function toContent(message: Pick<Message, 'parts'>): string {
  const attached = message.parts.flatMap((part) => {
    if (part.type === 'image') return [`[image ${part.mediaType}]`];
    return part.type === 'file' ? [`[file ${part.name}]`] : [];
  });
  return [toText(message), ...attached].filter((text) => text !== '').join('\n');
}

/** The beginning of a prompt, as a list shows it. A character outside the basic plane counts as one. */
export function toBeginning(message: Pick<Message, 'parts'>): string {
  return Array.from(headOf(toContent(message), 2 * PROMPT))
    .slice(0, PROMPT)
    .join('');
}
