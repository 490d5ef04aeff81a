import type { IncomingMessage } from 'node:http';
import type { Server as EngineServer } from 'engine.io';
import { KlausError } from '@klaus/sdk';
import { Server, type Socket } from 'socket.io';
import { toSender } from '../access/caller.ts';
import type { Identity } from '../access/identity.ts';
import { limitContext } from '../access/limit-context.ts';
import { checkRole, type RequestGuard } from '../access/request-guard.ts';
import type { Context } from '../http/handler.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import { findRow } from '../handlers/find-row.ts';
import { cancelRun } from '../handlers/runs.ts';
import {
  answer,
  COMMAND_ROLES,
  COMMAND_SCHEMAS,
  type CommandInput,
  type CommandName,
  findPromptSession,
  prompt,
} from './commands.ts';
import { followLegacyEvents, readCurrentEvents, readLegacyEvents } from '../legacy/follow-legacy-events.ts';
import { createRateLimit } from './rate-limit.ts';

/** Milliseconds in which a client without a cookie or a header has to send its token. */
const SIGN_IN_MS = 10_000;

/** Commands without a rate limit. */
const UNLIMITED: ReadonlySet<CommandName> = new Set(['patch_approval_response', 'cancel']);

/** The requests of connections whose client has signed in, with who it is. */
export type Identities = WeakMap<IncomingMessage, Identity>;

export interface SocketIoOptions {
  engine: EngineServer;
  guard: Pick<RequestGuard, 'checkGivenToken'>;
  identities: Identities;
}

/** Serves the older protocol over Socket.IO. A client that has not signed in by a header sends `auth.token`. */
export function createSocketIo(context: Context, { engine, guard, identities }: SocketIoOptions): Server {
  const io = new Server({ serveClient: false, connectTimeout: SIGN_IN_MS });
  io.bind(engine as Parameters<typeof io.bind>[0]);
  io.use((socket, next) => {
    try {
      const { request, handshake } = socket;
      socket.data = identities.get(request) ?? guard.checkGivenToken(request, handshake.auth['token']);
      next();
    } catch (error) {
      const problem = toProblem(error);
      next(Object.assign(new Error(toSentence(problem)), { data: { code: problem.code } }));
    }
  });
  io.on('connection', (socket) => serve(context, socket, socket.data as Identity));
  return io;
}

function serve(all: Context, socket: Socket, identity: Identity): void {
  const context = limitContext(all, identity);
  const by = toSender('server/socket.io', identity);
  socket.on(
    'disconnect',
    context.connections.hold(identity, () => socket.disconnect(true)),
  );
  const joined = new Map<string, () => void>();
  const countMessage = createRateLimit(context.klaus.configuration.get('server.wsRateLimit'));

  const join = async (session: string, after: number, isPrompting = false): Promise<void> => {
    const legacy = await readLegacyEvents(context.klaus, { session, after, isPrompting });
    if (!socket.connected) return;
    joined.get(session)?.();
    const stop = followLegacyEvents(context, {
      legacy,
      onEvent: ({ name, data }, seq) => void socket.emit(name, seq === undefined ? data : { ...data, seq }),
    });
    joined.set(session, stop);
  };

  const perform: { [N in CommandName]: (given: CommandInput<N>) => Promise<object> } = {
    async prompt(given) {
      const session = await findPromptSession(context, { ...given, identity });
      if (!joined.has(session)) await join(session, (await context.klaus.store.head(session))?.seq ?? 0, true);
      await prompt(context, session, given.message);
      return { sessionId: session };
    },
    async cancel({ sessionId }) {
      await cancelRun(context, sessionId, { by });
      return {};
    },
    async join_session({ sessionId, after }) {
      const session = (await findRow(context, sessionId)).id;
      const last = (await context.klaus.store.head(session))?.seq ?? 0;
      await join(session, after ?? last);
      if (after === undefined)
        for (const { name, data } of await readCurrentEvents(context, session)) socket.emit(name, data);
      return { sessionId: session, seq: last };
    },
    async leave_session({ sessionId }) {
      const session = (await findRow(context, sessionId)).id;
      joined.get(session)?.();
      joined.delete(session);
      return {};
    },
    async patch_approval_response(given) {
      await answer(context, { ...given, by, identity });
      return {};
    },
  };

  for (const name of Object.keys(COMMAND_SCHEMAS) as CommandName[]) {
    socket.on(name, (payload: unknown, reply?: unknown) => {
      const acknowledge = (result: object): void => {
        if (typeof reply === 'function') reply(result);
      };
      void receive(name, payload).then(
        (result) => acknowledge({ ok: true, ...result }),
        (error: unknown) => {
          const problem = toProblem(error);
          const failure = { error: toSentence(problem), code: problem.code, ...toSessionId(payload) };
          acknowledge({ ok: false, ...failure });
          socket.emit('error', failure);
        },
      );
    });
  }

  async function receive(name: CommandName, payload: unknown): Promise<object> {
    if (!UNLIMITED.has(name)) countMessage();
    checkRole(identity, COMMAND_ROLES[name]);
    const parsed = COMMAND_SCHEMAS[name].safeParse(payload);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new KlausError('usage', `${name}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
    }
    const act = perform[name] as (given: unknown) => Promise<object>;
    return act(parsed.data);
  }

  socket.on('disconnect', () => {
    // Runs continue when the client disconnects.
    for (const stop of joined.values()) stop();
    joined.clear();
  });
}

function toSessionId(payload: unknown): { sessionId?: string } {
  const id = (payload as { sessionId?: unknown } | null)?.sessionId;
  return typeof id === 'string' ? { sessionId: id } : {};
}
