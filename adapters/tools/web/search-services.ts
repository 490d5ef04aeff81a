import type { WebRequest, WebResponse, WebSource } from '@klaus/core/agent';
import type { SearchService } from '@klaus/core/protocol';
import { z } from 'zod';
import { toolFailed } from '../tool-failed.ts';

export interface SearchQuery {
  query: string;
  count: number;
  /** Of the service, without a final slash. */
  base: string;
  /** The key; '' for a service without one. */
  key: string;
}

interface ServiceEntry {
  /** The variable that holds its key. Absent: it has none. */
  readonly key?: string;
  readonly toRequest: (query: SearchQuery) => WebRequest;
  /** Each item of the answer as a result. */
  readonly answer: z.ZodType<WebSource[]>;
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** The services as their documentation describes them. */
export const SERVICES: Readonly<Record<SearchService, ServiceEntry>> = {
  // https://docs.searxng.org/dev/search_api.html
  searxng: {
    toRequest: ({ base, query }) => ({
      url: `${base}/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}`,
    }),
    answer: z
      .object({ results: z.array(z.object({ title: text, url: text, content: text })) })
      .transform(({ results }) => results.map(({ title, url, content }) => ({ title, url, snippet: content }))),
  },
  // https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
  brave: {
    key: 'BRAVE_API_KEY',
    toRequest: ({ base, query, count, key }) => ({
      url: `${base}/res/v1/web/search?${new URLSearchParams({ q: query, count: String(count) }).toString()}`,
      headers: { accept: 'application/json', 'x-subscription-token': key },
    }),
    answer: z
      .object({
        web: z.object({ results: z.array(z.object({ title: text, url: text, description: text })) }).nullish(),
      })
      .transform(({ web }) =>
        (web?.results ?? []).map(({ title, url, description }) => ({ title, url, snippet: description })),
      ),
  },
  // https://docs.tavily.com/documentation/api-reference/endpoint/search
  tavily: {
    key: 'TAVILY_API_KEY',
    toRequest: ({ base, query, count, key }) => ({
      url: `${base}/search`,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query, max_results: count }),
    }),
    answer: z
      .object({ results: z.array(z.object({ title: text, url: text, content: text })) })
      .transform(({ results }) => results.map(({ title, url, content }) => ({ title, url, snippet: content }))),
  },
};

/** What a failure of a service means. */
const MEANINGS: Readonly<Record<number, string>> = {
  401: 'it rejected the key',
  403: 'it refused the request; SearXNG does so if `search.formats` does not include `json`',
  422: 'it rejected the query or the key',
  429: 'too many requests',
  432: 'the plan is used up',
  433: 'the budget is used up',
};

/** @throws KlausError `tool.failed` for a status other than 200 and for an answer of another shape. */
export function readResults(service: SearchService, { status, body, isTruncated }: WebResponse): WebSource[] {
  if (status !== 200) {
    throw toolFailed(`The search service ${service} answered with ${status}: ${MEANINGS[status] ?? 'it failed'}.`);
  }
  if (isTruncated) throw toolFailed(`The answer of ${service} is larger than ${body.length} bytes.`);
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(body));
  } catch (cause) {
    throw toolFailed(`The answer of ${service} is not JSON.`, { cause });
  }
  const answer = SERVICES[service].answer.safeParse(json);
  if (!answer.success) throw toolFailed(`The answer of ${service} has an unknown shape.`);
  return answer.data;
}
