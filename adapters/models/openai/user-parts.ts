import type { Part } from '@klaus/core/protocol';
import { NO_IMAGES, toDocumentText } from '../wire/request-writer.ts';

/** The format of a user's message in one of the APIs. */
interface UserFormat<Content> {
  toResult: (call: string, text: string) => object;
  toText: (text: string) => Content;
  /** @param url A data URL. */
  toImage: (url: string) => Content;
}

/** The parts of a user's message: results of tools and the other content, which are separate items in these APIs. */
export function readUserParts<Content>(
  parts: readonly Part[],
  images: boolean,
  { toResult, toText, toImage }: UserFormat<Content>,
): { results: object[]; content: Content[] } {
  const results: object[] = [];
  const content: Content[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'result':
        // There is no flag for a failure.
        results.push(toResult(part.call, part.isError ? `Error: ${part.text}` : part.text));
        break;
      case 'image':
        content.push(images ? toImage(`data:${part.mediaType};base64,${part.data}`) : toText(NO_IMAGES));
        break;
      case 'text':
        if (part.text !== '') content.push(toText(part.text));
        break;
      case 'file':
        content.push(toText(toDocumentText(part)));
        break;
      case 'call':
      case 'thinking': // never in a user's message
    }
  }
  return { results, content };
}
