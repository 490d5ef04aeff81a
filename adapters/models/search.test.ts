import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Model, ModelEvent, ModelRequest } from '@klaus/core/agent';
import { expect, onTestFinished, test } from 'vitest';
import { createModels } from './index.ts';
import { createResponsesModel } from './openai/openai-model.ts';

// The requests and answers of the providers' own searches as they are documented, over HTTP.

const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };

async function serve(frames: readonly object[]) {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      bodies.push(JSON.parse(body) as Record<string, unknown>);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

const REQUEST: ModelRequest = {
  system: 'Search.',
  tools: [{ name: 'look', description: '', inputSchema: { type: 'object' }, effects: ['read'] }],
  messages: [{ id: 'M1', role: 'user', origin: 'engine', parts: [{ type: 'text', text: 'claude shannon' }] }],
  maxOutputTokens: 1_000,
  session: 'S1-search',
};

async function search(model: Model): Promise<ModelEvent> {
  const events = await Array.fromAsync(model.webSearch!.stream(REQUEST, { signal: new AbortController().signal }));
  return events.at(-1)!;
}

const toModels = (baseUrls: Record<string, string>, names: readonly string[]) =>
  createModels({
    keys: { anthropic: 'k', openrouter: 'k' },
    baseUrls,
    prices: Object.fromEntries(names.map((name) => [name, PRICE])),
  });

// https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
const ANTHROPIC = [
  { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 2_679, output_tokens: 3 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: "I'll search for it." } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'server_tool_use', id: 'srvtoolu_xyz789', name: 'web_search' },
  },
  {
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json: '{"query":"claude shannon birth date"}' },
  },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_xyz789',
      content: [
        {
          type: 'web_search_result',
          url: 'https://en.wikipedia.org/wiki/Claude_Shannon',
          title: 'Claude Shannon - Wikipedia',
          encrypted_content: 'EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5',
          page_age: 'April 30, 2025',
        },
        {
          type: 'web_search_result',
          url: 'https://example.com/other',
          title: 'Other',
          encrypted_content: 'Eq',
          page_age: null,
        },
      ],
    },
  },
  { type: 'content_block_stop', index: 2 },
  { type: 'content_block_start', index: 3, content_block: { type: 'text', text: '', citations: [] } },
  { type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text: 'He was born on April 30, 1916.' } },
  {
    type: 'content_block_delta',
    index: 3,
    delta: {
      type: 'citations_delta',
      citation: {
        type: 'web_search_result_location',
        url: 'https://en.wikipedia.org/wiki/Claude_Shannon',
        title: 'Claude Shannon - Wikipedia',
        encrypted_index: 'Eo8BCioIAhgBIiQyYjQ0OWJmZi1lNm',
        cited_text: 'Claude Elwood Shannon (April 30, 1916 – February 24, 2001) was an American mathematician',
      },
    },
  },
  { type: 'content_block_stop', index: 3 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { input_tokens: 6_039, output_tokens: 931, server_tool_use: { web_search_requests: 1 } },
  },
  { type: 'message_stop' },
];

test('Anthropic: the tool is sent alone, and results and citations are read', async () => {
  const { url, bodies } = await serve(ANTHROPIC);
  const name = 'anthropic/claude-haiku-5-5';
  const model = await toModels({ anthropic: url }, [name]).resolve(name);
  expect(model.webSearch!.url).toBe(`${url}/v1/messages`);
  expect(await search(model)).toMatchObject({
    type: 'finished',
    usd: (6_039 + 931) / 1_000_000 + 0.01,
    sources: [
      {
        title: 'Claude Shannon - Wikipedia',
        url: 'https://en.wikipedia.org/wiki/Claude_Shannon',
        snippet: expect.stringContaining('American mathematician') as string,
      },
      { title: 'Other', url: 'https://example.com/other', snippet: '' },
    ],
  });
  expect(bodies[0]).toMatchObject({ tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }] });
  expect(bodies[0]!['thinking']).toBeUndefined();
});

