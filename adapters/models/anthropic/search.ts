import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ModelInfo, WebSource } from '@klaus/core/agent';
import { ProviderError } from '../failure/errors.ts';
import { createSearchReader } from '../wire/search-model.ts';
import type { AnswerReader } from '../wire/answer-feed.ts';

/** $10 for 1,000 searches. @source https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
export const USD_PER_SEARCH = 0.01;

/** The version without code execution, which all current models have. */
export const SEARCH_TOOL = { type: 'web_search_20250305', name: 'web_search', max_uses: 1 };

/** Reads the results of the tool `web_search`. Their text is encrypted: snippets are what the answer cites. */
export function withSearchResults(reader: AnswerReader, info: ModelInfo): AnswerReader {
  let sources: WebSource[] | undefined;
  const cited: WebSource[] = [];
  let searches = 0;
  return createSearchReader(reader, {
    info,
    usd: USD_PER_SEARCH,
    take(taken) {
      const event = taken as RawMessageStreamEvent | null;
      if (event?.type === 'content_block_start' && event.content_block?.type === 'web_search_tool_result') {
        const { content } = event.content_block;
        // A second search is refused by `max_uses`.
        if (Array.isArray(content)) sources = content.map(({ title, url }) => ({ title, url, snippet: '' }));
        else if (!sources) throw toError(content.error_code);
      } else if (event?.type === 'content_block_delta' && event.delta?.type === 'citations_delta') {
        const { citation } = event.delta;
        if (citation.type !== 'web_search_result_location') return;
        cited.push({ title: citation.title ?? '', url: citation.url, snippet: citation.cited_text });
      } else if (event?.type === 'message_delta') {
        searches = event.usage?.server_tool_use?.web_search_requests ?? searches;
      }
    },
    finish: () => ({ searches, sources: sources && [...cited, ...sources] }),
  });
}

function toError(code: string): ProviderError {
  const type =
    code === 'too_many_requests' ? 'rate_limit_error' : code === 'unavailable' ? 'api_error' : 'invalid_request_error';
  return new ProviderError({ body: { type, message: `web_search: ${code}` } });
}
