import { headOf } from '../../protocol/index.ts';
import type { Hook, HookEventName, HookGroups } from '../../protocol/settings/hook-settings.ts';

/** A hook that an event runs. */
export interface ChosenHook {
  hook: Hook;
  /** Its command or URL in one line. */
  name: string;
  place: 'project' | 'user';
}

/** What hooks need beside the sandbox. */
export interface HookHost {
  /** Absolute real paths of the user's folders with scripts of hooks. Commands of the user's hooks can read them. */
  readonly folders: readonly string[];
  /**
   * Sends an event to an URL. Redirects are not followed.
   *
   * @returns The status, and the body up to 1 MiB.
   * @throws Error if there is no complete answer in time.
   */
  post(request: HookPost): Promise<{ status: number; text: string }>;
}

export interface HookPost {
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * The source of what a hook says, if it is not of the user: a service at an URL, and a command that a project names.
 * Commands of the user run without a network.
 */
export function toHookSource({ hook, name, place }: ChosenHook): string | undefined {
  return hook.type === 'http' || place === 'project' ? `the hook ${name}` : undefined;
}

const MAX_NAME = 80;

/**
 * The hooks of an event.
 *
 * @param tools Names of a tool here and in Claude Code. Absent: an event that concerns no tool.
 */
export function chooseHooks(groups: HookGroups, event: HookEventName, tools?: readonly string[]): ChosenHook[] {
  return (groups[event] ?? []).flatMap(({ matcher, hooks, project }) => {
    if (tools && !tools.some((tool) => matchesTool(matcher, tool))) return [];
    return hooks.map((hook): ChosenHook => {
      const line = (hook.type === 'command' ? hook.command : toShownUrl(hook.url)).replaceAll(/\s+/g, ' ');
      const name = line.length <= MAX_NAME ? line : `${headOf(line, MAX_NAME)}…`;
      return { hook, name, place: project ? 'project' : 'user' };
    });
  });
}

/** Without the query, which can contain a key. */
function toShownUrl(url: string): string {
  return url.replace(/[?#].*$/, '').replace(/\/\/[^/@]*@/, '//');
}

/** Case is significant, as in Claude Code. */
function matchesTool(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  return matcher.split('|').some((pattern) => {
    const [first = '', ...rest] = pattern.split(/\.?\*/);
    if (rest.length === 0) return pattern === tool;
    // One pass for each part: a pattern of a project cannot take long.
    let at = tool.startsWith(first) ? first.length : -1;
    for (const part of rest.slice(0, -1)) {
      if (at < 0) return false;
      const found = tool.indexOf(part, at);
      at = found < 0 ? -1 : found + part.length;
    }
    const last = rest.at(-1)!;
    return at >= 0 && tool.length - last.length >= at && tool.endsWith(last);
  });
}
