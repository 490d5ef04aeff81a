import { fork, loadState, redactCommand, type Engine, type Forked, type SessionStore } from '@klaus/core/agent';
import { isRunnerModel, KlausError } from '@klaus/core/protocol';
import { checkModel } from '../grants/opening-grant.ts';
import type { Session } from './session-handle.ts';
import { VERSION } from '../version.ts';
import { advisePrice } from '../open/advise-price.ts';

export interface ForkOptions {
  /** Seq of the last event to copy. Default: the last event. */
  at?: number;
  /** Instead of `at`: id of a message of the user. Everything before it is copied. */
  before?: string;
  /** The model of the fork. Default: the session's model at that event. */
  model?: string;
  title?: string;
  /** Who forks, for the log. Default `sdk`. */
  by?: string;
}

/** A session that began as a copy of another. */
export interface Fork extends Omit<Forked, 'session'> {
  session: Session;
  /** Id of the original. */
  from: string;
}

/** Forks a session; a model is checked before anything is written. */
export async function forkSession(
  { engine, store }: { engine: Engine; store: SessionStore },
  source: string,
  { model: wanted, by = 'sdk', at, before, title }: ForkOptions = {},
): Promise<Forked & { from: string }> {
  const model = wanted === undefined ? undefined : await engine.models.resolve(wanted);
  const { grant, limits, model: current } = await loadState(engine, source);
  if (model && isRunnerModel(current)) {
    throw new KlausError('usage', 'The agent of this session chooses its model itself.', {
      hint: 'Fork it without --model.',
    });
  }
  if (model) checkModel(grant, model.name);
  if (model && limits.usd > 0 && model.info.prices.length === 0) {
    throw new KlausError('config', `No price is known for ${model.name}, so a budget in dollars cannot be kept.`, {
      hint: advisePrice(model.name),
    });
  }
  const clean =
    title === undefined
      ? undefined
      : await redactCommand(
          engine,
          { id: '', type: 'change', title },
          { session: source, workspace: (await store.session(source))?.workspace ?? '' },
        );
  const forked = await fork(engine, source, {
    klaus: VERSION,
    by,
    head: (await store.head(source))?.hash ?? '',
    at,
    before,
    title: clean?.title,
    ...(model ? { model: model.name } : {}),
  });
  return { ...forked, from: source };
}
