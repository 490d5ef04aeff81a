import { isRecord } from '@klaus/core/protocol';

/** What a server says about itself. Absent: unknown. */
export interface ServerFacts {
  /** Name and version. */
  software?: string;
  /** Of the loaded weights. */
  weights?: string;
  /** Ids of its models. */
  models: string[];
  /** Tokens, of the first model or of the requested one. */
  contextWindow?: number;
  /** Whether the template of the chat has tools. */
  hasTools?: boolean;
  /** Address that lists the slots in which requests run (llama.cpp). */
  slots?: string;
}

/** Fields of an entry of `/models` that name the context window: llama.cpp, vLLM, OpenRouter, Groq, Anthropic, Mistral. */
const WINDOWS = [
  'n_ctx',
  'max_model_len',
  'context_length',
  'context_window',
  'max_input_tokens',
  'max_context_length',
];

interface Access {
  baseUrl: string;
  key?: string;
  /** The requested model. */
  model?: string;
}

/** Reads `/models` of any server, and `/props` of llama.cpp. */
export async function readServerFacts({ baseUrl, key, model }: Access): Promise<ServerFacts> {
  const base = baseUrl.replace(/\/+$/, '');
  const origin = base.replace(/\/v\d+$/, '');
  const headers = {
    ...(key && { authorization: `Bearer ${key}`, 'x-api-key': key }),
    'anthropic-version': '2023-06-01',
  };
  const lists = [await readJson(`${base}/models`, headers), await readJson(`${origin}/v1/models`, headers)];
  const entries = lists
    .flatMap((list) => (isRecord(list) && Array.isArray(list['data']) ? list['data'] : []))
    .filter(isRecord);
  const entry = entries.find(({ id }) => model === undefined || id === model) ?? {};
  const facts: ServerFacts = {
    models: [...new Set(entries.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])))],
    contextWindow: findWindow(entry),
  };
  const props = await readJson(`${origin}/props`, headers);
  if (!isRecord(props) || !isRecord(props['default_generation_settings'])) return facts;
  const caps = props['chat_template_caps'];
  const file = toText(props['model_path']).split('/').at(-1);
  return {
    ...facts,
    software: `llama.cpp ${toText(props['build_info'])}`,
    ...(file && { weights: file }),
    contextWindow: findWindow(props['default_generation_settings']) ?? facts.contextWindow,
    ...(isRecord(caps) && { hasTools: caps['supports_tools'] === true }),
    ...(Array.isArray(await readJson(`${origin}/slots`, headers)) && { slots: `${origin}/slots` }),
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function findWindow(entry: Record<string, unknown>): number | undefined {
  const meta = isRecord(entry['meta']) ? entry['meta'] : {};
  return WINDOWS.flatMap((name) => [entry[name], meta[name]]).find(
    (value) => typeof value === 'number' && value > 0,
  ) as number | undefined;
}

/** Undefined if there is no such page. */
export async function readJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}
