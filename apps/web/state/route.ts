import { createStore } from './store.ts';

export const TABS = ['conversation', 'changes', 'files', 'gate'] as const;
export type Tab = (typeof TABS)[number];

/** The current page. It is stored in the fragment of the address, so that the server needs no routes for it. */
export type Route =
  | { page: 'home' }
  | { page: 'usage' }
  /** An address that no page has. */
  | { page: 'unknown'; address: string }
  | { page: 'guard' }
  /** Every component in every state. */
  | { page: 'design' }
  /** With ids: the comparison of these sessions. */
  | { page: 'board'; compared?: readonly string[] }
  /** Without a name: the list. `new`: the form for a new agent. */
  | { page: 'agents'; name?: string }
  /** Default: the first section. */
  | { page: 'settings'; section?: string }
  | { page: 'session'; id: string; tab: Tab; path?: string; line?: number; seq?: number };

/** Pages whose address has no further parts. */
const PLAIN = ['usage', 'guard', 'design'] as const;

type PlainPage = (typeof PLAIN)[number];

const isPlain = (page: string | undefined): page is PlainPage => PLAIN.some((each) => each === page);

/** Parses the fragment of an address. An empty one is the home page. */
export function parseRoute(hash: string): Route {
  const [words = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page, id, tab] = words.split('/').map(decode);
  if (isPlain(page)) return { page };
  if (page === 'board') return { page, ...(id ? { compared: id.split(',') } : {}) };
  if (page === 'agents') return { page, name: id || undefined };
  if (page === 'settings') return { page, section: id || undefined };
  if (page === '' || page === undefined) return { page: 'home' };
  if (page !== 's' || id === undefined || id === '' || (tab && !isTab(tab))) return { page: 'unknown', address: hash };
  const params = new URLSearchParams(query);
  const path = params.get('path');
  const seq = Number(params.get('seq'));
  const line = Number(params.get('line'));
  return {
    page: 'session',
    id,
    tab: tab && isTab(tab) ? tab : 'conversation',
    ...(path === null ? {} : { path }),
    ...(line > 0 ? { line } : {}),
    ...(seq > 0 ? { seq } : {}),
  };
}

const isTab = (word: string): word is Tab => (TABS as readonly string[]).includes(word);

/** Decodes a part of an address. A truncated escape sequence is returned as it is. */
function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

export function toHash(route: Route): string {
  if (route.page === 'home') return '#/';
  if (route.page === 'unknown') return route.address;
  if (route.page === 'usage' || route.page === 'guard' || route.page === 'design') return `#/${route.page}`;
  if (route.page === 'board')
    return `#/board${route.compared ? `/${encodeURIComponent(route.compared.join(','))}` : ''}`;
  if (route.page === 'agents') return `#/agents${route.name === undefined ? '' : `/${encodeURIComponent(route.name)}`}`;
  if (route.page === 'settings')
    return `#/settings${route.section === undefined ? '' : `/${encodeURIComponent(route.section)}`}`;
  const tab = route.tab === 'conversation' ? '' : `/${route.tab}`;
  const params = new URLSearchParams();
  if (route.path !== undefined) params.set('path', route.path);
  if (route.line !== undefined) params.set('line', String(route.line));
  if (route.seq !== undefined) params.set('seq', String(route.seq));
  const query = params.size > 0 ? `?${params.toString()}` : '';
  return `#/s/${encodeURIComponent(route.id)}${tab}${query}`;
}

export const route = createStore<Route>({ page: 'home' });

export function go(to: Route): void {
  location.hash = toHash(to);
}

export function toSession(id: string, tab: Tab = 'conversation'): Route {
  return { page: 'session', id, tab };
}

export function followAddress(): void {
  const read = () => route.set(parseRoute(location.hash));
  addEventListener('hashchange', read);
  read();
}
