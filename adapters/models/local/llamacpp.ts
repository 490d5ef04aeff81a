import { optional } from '@klaus/core/optional';
import { isRecord } from '@klaus/core/protocol';
import { type LocalProgram, toEntries, toFlag, toTokens } from './local-program.ts';

/** @source https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md */
export const LLAMACPP: LocalProgram = {
  title: 'llama.cpp',
  port: 8_080,
  start: 'llama-server -m MODEL.gguf --jinja -c 32768',
  address: ({ LLAMA_ARG_HOST: host, LLAMA_ARG_PORT: port }) =>
    host || port ? `${host || '127.0.0.1'}:${port || LLAMACPP.port}` : undefined,
  async listModels(ask) {
    const [props, list] = await Promise.all([ask('/props'), ask('/v1/models')]);
    if (!isRecord(props) || !isRecord(props['default_generation_settings']) || !('total_slots' in props))
      return undefined;
    return (toEntries(list, 'data') ?? []).flatMap(({ id, status }) => {
      if (typeof id !== 'string') return [];
      // Only a server of several models has a status. The other one answers to any id, and has the path of its file as one.
      if (isRecord(status)) return [{ id, isLoaded: status['value'] === 'loaded' }];
      return [{ id: id.slice(id.lastIndexOf('/') + 1), isLoaded: true }];
    });
  },
  async readFacts(ask, id) {
    const [props, list] = await Promise.all([
      ask(`/props?model=${encodeURIComponent(id)}&autoload=false`),
      ask('/v1/models'),
    ]);
    const {
      default_generation_settings: settings,
      chat_template_caps: caps,
      modalities,
    } = isRecord(props) ? props : {};
    const entries = toEntries(list, 'data') ?? [];
    // A server of one model answers to any id.
    const { meta } = entries.find((each) => each['id'] === id) ?? (entries.length === 1 ? entries[0]! : {});
    const { n_ctx: served, n_ctx_train: trained } = isRecord(meta) ? meta : {};
    return optional({
      contextWindow: (isRecord(settings) ? toTokens(settings['n_ctx']) : undefined) ?? toTokens(served),
      largestWindow: toTokens(trained),
      tools: isRecord(caps) ? toFlag(caps['supports_tools']) : undefined,
      images: isRecord(modalities) ? toFlag(modalities['vision']) : undefined,
    });
  },
  async countTokens(ask, { model, messages, tools }) {
    const rendered = await ask('/apply-template', { model, messages, ...(tools !== undefined && { tools }) });
    if (!isRecord(rendered) || typeof rendered['prompt'] !== 'string') return undefined;
    const counted = await ask('/tokenize', { model, content: rendered['prompt'], parse_special: true });
    return isRecord(counted) && Array.isArray(counted['tokens']) ? counted['tokens'].length : undefined;
  },
  enlarge: (_, tokens) => `\`llama-server -m MODEL.gguf --jinja -c ${tokens}\``,
  toolsFix:
    'Start the server with `--jinja` and the weights of a model whose template has tools, or with `--chat-template-file`.',
};