test.each([
  ['too_many_requests', 'rate_limited'],
  ['unavailable', 'server_error'],
  ['query_too_long', 'invalid_request'],
])('Anthropic: the error %s of the search is a failure', async (code, failure) => {
  const content = { type: 'web_search_tool_result_error', error_code: code };
  const block = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_a93jad', content };
  const { url } = await serve([
    ANTHROPIC[0]!,
    { type: 'content_block_start', index: 0, content_block: block },
    ...ANTHROPIC.slice(-2),
  ]);
  const model = await toModels({ anthropic: url }, []).resolve('anthropic/claude-haiku-5-5');
  expect(await search(model)).toMatchObject({ type: 'failed', failure: { code: failure } });
});

// https://developers.openai.com/api/docs/guides/tools-web-search
const TEXT = 'On March 6, 2025, several news... ([example.com](https://example.com/news?utm_source=openai))';
const OPENAI = [
  { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: {
      type: 'web_search_call',
      id: 'ws_67c9fa0502748190b7dd390736892e100be649c1a5ff9609',
      status: 'completed',
      action: {
        type: 'search',
        query: 'positive news',
        sources: [
          { type: 'url', url: 'https://example.com/news' },
          { type: 'url', url: 'https://example.com/more' },
        ],
      },
    },
  },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: {
      id: 'msg_67c9fa077e288190af08fdffda2e34f20be649c1a5ff9609',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [
        {
          type: 'output_text',
          text: TEXT,
          annotations: [
            {
              type: 'url_citation',
              start_index: TEXT.indexOf('(['),
              end_index: TEXT.length,
              url: 'https://example.com/news?utm_source=openai',
              title: 'Title...',
            },
          ],
        },
      ],
    },
  },
  { type: 'response.completed', response: { usage: { input_tokens: 8_000, output_tokens: 400 } } },
];

test('OpenAI: the tool is required once, and sources and citations are read', async () => {
  const { url, bodies } = await serve(OPENAI);
  const info = { contextWindow: 1, maxOutputTokens: 1_000, images: true, prices: [{ above: 0, price: PRICE }] };
  const dialect = { cacheKey: true, store: true, strict: true };
  const model = createResponsesModel({
    ...{ name: 'openai/gpt-6-luna', id: 'gpt-6-luna', info, baseUrl: url, apiKey: 'k', dialect },
  });
  expect(await search(model)).toMatchObject({
    usd: 8_400 / 1_000_000 + 0.01,
    sources: [
      { title: 'Title...', url: 'https://example.com/news', snippet: 'On March 6, 2025, several news...' },
      { title: '', url: 'https://example.com/more', snippet: '' },
    ],
  });
  expect(bodies[0]).toMatchObject({
    tools: [{ type: 'web_search' }],
    tool_choice: 'required',
    max_tool_calls: 1,
    include: ['web_search_call.action.sources'],
    store: false,
  });
});

// https://openrouter.ai/docs/guides/features/server-tools/web-search
const OPENROUTER = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: "Here's the latest news I found: ..." } }] },
  {
    choices: [
      {
        index: 0,
        delta: {
          content: '',
          annotations: [
            {
              type: 'url_citation',
              url_citation: {
                url: 'https://www.example.com/web-search-result',
                title: 'Title of the web search result',
                content: 'Content of the web search result',
                start_index: 100,
                end_index: 200,
              },
            },
          ],
        },
        finish_reason: 'stop',
      },
    ],
  },
  { choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, cost: 0.0213 } },
];

test('OpenRouter: the server tool is sent, citations are read, and the cost is exact', async () => {
  const { url, bodies } = await serve(OPENROUTER);
  const model = await toModels({ openrouter: url }, []).resolve('openrouter/anthropic/claude-haiku-5.5');
  expect(await search(model)).toMatchObject({
    usd: 0.0213,
    sources: [
      {
        url: 'https://www.example.com/web-search-result',
        title: 'Title of the web search result',
        snippet: 'Content of the web search result',
      },
    ],
  });
  expect(bodies[0]).toMatchObject({ tools: [{ type: 'openrouter:web_search', parameters: { max_results: 8 } }] });
});

test('a server that is only compatible has no search', async () => {
  const models = createModels({ keys: {}, baseUrls: { openai: 'http://127.0.0.1:1/v1' } });
  expect((await models.resolve('openai/local-model')).webSearch).toBeUndefined();
});
