import type { IncomingMessage } from 'node:http';
import { KlausError } from '@klaus/sdk';
import { Refusal } from '../../http/problem.ts';
import { toName } from '../identity.ts';
import type { SignIn, SignInOptions } from './sign-in.ts';
import { toFolders } from './to-folders.ts';
import { toRole } from './to-role.ts';

/**
 * A proxy has signed the person in and sends its name and groups in headers. They count only in a request whose
 * connection comes from an address of `server.trustProxy`.
 *
 * @throws KlausError `config` unless `server.trustProxy` is a list of addresses: a count of proxies would trust anyone.
 */
export function createProxySignIn({ configuration, proxies }: SignInOptions): SignIn {
  if (!proxies.isByAddress) {
    throw new KlausError('config', 'The sign-in `proxy` needs the addresses of the proxies.', {
      hint: 'Set AGENT_TRUST_PROXY to their addresses or ranges, such as `10.0.0.5` or `loopback`.',
    });
  }
  const userHeader = configuration.get('server.proxyUserHeader').toLowerCase();
  const rolesHeader = configuration.get('server.proxyRolesHeader').toLowerCase();
  const mapping = configuration.get('server.roles');
  const projects = configuration.get('server.projects');
  return {
    kind: 'proxy',
    help: {
      title: 'The proxy has not named a user.',
      detail: `Open the address of the proxy. It must send the header ${userHeader} from an address of AGENT_TRUST_PROXY.`,
    },
    identify(request) {
      if (!proxies.isTrusted(request.socket.remoteAddress ?? '')) return Promise.resolve({});
      const name = toName(readOnce(request, userHeader));
      if (name === undefined) return Promise.resolve({});
      const groups = (readOnce(request, rolesHeader) ?? '').split(',').map((group) => group.trim());
      const role = toRole(groups, mapping);
      if (role !== undefined) {
        return Promise.resolve({
          identity: { name, role, folders: toFolders({ role, groups }, projects) },
        });
      }
      const title = `${name} has no role at this server.`;
      const detail = 'An administrator can give a role to one of your groups, with the setting `server.roles`.';
      return Promise.resolve({ denied: { title, detail } });
    },
  };
}

/**
 * The value of a header as UTF-8.
 *
 * @throws Refusal 400 for a header that occurs twice: a proxy that adds its own may have forwarded that of the client.
 */
function readOnce(request: IncomingMessage, name: string): string | undefined {
  const values = request.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]!.toLowerCase() === name);
  if (values.length > 1) {
    throw new Refusal(400, 'usage', {
      title: `The request has two ${name} headers.`,
      detail: 'The proxy must replace the header of the client.',
    });
  }
  return values[0] === undefined ? undefined : Buffer.from(values[0], 'latin1').toString('utf8');
}
