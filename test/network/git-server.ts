import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate } from './certificate.ts';

export interface GitServer extends Disposable {
  /** `https://localhost:PORT` */
  url: string;
  port: number;
  /** File with the certificate to trust. */
  certificate: string;
  /** The values of `Authorization` that arrived. */
  authorizations: Set<string>;
  /** Of the repository `app.git`. */
  git(...words: string[]): string;
}

export interface GitServerOptions {
  /** `name:password`, without which nothing is served. */
  credentials?: string;
  /** Called with each request that may be served. */
  onRequest?: () => Promise<void>;
}

/** A git server over HTTPS with one repository of one commit: git's own CGI program behind a server of Node. */
export async function startGitServer({ credentials, onRequest }: GitServerOptions = {}): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'klaus-git-server-'));
  const { cert, key } = createCertificate(['localhost']);
  const certificate = join(root, 'cert.pem');
  writeFileSync(certificate, cert);
  const work = join(root, 'work');
  const run = (cwd: string, words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@example.com', ...words], { cwd, encoding: 'utf8' });
  run(root, ['init', '-q', '-b', 'main', work]);
  writeFileSync(join(work, 'README.md'), 'Hello.\n');
  run(work, ['add', '.']);
  run(work, ['commit', '-q', '-m', 'First']);
  run(root, ['clone', '-q', '--bare', work, 'app.git']);
  run(join(root, 'app.git'), ['config', 'http.receivepack', 'true']);
  const authorizations = new Set<string>();
  const server = createServer({ cert, key }, (request, response) => void serve(request, response));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization } = request.headers;
    if (authorization !== undefined) authorizations.add(authorization);
    if (credentials !== undefined && authorization !== `Basic ${btoa(credentials)}`) {
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    }
    await onRequest?.();
    runCgi(root, request, response);
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    port,
    certificate,
    authorizations,
    git: (...words) => run(join(root, 'app.git'), words),
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** @source https://git-scm.com/docs/git-http-backend */
function runCgi(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'me',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf('\r\n\r\n');
    const headers = answer.subarray(0, end).toString('latin1').split('\r\n');
    for (const line of headers) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name.toLowerCase() === 'status') response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    response.end(answer.subarray(end + 4));
  });
}
