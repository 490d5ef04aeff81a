import type { OutgoingHttpHeaders } from 'node:http';
import type { ModelEvent, ModelInfo, ModelRequest, StreamOptions } from '@klaus/core/agent';
import type { Adaptation } from '../adaptation/adaptation.ts';
import { createAdaptationStore, type AdaptationStore } from '../adaptation/adaptation-store.ts';
import { createCallIds, type ToCallId } from './call-ids.ts';
import { toEndpoint, toShownUrl } from './endpoint.ts';
import { ProviderError } from '../failure/errors.ts';
import { findAdaptations } from '../adaptation/find-adaptations.ts';
import type { FindAgent } from './connection.ts';
import type { KeySource } from './key-source.ts';
import { lengthOf } from './post.ts';
import type { BodyShape, RequestWriter } from './request-writer.ts';
import type { AnswerReader } from './answer-feed.ts';
import { streamAnswer } from './stream-answer.ts';
import { createUsageCheck, toSentRequest, withCheckedUsage } from './usage-check.ts';

export interface HttpModelOptions {
  /** Full name, such as `anthropic/claude-sonnet-5-5`. */
  name: string;
  /** The provider's id. */
  id: string;
  info: ModelInfo;
  /** It can have a query. */
  baseUrl: string;
  /** Identifies the model and its server. Default: the name and the address. */
  answeredBy?: string;
  /** In addition to those of the wire. */
  headers?: Readonly<Record<string, string>>;
  /** Fields of each request, which replace those of the wire. */
  fields?: BodyShape['fields'];
  findAgent?: FindAgent;
  /** What servers have refused. Default: it is forgotten with the model. */
  adaptations?: AdaptationStore;
  /** Receives a line for the user. */
  onNotice?: (text: string) => void;
}

export interface ReadOptions {
  toCallId: ToCallId;
}

/** The format of an API. */
export interface ModelWire {
  /** Of the requests, below the base URL. */
  path: string;
  key: KeySource;
  toHeaders: (key: string) => OutgoingHttpHeaders;
  writeBody: RequestWriter;
  createReader: (options: ReadOptions) => AnswerReader;
  /** True if the provider adds text of its own to the prompt. Default false. */
  isExtended?: boolean;
}

/** Most repetitions of one request, each with other parameters. */
const MAX_REPEATS = 4;

type Send = (request: ModelRequest, options: StreamOptions) => AsyncGenerator<ModelEvent, void, undefined>;

/**
 * Sends the requests of one model. A request that the server refuses because of a parameter is repeated without it, and a
 * key that it refuses is renewed once; both before any byte of an answer, so the provider charges nothing.
 *
 * @throws ConnectionLost, ProviderError, MalformedResponse, StreamCut, SyntaxError.
 */
export function createSender(options: HttpModelOptions, wire: ModelWire): Send {
  const {
    id,
    fields,
    answeredBy,
    headers,
    findAgent,
    onNotice,
    adaptations: store = createAdaptationStore(),
  } = options;
  const url = toEndpoint(options.baseUrl, wire.path);
  const place = `${toShownUrl(url)} ${id}`;
  let shape: BodyShape | undefined;

  /** Called when the server accepted a request. Another request may have learned the same. */
  function learn(adaptations: readonly Adaptation[]): void {
    const known = shape?.adaptations ?? [];
    const added = adaptations.filter(
      ({ field, instead }) => !known.some((each) => each.field === field && each.instead === instead),
    );
    if (added.length === 0) return;
    shape = { adaptations: [...known, ...added], fields, answeredBy };
    store.write(place, shape.adaptations);
    onNotice?.(toNotice(`${options.name} at ${url.host}`, added));
  }

  return async function* send(request, { signal, onBytes, onSent }) {
    let current = (shape ??= { adaptations: store.read(place), fields, answeredBy });
    let key = typeof wire.key === 'string' ? wire.key : await wire.key.read();
    let isRenewed = typeof wire.key === 'string';
    let sent = onSent;
    for (let repeats = 0; ;) {
      const body = wire.writeBody(request, current);
      const reader = wire.createReader({ toCallId: createCallIds(request.messages) });
      const all = { ...wire.toHeaders(key), ...headers };
      const post = { headers: all, body, signal, onBytes, onSent: sent, agent: findAgent?.(url) };
      sent = undefined;
      const counted = { ...toSentRequest(request, lengthOf(body)), isExtended: wire.isExtended };
      const answer = withCheckedUsage(streamAnswer(url.href, post, reader), createUsageCheck(counted, options.info));
      let first: IteratorResult<ModelEvent, void>;
      try {
        first = await answer.next();
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        if (error.status === 401 && !isRenewed && typeof wire.key !== 'string') {
          isRenewed = true;
          key = await wire.key.renew(key);
          continue;
        }
        const found = ++repeats > MAX_REPEATS ? [] : findAdaptations(error, toSent(body), current.adaptations);
        if (found.length === 0) throw error;
        current = { ...current, adaptations: [...current.adaptations, ...found] };
        continue;
      }
      learn(current.adaptations);
      try {
        if (!first.done) yield first.value;
        return yield* answer;
      } finally {
        await answer.return();
      }
    }
  };
}

/** Read only after a refusal: the history is long. */
function toSent(body: readonly Uint8Array[]): Record<string, unknown> {
  return JSON.parse(Buffer.concat(body).toString('utf8')) as Record<string, unknown>;
}

function toNotice(server: string, added: readonly Adaptation[]): string {
  const changes = added.map(({ field, instead }) => {
    if (field === 'role') return `instructions have the role ${instead}`;
    return instead === undefined ? `${field} is not sent` : `${instead} is sent instead of ${field}`;
  });
  return `${server} refused parameters: ${changes.join(', ')} from now on.`;
}
