import type { Part } from '@klaus/core/protocol';

/** The parts of a message as content blocks of the Messages API. */
export function toContent(parts: readonly Part[]): object[] {
  return parts.flatMap((part): object[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }];
      case 'image':
        return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }];
      case 'file': {
        const { name, text } = part;
        return [
          { type: 'text', text: text === undefined ? `[the file ${name}, which is not text]` : `${name}:\n${text}` },
        ];
      }
      default:
        return [];
    }
  });
}
