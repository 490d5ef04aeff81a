import { join, resolve } from 'node:path';
import {
  describePlace,
  findLocalServers,
  isLocalFamily,
  listNames,
  type FoundServer,
  type LocalAccess,
  type LocalPlace,
} from '@klaus/adapters/models';
import { PROVIDER_NAMES } from '@klaus/core/provider-table';
import { z } from 'zod';
import { toHome } from '../config/home.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { keysOf } from '../config/stored-keys.ts';
import { readStateFile, writeStateFile } from '../mcp/mcp-files.ts';

/** A program that serves models and was found at its usual address. */
export interface LocalServer {
  /** Its address, program and user in one line, safe for a terminal except for control characters. */
  text: string;
  /** The program's own spelling of its name. */
  title: string;
  /** Scheme, host and port. */
  address: string;
  /** False: texts leave this machine. */
  isLoopback: boolean;
  /** Names of the program and the user that own the socket; `unknown` if they cannot be read. */
  program: string;
  user: string;
  /** Full names of its models; those in memory, if there are some. */
  models: readonly string[];
  /** True if the user has allowed to send texts to this address, while this user owns its socket. */
  isAllowed: boolean;
}

/** Programs on this machine that serve models. */
export interface LocalServers {
  /**
   * Looks for them with GET requests that contain no text.
   *
   * @param model `local`, or the name of a model. Then only programs that can have it are looked for, and none if the
   *   settings have a server of this name. Default: `local`.
   */
  find(model?: string): Promise<LocalServer[]>;
  /** Remembers that texts may be sent to the program. */
  allow(server: LocalServer): void;
  /** True if the settings have neither a key nor a model with which a session could start. */
  isNeeded(): Promise<boolean>;
}

export interface LocalServersOptions {
  /** Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default: the current folder. */
  cwd?: string;
  /** State folder. Default: `KLAUS_HOME`, else `~/.klaus`. */
  home?: string;
}

/** The name of the only model that is found. */
const ANY = 'local';

const allowedSchema = z.object({ allowed: z.array(z.object({ origin: z.string(), user: z.string() })) });
type Allowed = z.infer<typeof allowedSchema>['allowed'];

export function openLocalServers(options: LocalServersOptions = {}): LocalServers {
  const env = options.env ?? process.env;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = toHome(env, cwd, options.home);
  const access = createLocalAccess(home);
  const places = new WeakMap<LocalServer, LocalPlace>();
  const toServer = (found: FoundServer, all: boolean): LocalServer => {
    const models = all ? found.models.map(({ id }) => `${found.family}/${id}`) : listNames(found);
    const { origin: address, isLoopback, owner } = found;
    const server = {
      ...{ text: describePlace(found), title: found.program.title, address, isLoopback },
      ...{ program: owner.program, user: owner.user, models, isAllowed: access.isAllowed(found) },
    };
    places.set(server, found);
    return server;
  };
  return {
    async find(model = ANY) {
      const [family = ''] = model.split('/');
      if (model !== ANY && !isLocalFamily(family)) return [];
      const { values } = await loadConfiguration({ env, home, cwd });
      const isOwn = (name: string): boolean => Object.hasOwn(values.servers ?? {}, name);
      const found = await findLocalServers(env, isLocalFamily(family) ? family : undefined);
      return found.filter((server) => !isOwn(server.family)).map((server) => toServer(server, model !== ANY));
    },
    allow(server) {
      const place = places.get(server);
      if (place) access.allow(place);
    },
    async isNeeded() {
      const { values, sources } = await loadConfiguration({ env, home, cwd });
      const hasKey = PROVIDER_NAMES.flatMap(keysOf).some((name) => values.keys[name] !== undefined);
      const hasServer =
        values.servers !== undefined || PROVIDER_NAMES.some((name) => values.baseUrls[name] !== undefined);
      return !hasKey && !hasServer && values.aiSdk === undefined && sources.model.source === 'default';
    },
  };
}

/** What the user has allowed, in a file of the state folder. Without a user that can be read, it holds for the address. */
export function createLocalAccess(home: string): LocalAccess & { allow(place: LocalPlace): void } {
  const file = join(home, 'local-servers.json');
  const read = (): Allowed => readStateFile(file, allowedSchema, { allowed: [] }).allowed;
  const toEntry = ({ origin, owner }: LocalPlace) => ({ origin, user: owner.user });
  const isAllowed = (place: LocalPlace): boolean => {
    const { origin, user } = toEntry(place);
    return read().some((one) => one.origin === origin && one.user === user);
  };
  return {
    isAllowed,
    allow(place) {
      if (!isAllowed(place)) writeStateFile(file, { allowed: [...read(), toEntry(place)] }, true);
    },
  };
}
