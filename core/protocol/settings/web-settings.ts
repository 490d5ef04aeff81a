import { z } from 'zod';
import { credential } from './credential.ts';
import { defineSetting } from './setting.ts';

/** Services of others that `web_search` can use. */
export const SEARCH_SERVICES = ['searxng', 'brave', 'tavily'] as const;
export type SearchService = (typeof SEARCH_SERVICES)[number];

const service = z.url({ protocol: /^https?$/ });

/** Settings of the web tools. A project cannot set them: searches would be sent to its server. */
export const WEB_SETTINGS = {
  'web.search': defineSetting({
    schema: z.enum([...SEARCH_SERVICES, 'provider', 'off']),
    default: 'off',
    env: 'KLAUS_WEB_SEARCH',
    description: 'Search service of `web_search`. `provider`: the search of the model provider of the session.',
  }),
  'web.searxngUrl': defineSetting({
    schema: service,
    env: 'KLAUS_SEARXNG_URL',
    unset: 'none',
    values: 'an address of http or https',
    description: 'Address of your SearXNG server. Its `search.formats` must include `json`.',
  }),
  'web.braveUrl': defineSetting({
    schema: service,
    default: 'https://api.search.brave.com',
    env: 'KLAUS_BRAVE_URL',
    values: 'an address of http or https',
    description: 'Address of the Brave Search API, to which the key is sent.',
  }),
  'web.tavilyUrl': defineSetting({
    schema: service,
    default: 'https://api.tavily.com',
    env: 'KLAUS_TAVILY_URL',
    values: 'an address of http or https',
    description: 'Address of the Tavily API, to which the key is sent.',
  }),
  'keys.brave': credential('BRAVE_API_KEY', 'Key of the Brave Search API, for `web_search`.'),
  'keys.tavily': credential('TAVILY_API_KEY', 'Key of Tavily, for `web_search`.'),
} as const;
