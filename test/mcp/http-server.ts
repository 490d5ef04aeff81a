import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface HttpTest extends Disposable {
  readonly url: string;
  /** Method and path of each request, with its authorization. */
  readonly requests: { path: string; authorization: string | undefined }[];
  /** Access tokens that are valid. */
  readonly tokens: Set<string>;
  /** Refresh tokens that are valid. */
  readonly refreshTokens: Set<string>;
}

interface HttpTestOptions {
  /** `oauth`: it needs a token of its own authorization server. `header`: it needs `Bearer a-fixed-token`. */
  access?: 'open' | 'header' | 'oauth';
  /** Address that the server names for the description of its login. Default: its own. */
  metadata?: () => string | undefined;
  /** Answers what is not of the protocol; true if it did. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Answers in place of the protocol. */
  answer?: (request: IncomingMessage, response: ServerResponse) => void;
}

const TOOLS = [
  { name: 'echo', description: 'Repeat.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'send', description: 'Send.', inputSchema: { type: 'object' } },
];

/** A server of the protocol over HTTP, with its own authorization server. */
export async function startHttpServer({
  access = 'open',
  answer,
  metadata: toMetadata,
  intercept,
}: HttpTestOptions = {}): Promise<HttpTest> {
  const requests: HttpTest['requests'] = [];
  const tokens = new Set(access === 'header' ? ['a-fixed-token'] : []);
  const codes = new Map<string, string>();
  const refreshTokens = new Set<string>();
  let url = '';
  const json = (response: ServerResponse, body: unknown, code = 200): void => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const issue = (response: ServerResponse): void => {
    const [token, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    tokens.add(token);
    refreshTokens.add(refresh);
    json(response, { access_token: token, token_type: 'Bearer', expires_in: 3600, refresh_token: refresh });
  };
  const authorize = async (request: IncomingMessage, response: ServerResponse, at: URL): Promise<void> => {
    switch (at.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
      case '/.well-known/oauth-protected-resource':
        return json(response, { resource: url, authorization_servers: [new URL(url).origin] });
      case '/.well-known/oauth-authorization-server':
        return json(response, {
          issuer: new URL(url).origin,
          authorization_endpoint: new URL('/authorize', url).href,
          token_endpoint: new URL('/token', url).href,
          registration_endpoint: new URL('/register', url).href,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
        });
      case '/register':
        return json(response, { ...(JSON.parse(await text(request)) as object), client_id: 'a-client' }, 201);
      case '/authorize': {
        const code = randomUUID();
        codes.set(code, at.searchParams.get('code_challenge')!);
        const back = new URL(at.searchParams.get('redirect_uri')!);
        back.search = new URLSearchParams({ code, state: at.searchParams.get('state')! }).toString();
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token': {
        const form = new URLSearchParams(await text(request));
        if (form.get('grant_type') === 'refresh_token') {
          return refreshTokens.delete(form.get('refresh_token')!)
            ? issue(response)
            : json(response, { error: 'invalid_grant' }, 400);
        }
        const challenge = createHash('sha256').update(form.get('code_verifier')!).digest('base64url');
        const isValid = codes.get(form.get('code')!) === challenge;
        codes.delete(form.get('code')!);
        return isValid ? issue(response) : json(response, { error: 'invalid_grant' }, 400);
      }
    }
    json(response, { error: 'not found' }, 404);
  };
  const server = createServer((request, response) => {
    const at = new URL(request.url!, url);
    const { authorization } = request.headers;
    requests.push({ path: `${request.method} ${at.pathname}`, authorization });
    if (intercept?.(request, response)) return;
    if (at.pathname !== '/mcp') return void authorize(request, response, at);
    if (access !== 'open' && !tokens.has(authorization?.replace('Bearer ', '') ?? '')) {
      const metadata = toMetadata?.() ?? new URL('/.well-known/oauth-protected-resource/mcp', url).href;
      response.setHeader('www-authenticate', `Bearer resource_metadata="${metadata}"`);
      return json(response, {}, 401);
    }
    if (answer) return answer(request, response);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void text(request).then((body) => {
      const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: { name?: string } };
      if (id === undefined) return response.writeHead(202).end();
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'http', version: '1' },
        },
        'tools/list': { tools: TOOLS },
        'tools/call': { content: [{ type: 'text', text: `called ${params?.name}` }] },
      };
      const result = results[method];
      return json(response, {
        jsonrpc: '2.0',
        id,
        ...(result ? { result } : { error: { code: -32_601, message: 'Method not found' } }),
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    url,
    requests,
    tokens,
    refreshTokens,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
