import { randomBytes } from 'node:crypto';
import { optional } from '@klaus/sdk/optional';
import { toUlid } from '@klaus/sdk/ulid';
import type { Daemon } from '../../daemon/ensure-daemon.ts';
import { type ConnectedServer, connectServer } from './connect-server.ts';
import { createHttpAttention } from './http-attention.ts';
import { createHttpChat } from './http-chat.ts';
import { createHttpCopies } from './http-copies.ts';
import { createHttpInteractive } from './http-interactive.ts';
import { createHttpReader } from './http-reader.ts';
import { followHttp } from './http-session.ts';
import { retry } from './retry.ts';
import type { OpenRequest, PromptRequest, SessionClient } from '@klaus/sdk/client';
import type { Options } from '../../program/options.ts';

/** A client of the server that the options name. @param daemon A daemon instead. */
export async function connectHttpClient(
  options: Options,
  onNotice: (text: string, level?: 'warn') => void,
  daemon?: Daemon,
): Promise<SessionClient> {
  const server = daemon === undefined ? await connectServer(options) : await connectDaemon(daemon);
  const { client, name, ask, at, warning } = server;
  const onRetry = () => onNotice(`The connection to ${name} was lost; retrying for half a minute.`, 'warn');
  const detail = (id: string) => ask(client.session({ params: { id } }));

  const reader = createHttpReader(server);

  return {
    server: name,
    at,
    warning,
    copies: createHttpCopies(server),
    ...reader,
    ...createHttpAttention(server),
    ...createHttpChat(server, reader),
    ...createHttpInteractive(server),
    async forget(id) {
      await ask(client.forgetRemembered({ params: { id } }));
    },
    changeApproval: (id, approval, scope) => ask(client.changeApproval({ params: { id, approval }, body: { scope } })),
    async answer(id, answer, options) {
      await ask(client.answer({ params: { id }, body: { answer, ...options } }));
    },

    async open(request) {
      // Repeated with the same two ids, for example after a lost answer, it is one session and one prompt.
      const body = { session: toNewUlid(), ...toBody(request), ...toPrompt(request) };
      const { session: id } = await retry({ server: name, onRetry }, () => client.openSession({ body }));
      if (daemon !== undefined) return id;
      const { workspace } = await retry({ server: name, onRetry }, () => client.session({ params: { id } }));
      onNotice(`works at ${name} in ${workspace}`);
      return id;
    },
    async prompt(given, request) {
      const { id, held, position } = await detail(given);
      const { delivery, model, mode, limits } = request;
      const change = optional({ model, mode, limits });
      // It can be refused, so it is sent before anything has changed.
      if (Object.keys(change).length > 0) await ask(client.changeSession({ params: { id }, body: change }));
      const body = { ...toPrompt(request), delivery };
      await retry({ server: name, onRetry }, () => client.sendPrompt({ params: { id }, body }));
      return { isHandedOver: held || position !== null };
    },
    async resume(id, { onAsk, openRunOnAsk, waitForModelMs, limits }) {
      await ask(client.resume({ params: { id }, body: { onAsk, openRunOnAsk, waitForModelMs, limits } }));
    },
    async cancel(given, reason) {
      const { id, held, position, state } = await detail(given);
      if (!held && position === null && state !== 'needs-you' && state !== 'interrupted')
        return { session: id, state: 'idle' };
      await ask(client.cancel({ params: { id }, body: { reason } }));
      return { session: id, state: 'stopping' };
    },
    follow: (given) => ask(followHttp(server, given)),
    // The server manages what waits and what runs in the background.
    leftovers: async () => ({ messages: 0, processes: [] }),
    async [Symbol.asyncDispose]() {},
  };
}

/** Its sessions are those of this machine: commands need no address. */
async function connectDaemon({ socket }: Daemon): Promise<ConnectedServer> {
  return { ...(await connectServer({ server: `unix:${socket}` })), name: 'the daemon', at: '' };
}

function toPrompt({ parts, onAsk, waitForModelMs, pin, untrusted }: OpenRequest | PromptRequest) {
  return { command: toNewUlid(), parts: [...parts], onAsk, waitForModelMs, pin, untrusted };
}

function toBody({
  workspace,
  model,
  fallback,
  temperature,
  effort,
  mode,
  sandbox,
  isolate,
  workingCopy,
  trustCommand,
  limits,
  grant,
  allowNet,
  agent,
  runner,
  workers,
  chat,
  attended,
  instance,
  startedBy,
}: OpenRequest) {
  const fields = {
    workspace,
    model,
    fallback: fallback && [...fallback],
    temperature,
    effort,
    mode,
    sandbox,
    isolate,
    limits,
    agent,
    runner,
    chat,
    attended,
  };
  const copy = typeof workingCopy === 'boolean' ? (workingCopy ? { withChanges: false } : undefined) : workingCopy;
  const origin = { instance, startedBy, trustCommand, workingCopy: copy };
  const lists = { grant: grant && [...grant], allowNet: allowNet && [...allowNet], workers: workers && [...workers] };
  return { ...fields, ...origin, ...lists };
}

/** A new ULID, for a request that can be repeated with one effect. */
function toNewUlid(): string {
  return toUlid(Date.now(), randomBytes(10));
}
