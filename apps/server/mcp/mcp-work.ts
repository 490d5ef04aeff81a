import { randomUUID } from 'node:crypto';
import { isKlausError, type McpConfiguration, type ReviewedServer } from '@klaus/sdk';
import type { McpLoginView } from '../contract/index.ts';

/** A server of a folder. */
export interface McpTarget {
  mcp: McpConfiguration;
  /** Absolute. */
  folder: string;
  name: string;
}

interface Login {
  view: McpLoginView;
  end: AbortController;
  answer?: (address: string) => boolean;
  work: Promise<void>;
}

/** Reviews that can be accepted. The oldest is forgotten first. */
const MAX_REVIEWS = 20;

const toKey = ({ folder, name }: Pick<McpTarget, 'folder' | 'name'>): string => JSON.stringify([folder, name]);

/** What takes longer than one request: logins to MCP servers, and reviews that the user has seen and not accepted yet. */
export class McpWork {
  readonly #logins = new Map<string, Login>();
  readonly #reviews = new Map<string, { key: string; found: ReviewedServer }>();

  /** The latest login since the start of this process. */
  login(target: Pick<McpTarget, 'folder' | 'name'>): McpLoginView | null {
    return this.#logins.get(toKey(target))?.view ?? null;
  }

  /**
   * Starts a login in place of one in progress. Resolves when the user has an address to open.
   *
   * @throws KlausError `usage`, `auth` before there is one.
   */
  async startLogin(target: McpTarget): Promise<McpLoginView> {
    await this.cancelLogin(target);
    const end = new AbortController();
    const view: McpLoginView = { state: 'waiting', url: null, message: null };
    const shown = Promise.withResolvers<void>();
    const login: Login = { view, end, work: Promise.resolve() };
    const ended = target.mcp.logIn(target.name, {
      signal: end.signal,
      onUrl(url, answer) {
        view.url = url;
        login.answer = answer;
        shown.resolve();
      },
    });
    login.work = ended.then(
      () => {
        view.state = 'done';
      },
      (error: unknown) => {
        Object.assign(view, { state: 'failed', message: toMessage(error) });
      },
    );
    this.#logins.set(toKey(target), login);
    await Promise.race([shown.promise, ended]);
    return view;
  }

  /** Takes the address to which the browser was sent. False: it is not the answer of this login. */
  async answerLogin(target: Pick<McpTarget, 'folder' | 'name'>, address: string): Promise<boolean> {
    const login = this.#logins.get(toKey(target));
    if (login?.answer?.(address) !== true) return false;
    await login.work;
    return true;
  }

  async cancelLogin(target: Pick<McpTarget, 'folder' | 'name'>): Promise<void> {
    const login = this.#logins.get(toKey(target));
    login?.end.abort();
    await login?.work;
    this.#logins.delete(toKey(target));
  }

  /** Remembers what the user sees. @returns The id with which it is accepted. */
  addReview(target: Pick<McpTarget, 'folder' | 'name'>, found: ReviewedServer): string {
    const id = randomUUID();
    this.#reviews.set(id, { key: toKey(target), found });
    for (const old of [...this.#reviews.keys()].slice(0, -MAX_REVIEWS)) this.#reviews.delete(old);
    return id;
  }

  /** The review, once. Undefined: it is unknown, or of another server. */
  takeReview(target: Pick<McpTarget, 'folder' | 'name'>, id: string): ReviewedServer | undefined {
    const review = this.#reviews.get(id);
    if (review?.key !== toKey(target)) return undefined;
    this.#reviews.delete(id);
    return review.found;
  }

  /** Ends the logins in progress. */
  async close(): Promise<void> {
    const logins = [...this.#logins.values()];
    for (const { end } of logins) end.abort();
    await Promise.all(logins.map(({ work }) => work));
  }
}

function toMessage(error: unknown): string {
  if (isKlausError(error)) return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return 'The login failed.';
}
