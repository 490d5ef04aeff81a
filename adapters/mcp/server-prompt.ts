import type { Prompt } from '@modelcontextprotocol/client';

/** A prompt that a server offers. */
export interface ServerPrompt {
  name: string;
  description: string;
  arguments: { name: string; required: boolean }[];
}

export function toPrompt({ name, description = '', arguments: words = [] }: Prompt): ServerPrompt {
  return {
    ...{ name, description },
    arguments: words.map((word) => ({ name: word.name, required: word.required ?? false })),
  };
}
