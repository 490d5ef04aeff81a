import { optional } from '@klaus/core/optional';
import { isRecord } from '@klaus/core/protocol';
import type { Ask } from './ask-server.ts';
import { type LocalProgram, toEntries, toTokens } from './local-program.ts';

/** @source https://docs.ollama.com/api, https://docs.ollama.com/context-length */
export const OLLAMA: LocalProgram = {
  title: 'Ollama',
  port: 11_434,
  start: 'ollama serve',
  address: (env) => env['OLLAMA_HOST'],
  async listModels(ask) {
    const [version, tags] = await Promise.all([ask('/api/version'), ask('/api/tags')]);
    const models = toEntries(tags, 'models');
    const isIt =
      isRecord(version) && typeof version['version'] === 'string' && models?.every((each) => 'digest' in each);
    if (!models || isIt !== true) return undefined;
    const loaded = toEntries(await ask('/api/ps'), 'models') ?? [];
    return models.flatMap(({ name }) =>
      typeof name === 'string' ? [{ id: name, isLoaded: loaded.some((each) => isCalled(each, name)) }] : [],
    );
  },
  async readFacts(ask, id) {
    const shown = await ask('/api/show', { model: id });
    const { capabilities, model_info: info, remote_host: remote } = isRecord(shown) ? shown : {};
    const can = (name: string): boolean | undefined =>
      Array.isArray(capabilities) ? capabilities.includes(name) : undefined;
    const largestWindow = readTrained(info);
    return optional({
      // A model of its cloud is not loaded here.
      contextWindow:
        typeof remote === 'string' && remote !== ''
          ? largestWindow
          : toTokens((await findLoaded(ask, id))?.['context_length']),
      largestWindow,
      tools: can('tools'),
      images: can('vision'),
      thinking: can('thinking'),
    });
  },
  // Without a prompt it only loads the model.
  load: async (ask, id) => void (await ask('/api/generate', { model: id })),
  async keep(ask, id, ms) {
    const loaded = await findLoaded(ask, id);
    if (!loaded) return false;
    // Its own setting may say longer, or forever.
    const until = Date.parse(String(loaded['expires_at']));
    if (!(until >= Date.now() + ms)) await ask('/api/generate', { model: id, keep_alive: Math.ceil(ms / 1_000) });
    return true;
  },
  enlarge: (id, tokens) =>
    `\`OLLAMA_CONTEXT_LENGTH=${tokens} ollama serve\`, or with a model of its own: ` +
    `\`printf 'FROM ${id}\\nPARAMETER num_ctx ${tokens}\\n' > Modelfile && ollama create ${toDerived(id, tokens)} -f Modelfile\``,
  toolsFix: 'Choose a model that `ollama show MODEL` lists with the capability tools.',
};

async function findLoaded(ask: Ask, id: string): Promise<Record<string, unknown> | undefined> {
  const loaded = toEntries(await ask('/api/ps'), 'models') ?? [];
  return loaded.find((each) => isCalled(each, id));
}

/** An id without a tag means the tag `latest`. */
function isCalled({ name, model }: Record<string, unknown>, id: string): boolean {
  const full = /:[^/]*$/.test(id) ? id : `${id}:latest`;
  return [name, model].some((each) => each === id || each === full);
}

function readTrained(info: unknown): number | undefined {
  if (!isRecord(info)) return undefined;
  return toTokens(info[`${String(info['general.architecture'])}.context_length`]);
}

function toDerived(id: string, tokens: number): string {
  const name = id.slice(id.lastIndexOf('/') + 1).replace(/:latest$/, '');
  return `${name}${name.includes(':') ? '-' : ':'}${Math.round(tokens / 1_024)}k`;
}
