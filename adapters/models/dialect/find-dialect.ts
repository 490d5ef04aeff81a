import type { ModelDialect, ModelFacts, ModelServerSettings, ServerFamily } from '@klaus/core/protocol';
import type { AcceptedSampling } from '../catalog/catalog-entry.ts';
import { MODELS, SERVERS, type ModelRow, type ServerRow } from './families.ts';

/** What is sent to a server and a model that no row names: what nearly all compatible servers accept. */
const COMMON: ModelDialect = {
  limit: 'max_tokens',
  usage: 'stream_options',
  effort: 'reasoning_effort',
  system: 'system',
  results: 'text',
  resultNames: false,
  cacheKey: false,
  cacheMark: false,
  store: true,
  strict: true,
  adaptiveThinking: false,
};

/** The wires have different fields. */
const OF_WIRE: Readonly<Record<Wire, Partial<ModelDialect>>> = {
  chat: {},
  responses: { cacheKey: true },
  messages: { cacheMark: true },
};

/** These are mostly models of compatible servers. Their names do not reveal whether they reason. */
const UNKNOWN: AcceptedSampling = { maxTemperature: 2 };

export type Wire = ModelServerSettings['wire'];

export interface FoundDialect {
  family: ServerFamily | undefined;
  server: ServerRow | undefined;
  dialect: ModelDialect;
  /** What an id without an entry in the catalog is assumed to accept. */
  accepted: AcceptedSampling;
  /** False: the model is known to see no images. */
  images: boolean | undefined;
}

export interface DialectQuery {
  baseUrl: string;
  /** The server's id of the model. */
  id: string;
  /** Default: `chat`. */
  wire?: Wire;
  /** Default: found by the address. */
  family?: ServerFamily;
  /** What the user says of the server or the model. */
  given?: ModelFacts['dialect'];
}

/** How requests for a model at a server are written. The user's words count most, then the server's row, then the model's. */
export function findDialect(query: DialectQuery): FoundDialect {
  const { baseUrl, id, wire = 'chat', family = findFamily(baseUrl), given } = query;
  const server = family === undefined ? undefined : SERVERS[family];
  const row = findModelRow(id);
  const dialect: ModelDialect = { ...COMMON, ...OF_WIRE[wire], ...row?.dialect, ...server?.dialect };
  if (isToggle(dialect.effort) && server?.toggle !== undefined) dialect.effort = server.toggle;
  return {
    family,
    server,
    dialect: { ...dialect, ...given },
    accepted: row ? { efforts: row.efforts, maxTemperature: row.maxTemperature } : UNKNOWN,
    images: row?.images,
  };
}

/** The family of a service by its address, of a program by its usual port. */
export function findFamily(baseUrl: string): ServerFamily | undefined {
  const url = new URL(baseUrl);
  return (Object.keys(SERVERS) as ServerFamily[]).find((name) => {
    const { at } = SERVERS[name];
    return at?.test(url.hostname) === true || at?.test(url.host) === true;
  });
}

function findModelRow(id: string): ModelRow | undefined {
  const last = id.slice(id.lastIndexOf('/') + 1).toLowerCase();
  return MODELS.find((row) => row.id.test(last));
}

function isToggle(effort: ModelDialect['effort']): boolean {
  return effort.startsWith('chat_template') || effort === 'thinking' || effort === 'enable_thinking';
}
