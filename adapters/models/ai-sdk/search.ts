import type { LanguageModelV4ProviderTool } from '@ai-sdk/provider';
import type { WebSource } from '@klaus/core/agent';
import { SEARCH_TOOL, USD_PER_SEARCH } from '../anthropic/search.ts';
import { toPlain, toSource, type Citation } from '../openai/search.ts';
import type { LanguageModel, LanguageModelPart, ProviderMetadata } from './language-model.ts';

/** The search of a provider of the AI SDK. */
export interface AiSearch {
  tool: LanguageModelV4ProviderTool;
  /** Address of the provider's API if the user has configured none. */
  url: string;
  /** Most US dollars for one search. */
  usd: number;
}

const { name, type, max_uses: maxUses } = SEARCH_TOOL;

/** By the beginning of the name that the model gives to its provider. */
const SEARCHES: Readonly<Record<string, AiSearch>> = {
  'google.generative-ai': {
    tool: { type: 'provider', id: 'google.google_search', name: 'google_search', args: {} },
    url: 'https://generativelanguage.googleapis.com/v1beta',
    // $35 for 1,000 prompts; newer models are cheaper. https://ai.google.dev/gemini-api/docs/pricing
    usd: 0.035,
  },
  anthropic: {
    tool: { type: 'provider', id: `anthropic.${type}`, name, args: { maxUses } },
    url: 'https://api.anthropic.com/v1',
    usd: USD_PER_SEARCH,
  },
  'openai.responses': {
    tool: { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} },
    url: 'https://api.openai.com/v1',
    usd: USD_PER_SEARCH,
  },
};

/** Undefined for a provider without a known search. */
export function findAiSearch({ provider }: LanguageModel): AiSearch | undefined {
  const found = Object.keys(SEARCHES).find((each) => provider === each || provider.startsWith(`${each}.`));
  return found === undefined ? undefined : SEARCHES[found];
}

/** A citation of Anthropic; those of documents have no address. */
interface Cited {
  url?: string;
  title?: string | null;
  cited_text: string;
}

interface Support {
  segment?: { text?: string } | null;
  groundingChunkIndices?: number[] | null;
}

/** The parts of Google's grounding that are used. */
interface Grounding {
  webSearchQueries?: string[] | null;
  groundingChunks?: { web?: { uri?: string; title?: string | null } | null }[] | null;
  groundingSupports?: Support[] | null;
}

/** Collects the results of a search from the parts of an answer. */
export function createSourceReader() {
  const sources: WebSource[] = [];
  let hasSearched = false;
  /** Of the present part of the answer. */
  let text = '';
  return {
    take(part: LanguageModelPart): void {
      if (part.type === 'source' && part.sourceType === 'url') {
        sources.push({ url: toPlain(part.url), title: part.title ?? '', snippet: '' });
      } else if (part.type === 'text-end') {
        sources.push(...toCited(part.providerMetadata, text));
        text = '';
      } else if (part.type === 'text-delta') {
        text += part.delta;
      } else if (part.type === 'tool-call') {
        hasSearched ||= part.providerExecuted === true;
      } else if (part.type === 'finish') {
        const grounding = part.providerMetadata?.['google']?.['groundingMetadata'] as Grounding | null | undefined;
        hasSearched ||= (grounding?.webSearchQueries ?? []).length > 0;
        sources.push(...toSources(grounding));
      }
    },
    finish: () => ({ searches: 1, sources: hasSearched || sources.length > 0 ? sources : undefined }),
  };
}

/** What a text cites, of the packages of Anthropic and OpenAI. */
function toCited(metadata: ProviderMetadata | undefined, text: string): WebSource[] {
  const cited = (metadata?.['anthropic']?.['citations'] ?? []) as unknown as Cited[];
  const annotations = (metadata?.['openai']?.['annotations'] ?? []) as unknown as Citation[];
  return [
    ...cited.flatMap(({ url, title, cited_text: snippet }) => (url ? [{ url, title: title ?? '', snippet }] : [])),
    ...annotations.flatMap((annotation) => toSource(annotation, text)),
  ];
}

/** Google's results have no text: snippets are the sentences of the answer that they support. */
function toSources(grounding: Grounding | null | undefined): WebSource[] {
  const { groundingChunks: chunks, groundingSupports: supports } = grounding ?? {};
  return (chunks ?? []).flatMap(({ web }, index) => {
    if (!web?.uri) return [];
    const support = (supports ?? []).find(({ groundingChunkIndices }) => groundingChunkIndices?.includes(index));
    return [{ url: web.uri, title: web.title ?? '', snippet: support?.segment?.text ?? '' }];
  });
}
