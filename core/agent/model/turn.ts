import {
  toCalled,
  type EventBody,
  type EventOf,
  type Message,
  type Part,
  type Sampling,
} from '../../protocol/index.ts';
import { closePrestart, startPrestart, cancelPrestart } from '../calls/prestart.ts';
import { makesCheckpoint } from '../loop/finish.ts';
import { longestAnswer, type Forecast } from '../budget/forecast.ts';
import { findSizes } from '../budget/learned-sizes.ts';
import type { Model, ModelEvent, ModelRequest } from '../ports/model.ts';
import { judgeRefusal } from '../refusals/judge-refusal.ts';
import { requestModel } from './request-model.ts';
import { hasSampling, reportUnsupported } from './sampling.ts';
import type { EngineSettings } from '../loop/settings.ts';
import { openedOf, runOf, type State } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/** Requests the next message of the model and appends it to the log. */
export async function performTurn(work: Work, forecast: Forecast): Promise<void> {
  const { state, engine } = work;
  const opened = openedOf(state);
  const run = runOf(state).id;
  const sampling = { temperature: opened.temperature, effort: state.effort };
  const model = await work.model();
  const request: ModelRequest = {
    system: opened.system,
    ...work.leaveOut(state, model, { tools: engine.tools.specs(opened.tools), messages: state.messages }),
    maxOutputTokens: forecast.maxOutputTokens,
    session: work.session,
    ...(state.taint && { isUntrusted: true }),
    ...sampling,
  };
  const { promptTokens, maxOutputTokens, tokens, usd } = forecast;
  const requestHash = work.hashRequest(request);
  // An open turn was started by a crashed process: this is another request for it.
  const turn = state.openTurn ? state.turn : state.turn + 1;
  if (!state.openTurn) {
    const modelInfo = toModelInfo(model, { state, settings: engine.settings, sampling });
    await work.append([
      { type: 'turn.started', run, turn, model: model.name, requestHash, reserved: { tokens, usd }, modelInfo },
      ...(state.models.has(model.name) ? [] : reportUnsupported(sampling, model, run)),
    ]);
  }
  const live = createLiveMessage(work);
  const result = await requestModel(work, {
    purpose: 'turn',
    model,
    request,
    requestHash,
    reserved: { tokens, usd },
    worst: { input: 0, output: maxOutputTokens, cacheRead: 0, cacheWrite: promptTokens },
    onSent: () => {
      if (request.tools.length === 0) return;
      work.warmUp();
      startPrestart(work);
    },
    onEvent: (event) => live.show(event),
    onDiscard: () => live.discard(),
  });
  cancelPrestart(work);
  const hasCalls = result.ok && result.answer.parts.some(({ type }) => type === 'call');
  if (!hasCalls && !makesCheckpoint(work)) await closePrestart(work);
  if (work.isLeaving() && !result.ok) return;
  const bodies: EventBody[] = [result.attempted, ...(result.ok ? [] : (result.notices ?? []))];
  if (result.ok) {
    const { parts, stopReason } = result.answer;
    const empty = !parts.some((part) => part.type === 'call' || (part.type === 'text' && part.text.trim() !== ''));
    if (!empty) bodies.push(toAdded(work, live.id, { parts, answeredBy: model.answeredBy }));
    bodies.push({ type: 'turn.finished', run, turn, stopReason, ...(empty ? { empty } : {}) });
  } else if (result.failure === 'cancelled') {
    const text = live.text();
    if (text !== '') bodies.push(toAdded(work, live.id, { parts: [{ type: 'text', text }] }));
    bodies.push({ type: 'turn.finished', run, turn, stopReason: 'cancelled' });
  } else bodies.push(...judgeRefusal(state, { model, request, failure: result.failure }));
  await work.append(bodies);
}

function toAdded(work: Work, id: string, answer: { parts: Part[]; answeredBy?: string }): EventBody {
  const { parts, answeredBy } = answer;
  const used = new Set<string>();
  const unique = parts.map((part) => (part.type === 'call' ? { ...part, id: toUniqueId(work, part.id, used) } : part));
  for (const part of unique) if (part.type === 'call') work.originals.set(part.id, toCalled(part).input);
  const message: Message = {
    id,
    role: 'assistant',
    origin: 'model',
    parts: unique,
    ...(parts.some(hasState) && { answeredBy }),
  };
  return { type: 'message.added', run: runOf(work.state).id, turn: work.state.turn, message };
}

function hasState(part: Part): boolean {
  return 'providerState' in part && part.providerState !== undefined;
}

/** A provider may repeat ids after a compaction; in the log every call has its own id. */
function toUniqueId({ state }: Work, id: string, used: Set<string>): string {
  let unique = state.callIds.has(id) ? `${id}_turn${state.turn}` : id;
  while (used.has(unique)) unique += '_';
  used.add(unique);
  return unique;
}

/** What decisions before a request are based on, for a replay. */
function toModelInfo(
  model: Model,
  { state, settings, sampling }: { state: State; settings: EngineSettings; sampling: Sampling },
): EventOf<'turn.started'>['modelInfo'] {
  const { prices, efforts, maxTemperature } = model.info;
  const { contextWindow, ...sizes } = findSizes(state, model);
  const maxOutputTokens = longestAnswer(state, sizes, settings);
  const supported = { efforts: efforts && [...efforts], maxTemperature };
  return { contextWindow, maxOutputTokens, prices: [...prices], ...(hasSampling(sampling) && supported) };
}

/** Emits the in-flight text of an answer. A failed attempt discards its message id. */
function createLiveMessage(work: Work) {
  const { store, ids } = work.engine;
  const redact = (text: string): string => work.redactor.redact(text);
  let id = ids.ulid();
  let offsets = { text: 0, thinking: 0, call: 0 };
  let pieces: string[] = [];
  return {
    get id() {
      return id;
    },
    show(event: ModelEvent) {
      if (event.type !== 'text' && event.type !== 'thinking' && event.type !== 'call') return;
      if (event.type === 'text') pieces.push(event.text);
      const offset = offsets[event.type];
      offsets[event.type] += event.text.length;
      const { type: part, text } = event;
      store.emitLive({ type: 'message.delta', session: work.session, message: id, part, offset, text }, redact);
    },
    discard() {
      if (offsets.text + offsets.thinking + offsets.call > 0) {
        store.emitLive({ type: 'message.discarded', session: work.session, message: id }, redact);
      }
      id = ids.ulid();
      offsets = { text: 0, thinking: 0, call: 0 };
      pieces = [];
    },
    text: () => pieces.join(''),
  };
}
