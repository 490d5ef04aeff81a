import type { ModelInfo, WebSource } from '@klaus/core/agent';
import { createSearchReader } from '../wire/search-model.ts';
import { toRecord, toRecords, toText } from '../wire/untrusted.ts';
import type { AnswerReader } from '../wire/answer-feed.ts';

/** $10 for 1,000 calls. @source https://developers.openai.com/api/docs/guides/tools-web-search */
export const USD_PER_SEARCH = 0.01;

/** Fields of a Responses request that searches once. */
export const RESPONSES_SEARCH = {
  tools: [{ type: 'web_search' }],
  tool_choice: 'required',
  max_tool_calls: 1,
  include: ['web_search_call.action.sources'],
};

/** A citation of Responses; chat-completions has its fields in `url_citation`. */
export interface Citation {
  type?: string;
  url?: string;
  title?: string | null;
  /** The text of the page; OpenRouter only. */
  content?: string | null;
  start_index?: number;
}

interface SearchItem {
  type?: string;
  action?: { type?: string; sources?: { url?: string }[] | null } | null;
  content?: { text?: string; annotations?: Citation[] | null }[];
}

interface SearchEvent {
  type?: string;
  item?: SearchItem;
}

/** Reads the cited pages of a Responses answer, and then the other pages that the search found. */
export function withResponsesSources(reader: AnswerReader, info: ModelInfo): AnswerReader {
  const cited: WebSource[] = [];
  const found: WebSource[] = [];
  let searches = 0;
  return createSearchReader(reader, {
    info,
    usd: USD_PER_SEARCH,
    take(taken) {
      const { type, item } = taken as SearchEvent;
      if (type !== 'response.output_item.done') return;
      if (item?.type === 'web_search_call' && (item.action?.type ?? 'search') === 'search') {
        searches++;
        for (const { url } of toRecords(item.action?.sources))
          if (typeof url === 'string' && url !== '') found.push({ title: '', url: toPlain(url), snippet: '' });
      }
      for (const { text, annotations } of toRecords(item?.content))
        for (const each of toRecords(annotations)) cited.push(...toSource(each, toText(text)));
    },
    finish: () => ({ searches, sources: searches === 0 ? undefined : [...cited, ...found] }),
  });
}

/** The tool of OpenRouter. @source https://openrouter.ai/docs/guides/features/server-tools/web-search */
export const OPENROUTER_SEARCH = { type: 'openrouter:web_search', parameters: { max_results: 8 } };

/** Most US dollars for one search of OpenRouter: $4 for 1,000 results, or the provider's own price. */
export const OPENROUTER_USD = 0.04;

interface AnnotatedChunk {
  choices?: { delta?: { annotations?: { type?: string; url_citation?: Citation }[] | null } | null }[] | null;
}

/** Reads the citations of a chat-completions answer. */
export function withChatSources(reader: AnswerReader, info: ModelInfo): AnswerReader {
  const cited: WebSource[] = [];
  return createSearchReader(reader, {
    info,
    // The answer names its exact cost.
    usd: 0,
    take(taken) {
      const annotations = (taken as AnnotatedChunk).choices?.[0]?.delta?.annotations;
      for (const { url_citation: citation } of toRecords(annotations)) cited.push(...toSource(toRecord(citation), ''));
    },
    finish: () => ({ searches: 0, sources: cited.length > 0 ? cited : undefined }),
  });
}

/** The snippet is the line of the answer before the citation. */
export function toSource({ url, title, content, start_index: at = 0 }: Citation, text: string): WebSource[] {
  if (!url) return [];
  const begin = text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
  return [{ url: toPlain(url), title: title ?? '', snippet: content ?? text.slice(begin, at).replace(/[\s([]+$/, '') }];
}

/** OpenAI marks the addresses of citations. */
export function toPlain(url: string): string {
  return url.replace(/[?&]utm_source=openai(?=#|$)/, '');
}
