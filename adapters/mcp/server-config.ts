import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { toProgramBinds } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';
import { z } from 'zod';

/** A program that speaks the protocol over its standard streams. */
const stdioSchema = z.looseObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
});

/** A server at an address. Some programs write no type. */
const httpSchema = z.looseObject({
  type: z.enum(['http', 'streamable-http', 'streamableHttp', 'sse']).default('http'),
  url: z.string().min(1),
  headers: z.record(z.string(), z.string()).default({}),
});

export type StdioServer = { kind: 'stdio'; command: string; args: string[]; env: Record<string, string> };
export type HttpServer = {
  kind: 'http';
  /** Default: streamable HTTP. `sse`: one stream of events, as in the first version of the protocol. */
  over?: 'sse';
  url: string;
  headers: Record<string, string>;
};

/** How a server is started or reached. */
export type McpServer = StdioServer | HttpServer;

/** Letters, digits, `_` and `-`; no `__`, which separates the parts of the name of a tool. */
const SERVER_NAME = /^(?!.*__)[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/;

export function isServerName(name: string): boolean {
  return SERVER_NAME.test(name);
}

/**
 * A server of `mcpServers`, in the shape of Claude Code, with `${VAR}` and `${VAR:-default}` replaced, also as
 * `${env:VAR}`, and `~` at the start of the command, its arguments and variables.
 *
 * @param env Of the user.
 * @throws KlausError `config` for a wrong shape or address, or a variable that is not set.
 */
export function toMcpServer(
  name: string,
  given: unknown,
  env: Readonly<Record<string, string | undefined>>,
): McpServer {
  const refuse = (reason: string, hint = 'Correct its entry in .mcp.json.'): never => {
    throw new KlausError('config', `The MCP server ${name} cannot be used: ${reason}.`, { hint });
  };
  if (!isServerName(name)) return refuse('its name may have letters, digits, `-` and single `_`, at most 48');
  const expand = (text: string): string =>
    text.replaceAll(/\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, variable: string, fallback?: string) => {
      const value = env[variable] || fallback;
      return value ?? refuse(`the variable ${variable} is not set`, `Set ${variable}.`);
    });
  const expandAll = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, expand(text)]));
  const stdio = stdioSchema.safeParse(given);
  if (stdio.success) {
    const { command, args, env: own } = stdio.data;
    const home = env['HOME'] || homedir();
    const expandPath = (text: string): string => expand(text.replace(/^~(?=\/|$)/, () => home));
    const variables = Object.entries(own).map(([key, text]): [string, string] => [key, expandPath(text)]);
    const program = { command: expandPath(command), args: args.map(expandPath) };
    return { kind: 'stdio', ...program, env: Object.fromEntries(variables) };
  }
  const http = httpSchema.safeParse(given);
  if (!http.success) return refuse('it needs `command`, or `type: "http"` or `"sse"` and `url`');
  const url = expand(http.data.url);
  if (!isAddress(url)) return refuse('its address needs http:// or https://, and no password');
  const over = http.data.type === 'sse' ? ({ over: 'sse' } as const) : {};
  return { kind: 'http', ...over, url, headers: expandAll(http.data.headers) };
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** Names of the variables of the user that an entry contains. */
export function findVariables(given: unknown): string[] {
  return [
    ...new Set([...JSON.stringify(given ?? null).matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)/g)].map(([, name]) => name!)),
  ];
}

/** Host name and port of a server. */
export function toPlace({ url }: Pick<HttpServer, 'url'>): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** A digest of the address or the program of a server, to which approvals are bound. Its headers and variables can change. */
export function toServerDigest(server: McpServer): string {
  const place = server.kind === 'http' ? [server.url] : [server.command, ...server.args];
  return hash('sha256', JSON.stringify(place), 'hex');
}

/** The program and its scripts. Folders among the arguments are not shown: the grant decides about folders. */
export function toBinds({ command, args }: { command: string; args: readonly string[] }, workspace: string) {
  const files = [command, ...args].filter(
    (word) => isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile(),
  );
  return toProgramBinds(files, { workspace });
}
