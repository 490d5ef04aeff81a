import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Agent } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findUserProxy, parseProxy, type Environment } from '@klaus/adapters/system';
import { KlausError, messageOf } from '@klaus/core/protocol';

/** How connections to a server are opened. */
export interface ConnectionOptions {
  /** Address of a proxy; `off`: none. Default: the proxy of the environment. */
  proxy?: string;
  /** Certificates in PEM that are trusted in addition to those of Node: an absolute path, or one below `~/`. */
  caFile?: string;
  /** Default: that of the process. */
  env?: Environment;
}

/** Returns the agent for an address; undefined: the global one of Node. */
export type FindAgent = (url: URL) => Agent | undefined;

/** Agents keep connections open, so equal ones are shared. */
const agents = new Map<string, Agent>();

/** @throws KlausError `config` for a file of certificates that cannot be read. */
export function createAgentFinder({ proxy, caFile, env = process.env }: ConnectionOptions): FindAgent {
  const extra = caFile === undefined ? undefined : readCertificates(caFile);
  return (url) => {
    const isSecure = url.protocol === 'https:';
    const via = proxy === undefined ? findFor(url, env)?.href : parseProxy(proxy)?.url.href;
    const ca = isSecure ? extra : undefined;
    // The global agent may have a proxy of its own (NODE_USE_ENV_PROXY), with other exceptions.
    const isDirect = via === undefined && (proxy === 'off' || hasProxy(env));
    return via === undefined && ca === undefined && !isDirect ? undefined : openAgent({ isSecure, via, ca });
  };
}

function findFor(url: URL, env: Environment): URL | undefined {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return findUserProxy(env, { host, port: Number(url.port || (isSecure ? 443 : 80)), isSecure })?.url;
}

function hasProxy(env: Environment): boolean {
  return Object.keys(env).some((name) => /^(?:https?|all)_proxy$/i.test(name) && env[name]);
}

interface AgentOptions {
  isSecure: boolean;
  via: string | undefined;
  ca: string | undefined;
}

function openAgent({ isSecure, via, ca }: AgentOptions): Agent {
  const key = createHash('sha256')
    .update(JSON.stringify([isSecure, via, ca]))
    .digest('hex');
  let agent = agents.get(key);
  if (agent) return agent;
  const { Agent: AgentClass } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  agent = new AgentClass({
    // As the global agent.
    ...{ keepAlive: true, scheduling: 'lifo', timeout: 5_000 },
    ...(via !== undefined && { proxyEnv: { HTTP_PROXY: via, HTTPS_PROXY: via } }),
    ...(ca !== undefined && { ca: [...process.getBuiltinModule('node:tls').getCACertificates('default'), ca] }),
  });
  agents.set(key, agent);
  return agent;
}

/** @throws KlausError `config`. */
export function readCertificates(file: string): string {
  const path = file.startsWith('~/') ? join(homedir(), file.slice(2)) : file;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new KlausError('config', `The certificates in ${path} cannot be read: ${messageOf(cause)}`, {
      hint: 'Set `caFile` to a file in PEM format.',
      cause,
    });
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new KlausError('config', `${path} contains no certificate in PEM format.`, {
    hint: '`openssl x509 -inform der -in FILE -out FILE.pem` converts one.',
  });
}
