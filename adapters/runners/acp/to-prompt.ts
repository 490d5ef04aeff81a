import type { Part } from '@klaus/core/protocol';
import type { ContentBlock, PromptCapabilities } from '@agentclientprotocol/sdk/unstable';

/** The parts of a message as content blocks that the agent supports. */
export function toPrompt(
  parts: readonly Part[],
  { image = false, embeddedContext = false }: PromptCapabilities,
): ContentBlock[] {
  return parts.flatMap((part): ContentBlock[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }];
      case 'image':
        if (!image) return [{ type: 'text', text: '[an image, which this agent does not accept]' }];
        return [{ type: 'image', mimeType: part.mediaType, data: part.data }];
      case 'file': {
        const { name, mediaType, text } = part;
        if (text === undefined) return [{ type: 'text', text: `[the file ${name}, which is not text]` }];
        if (!embeddedContext) return [{ type: 'text', text: `${name}:\n${text}` }];
        const uri = `attachment:///${encodeURIComponent(name)}`;
        return [{ type: 'resource', resource: { uri, mimeType: mediaType, text } }];
      }
      default:
        return [];
    }
  });
}
