import type { SessionState, SessionView } from '@klaus/server/contract';
import { createStore } from './store.ts';

export const PERIODS = ['day', 'week', 'month', 'older'] as const;
export type Period = (typeof PERIODS)[number];

export const STATES = ['needs-you', 'running', 'queued', 'interrupted', 'failed', 'done', 'idle'] as const;

/** What the list of sessions shows. It is stored in the query of the address, so that Back and links restore it. */
export interface Filters {
  /** Absolute path of the project. */
  project?: string;
  state?: SessionState;
  /** Full name of the model. */
  model?: string;
  /** Latest activity: in the last 24 hours, 7 days or 30 days, or before that. */
  period?: Period;
  /** True: only archived sessions. */
  archived?: true;
  text?: string;
}

/** The filters that the menu of filters sets; the project and the text have fields of their own. */
export const MENU_FILTERS = ['state', 'model', 'period', 'archived'] as const;

const NAMES = { project: 'project', state: 'state', model: 'model', period: 'period', archived: 'archived', text: 'q' };

export function parseFilters(search: string): Filters {
  const params = new URLSearchParams(search);
  const read = (name: keyof Filters) => params.get(NAMES[name]) || undefined;
  return {
    project: read('project'),
    state: STATES.find((each) => each === read('state')),
    model: read('model'),
    period: PERIODS.find((each) => each === read('period')),
    archived: read('archived') === '1' ? (true as const) : undefined,
    text: read('text'),
  };
}

/** The query of the address with these filters. Other parameters of it stay. */
export function toSearch(filters: Filters, search: string): string {
  const params = new URLSearchParams(search);
  for (const [key, name] of Object.entries(NAMES)) {
    const value = filters[key as keyof Filters];
    if (value === undefined || value === '') params.delete(name);
    else params.set(name, value === true ? '1' : value);
  }
  return params.size > 0 ? `?${params.toString()}` : '';
}

export const filters = createStore<Filters>({});

/** @param change Undefined removes a filter. A change of the text adds no entry to the history. */
export function changeFilters(change: Filters): void {
  const next: Filters = { ...filters.get(), ...change };
  const address = `${location.pathname}${toSearch(next, location.search)}${location.hash}`;
  if (Object.keys(change).every((key) => key === 'text')) history.replaceState(history.state, '', address);
  else history.pushState(null, '', address);
  filters.set(next);
}

/** Removes all filters but the project. */
export function clearFilters(): void {
  changeFilters(Object.fromEntries(['text', ...MENU_FILTERS].map((name) => [name, undefined])));
}

export function followFilters(): void {
  const read = () => filters.set(parseFilters(location.search));
  addEventListener('popstate', read);
  read();
}

export function countMenuFilters(given: Filters): number {
  return MENU_FILTERS.filter((name) => given[name] !== undefined).length;
}

const DAY_MS = 86_400_000;
const DAYS: Record<Period, number> = { day: 1, week: 7, month: 30, older: 30 };

/** The filters as the query of the server. @param now Unix milliseconds. */
export function toQuery({ project, state, model, period, archived }: Filters, now: number) {
  const border = period && new Date(now - DAYS[period] * DAY_MS).toISOString();
  return {
    ...{ project, state, model, archived: archived ? 'true' : 'false' },
    since: period !== 'older' ? border : undefined,
    until: period === 'older' ? border : undefined,
  };
}

/** True if a session fits the filters, except the text. */
export function isShown(session: SessionView, given: Filters, now: number): boolean {
  const { project, state, model, since, until } = toQuery(given, now);
  if ((session.archived ?? false) !== (given.archived ?? false)) return false;
  if (project !== undefined && projectOf(session) !== project) return false;
  if (state !== undefined && session.state !== state) return false;
  if (model !== undefined && session.model !== model) return false;
  return (since === undefined || session.updatedAt >= since) && (until === undefined || session.updatedAt < until);
}

export function projectOf({ project, workspace }: Pick<SessionView, 'project' | 'workspace'>): string {
  return project ?? workspace;
}
