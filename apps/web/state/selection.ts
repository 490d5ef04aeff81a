import { createStore } from './store.ts';

/** The sessions that are selected in the list. */
export interface Selection {
  /** True while rows show a box. */
  isOn: boolean;
  ids: ReadonlySet<string>;
  /** Where a range starts. */
  anchor: string | undefined;
}

const NONE: Selection = { isOn: false, ids: new Set(), anchor: undefined };

export const selection = createStore<Selection>(NONE);

/** Ids of the list in their order. */
let listed: readonly string[] = [];

/** Called by the list with its sessions in their order. Selected ones that it does not contain are dropped. */
export function setListed(ids: readonly string[]): void {
  listed = ids;
  const { ids: before, ...rest } = selection.get();
  const known = new Set(ids);
  const kept = [...before].filter((id) => known.has(id));
  if (kept.length < before.size) selection.set({ ...rest, ids: new Set(kept) });
}

export function startSelection(id?: string): void {
  selection.set({ isOn: true, ids: new Set(id === undefined ? [] : [id]), anchor: id });
}

export function endSelection(): void {
  selection.set(NONE);
}

export function toggleSelected(id: string): void {
  const ids = new Set(selection.get().ids);
  if (!ids.delete(id)) ids.add(id);
  selection.set({ isOn: true, ids, anchor: id });
}

/** Selects everything from the anchor to a session. Without an anchor: only that session. */
export function selectTo(id: string): void {
  const { anchor } = selection.get();
  const [from, to] = [listed.indexOf(anchor ?? id), listed.indexOf(id)].toSorted((a, b) => a - b);
  const range = from === undefined || from < 0 ? [id] : listed.slice(from, to! + 1);
  selection.set({ isOn: true, ids: new Set([...selection.get().ids, ...range]), anchor: anchor ?? id });
}

export function selectAll(): void {
  selection.set({ isOn: true, ids: new Set(listed), anchor: undefined });
}
