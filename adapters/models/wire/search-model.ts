import { cost, type Model, type ModelEvent, type ModelSearch, type WebSource } from '@klaus/core/agent';
import { createHttpModel, type HttpModelOptions, type ModelWire } from './http-model.ts';
import type { AnswerReader } from './answer-feed.ts';
import { toEndpoint, toShownUrl } from './endpoint.ts';

/** What an answer says about the searches of its provider. */
export interface Searched {
  /** The number of charged searches. */
  searches: number;
  /** Undefined: none was performed. */
  sources: WebSource[] | undefined;
}

/** The search of a provider behind an HTTP API. @param options.usd Most US dollars for one search. */
export function createSearch(model: HttpModelOptions, options: { usd: number; toWire: () => ModelWire }): ModelSearch {
  let opened: Pick<Model, 'stream'> | undefined;
  const { path } = options.toWire();
  return {
    url: toShownUrl(toEndpoint(model.baseUrl, path)),
    usd: options.usd,
    stream: (request, stream) =>
      (opened ??= createHttpModel(model, { ...options.toWire(), isExtended: true })).stream(request, stream),
  };
}

interface SearchReaderOptions {
  info: Model['info'];
  /** US dollars for one search. */
  usd: number;
  /** Called for every event of the stream. */
  take: (event: unknown) => void;
  finish: () => Searched;
}

/** Adds the results and the price of the searches to the end of an answer. */
export function createSearchReader(reader: AnswerReader, options: SearchReaderOptions): AnswerReader {
  return {
    get isComplete() {
      return reader.isComplete;
    },
    take(event) {
      const events = reader.take(event);
      options.take(event);
      return events;
    },
    finish() {
      return withSearch(reader.finish(), options);
    },
  };
}

/** @param options.usd US dollars for one search; they are not added to an exact cost. */
export function withSearch(
  event: ModelEvent,
  { info, usd, finish }: Pick<SearchReaderOptions, 'info' | 'usd' | 'finish'>,
): ModelEvent {
  if (event.type !== 'finished') return event;
  const { searches, sources } = finish();
  const tokens = cost(info, event.usage);
  const charged = event.usd ?? (tokens === null ? undefined : tokens + searches * usd);
  return { ...event, ...(charged !== undefined && { usd: charged }), ...(sources && { sources: unique(sources) }) };
}

/** One result for each address: the first one, with the fields of others that it lacks. */
function unique(sources: readonly WebSource[]): WebSource[] {
  const found = new Map<string, WebSource>();
  for (const { url, title, snippet } of sources) {
    const known = found.get(url);
    found.set(url, { url, title: known?.title || title, snippet: known?.snippet || snippet });
  }
  return [...found.values()];
}
