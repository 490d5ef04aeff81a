import { optional } from '@klaus/core/optional';
import type { SqliteStore } from '@klaus/adapters/store';
import { fork, loadState, redactCommand, type Engine, type Forked } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { checkModel } from '../grants/opening-grant.ts';
import type { ForkGiven } from '../klaus.ts';
import { VERSION } from '../version.ts';

/** Forks a session; a model is checked before anything is written. */
export async function forkSession(
  { engine, store }: { engine: Engine; store: SqliteStore },
  source: string,
  { model: wanted, by = 'sdk', at, title }: ForkGiven = {},
): Promise<Forked & { from: string }> {
  const model = wanted === undefined ? undefined : await engine.models.resolve(wanted);
  const { grant, limits } = loadState(engine, source);
  if (model) checkModel(grant, model.name);
  if (model && limits.usd > 0 && model.info.prices.length === 0) {
    throw new KlausError('config', `No price is known for ${model.name}, so a budget in dollars cannot be kept.`, {
      hint: `Configure prices."${model.name}" with input and output in dollars per million tokens.`,
    });
  }
  const clean =
    title === undefined
      ? undefined
      : await redactCommand(
          engine,
          { id: '', type: 'change', title },
          { session: source, workspace: store.session(source)?.workspace ?? '' },
        );
  const forked = await fork(engine, source, {
    klaus: VERSION,
    by,
    head: store.head(source)?.hash ?? '',
    ...optional({ at, title: clean?.title }),
    ...(model ? { model: model.name } : {}),
  });
  return { ...forked, from: source };
}
