import type { EventOf } from '../../protocol/index.ts';
import type { Model, ModelInfo } from '../ports/model.ts';

/** Sizes that servers named in errors, the last one at the end. */
export type LearnedSizes = readonly (NonNullable<EventOf<'model.attempted'>['sizes']> & { model: string })[];

/** Adds what an error says about a model at a server to what earlier ones said. */
export function addSizes(known: LearnedSizes, { model, sizes }: EventOf<'model.attempted'>): LearnedSizes {
  if (!sizes) return known;
  const isSame = (other: LearnedSizes[number]): boolean => other.model === model && other.server === sizes.server;
  return [...known.filter((other) => !isSame(other)), { ...known.find(isSame), ...sizes, model }];
}

/** The sizes of a model: those of the catalog, or less if its server said so. */
export function findSizes(
  { learned }: { learned: LearnedSizes },
  { name, server, info }: Pick<Model, 'name' | 'server' | 'info'>,
): Pick<ModelInfo, 'contextWindow' | 'maxOutputTokens'> & { isLearned: boolean } {
  const known = learned.findLast((one) => one.model === name && (server === undefined || one.server === server));
  const { contextWindow = Infinity, maxOutputTokens = Infinity } = known ?? {};
  return {
    contextWindow: Math.min(info.contextWindow, contextWindow),
    maxOutputTokens: Math.min(info.maxOutputTokens, maxOutputTokens),
    isLearned: contextWindow < info.contextWindow,
  };
}
