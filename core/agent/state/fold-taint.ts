import { findAddresses, toAddress, toChoiceBits, type AddressOrigin } from '../../policy/index.ts';
import { toText, type EventOf } from '../../protocol/index.ts';
import type { State } from './state.ts';
import type { TaintState } from './taint-state.ts';

/** Maximum addresses of a session. A fetch of a later one asks. */
const MAX_ADDRESSES = 5_000;

/** Sources of a session that are kept. */
const MAX_SOURCES = 200;

/** The user's prompts name addresses; a task of a parent session can contain what that session read. */
export function foldMessageSource(state: State, event: EventOf<'message.added'>): void {
  const { message, untrusted } = event;
  if (untrusted) {
    const taint = addSource(state, untrusted.source);
    if (!untrusted.isAttached) taint.passed.add(message.id);
  }
  foldPrompt(state, event);
}

function foldPrompt(state: State, { message, tainted, untrusted }: EventOf<'message.added'>): void {
  if (message.origin !== 'user' && message.origin !== 'steer') return;
  if (tainted) {
    const taint = addSource(state, 'the task of another session');
    taint.isPassed = true;
    taint.passed.add(message.id);
    return;
  }
  // The user wrote none of it.
  if (untrusted && !untrusted.isAttached) return;
  // A parent session writes the prompts of a child.
  if (!state.session?.parent) {
    if (state.taint) state.taint.spentBits = 0;
    state.fetched.clear();
  }
  addAddresses(state, findAddresses(toText(message)), 'user');
}

/** A request shows its server which of the known addresses was chosen. */
export function foldFetch(state: State, { fetches }: EventOf<'tool.started'>): void {
  const address = fetches === undefined ? undefined : toAddress(fetches);
  if (address === undefined) return;
  const { taint, addresses, fetched } = state;
  if (taint && addresses.has(address)) taint.spentBits += toChoiceBits(state, address);
  const count = fetched.get(address) ?? 0;
  fetched.delete(address);
  fetched.set(address, count + 1);
}

export function foldUntrusted(state: State, { call, outcome, untrusted }: EventOf<'tool.finished'>): void {
  if (outcome === 'unknown' && !untrusted) return foldInterrupted(state, call);
  if (!untrusted) return;
  const taint = addSource(state, untrusted.source);
  if (untrusted.isWeb) taint.pages.add(call);
  addAddresses(state, untrusted.addresses ?? [], 'web');
}

/** An attempt that ended without a result can have stored what it received, such as in a file. */
export function foldInterrupted(state: State, id: string): void {
  const source = state.calls.find((call) => call.id === id)?.started?.receives;
  if (source !== undefined) addSource(state, source);
}

function addSource(state: State, source: string): TaintState {
  const taint = (state.taint ??= toTaintState(source));
  // One more shows that there are others than the first ones.
  if (taint.sources.size < MAX_SOURCES) taint.sources.add(source);
  return taint;
}

function toTaintState(source: string): TaintState {
  return { source, sources: new Set(), isPassed: false, pages: new Set(), passed: new Set(), spentBits: 0 };
}

function addAddresses({ addresses }: State, found: readonly string[], origin: AddressOrigin): void {
  for (const address of found) {
    if (addresses.size >= MAX_ADDRESSES) return;
    if (origin === 'user' || !addresses.has(address)) addresses.set(address, origin);
  }
}
