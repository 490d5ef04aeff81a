import type { Message } from '../../protocol/index.ts';
import { cutOutput } from '../calls/cut-output.ts';

/** A history as plain text, for a model that is to summarise it. `perPart` is the most that one part takes. */
export function toTranscript(messages: readonly Message[], perPart: number): string {
  return messages
    .flatMap((message) =>
      message.parts.flatMap((part) => {
        switch (part.type) {
          case 'text':
            return [`${message.role === 'user' ? 'User' : 'Assistant'}: ${cutOutput(part.text, perPart)}`];
          case 'call':
            return [`Call ${part.name}: ${cutOutput(JSON.stringify(part.input ?? null), perPart)}`];
          case 'result':
            return [`Result${part.isError ? ' (failed)' : ''}: ${cutOutput(part.text, perPart)}`];
          case 'file':
            return [`File ${part.name}: ${cutOutput(part.text ?? '(binary)', perPart)}`];
          default:
            return [];
        }
      }),
    )
    .join('\n');
}
