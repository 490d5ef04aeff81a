import { ask, type ShellFinding } from '../rules/command-rule.ts';
import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { showWord, type Word } from '../expansion/word.ts';
import type { HostFacts } from './host-facts.ts';
import { toHostPaths } from './host-words.ts';

/** Programs that serve a folder over the network, and how their arguments name it. */
const SERVERS: Readonly<
  Record<
    string,
    {
      valued: readonly string[];
      folder: readonly string[];
      plain?: boolean;
      verb?: RegExp;
    }
  >
> = {
  serve: {
    valued: ['-l', '--listen', '-p', '-c', '--config'],
    folder: [],
    plain: true,
  },
  'http-server': {
    valued: ['-p', '--port', '-a', '-c'],
    folder: [],
    plain: true,
  },
  'live-server': { valued: ['--port', '--host'], folder: [], plain: true },
  miniserve: { valued: ['-p', '-i'], folder: [], plain: true },
  'static-web-server': { valued: ['-p'], folder: ['-d', '--root'] },
  darkhttpd: { valued: ['--port', '--addr'], folder: [], plain: true },
  caddy: {
    valued: ['--listen', '--config'],
    folder: ['--root', '-r'],
    verb: /^file-server$/,
  },
  webfsd: { valued: ['-p'], folder: ['-r'] },
  twistd: { valued: ['--port', '--listen'], folder: ['--path'], verb: /^web$/ },
  rclone: { valued: ['--addr'], folder: [], plain: true, verb: /^serve$/ },
  ngrok: {
    valued: ['--config'],
    folder: [],
    plain: true,
    verb: /^(?:http|tcp)$/,
  },
  smbd: { valued: [], folder: [] },
  vsftpd: { valued: [], folder: [] },
  httpd: { valued: ['-p'], folder: ['-h'] },
  nginx: { valued: ['-c', '-g'], folder: ['-p'] },
  lighttpd: { valued: ['-f'], folder: [] },
  php: { valued: ['-S', '-d', '-c'], folder: ['-t'] },
};

/** A file server whose folder is not in the workspace. */
export function judgeServers(command: SimpleCommand, host: HostFacts): ShellFinding | undefined {
  const { name, argv } = command;
  const args = argv.slice(1);
  for (const folder of findServed(name, args)) {
    const outside = toHostPaths(folder, command, host)
      .slice(0, command.cwds.length)
      .find((path) => path !== host.workspace && !path.startsWith(`${host.workspace}/`));
    if (outside !== undefined)
      return ask(`it serves ${showWord(folder)}, which is outside the workspace, over the network`);
  }
  return undefined;
}

function findServed(name: string, args: readonly Word[]): Word[] {
  if (/^python[\d.]*$|^pypy/.test(name)) {
    const module = args.findIndex((arg) => arg === '-m' || arg === '-mhttp.server');
    const what = args[module] === '-mhttp.server' ? 'http.server' : args[module + 1];
    if (
      module < 0 ||
      !/^(?:http\.server|SimpleHTTPServer|pyftpdlib|uploadserver|RangeHTTPServer|wsgidav)$/.test(what ?? '')
    )
      return [];
    return [
      readOptions(args.slice(module + 1), ['-d', '--directory', '-b', '--bind', '-p', '-w']).values.get('-d') ??
        valueOf(args, '--directory') ??
        valueOf(args, '-w') ??
        '.',
    ];
  }
  if (name === 'ruby' && args.some((arg) => /^-run$|^-rwebrick|^-rrun$/.test(arg)))
    return [
      args.findLast((arg, at) => !arg.startsWith('-') && !/^-[ep]$/.test(args[at - 1] ?? '') && arg !== 'httpd') ?? '.',
    ];
  const server = Object.hasOwn(SERVERS, name) ? SERVERS[name] : undefined;
  if (!server) return [];
  const { rest, values } = readOptions(args, [...server.valued, ...server.folder]);
  if (name === 'php' && !args.includes('-S')) return [];
  if (server.verb && !server.verb.test(rest[0] ?? '')) return [];
  const named = server.folder.map((flag) => values.get(flag)).find((value) => value !== undefined);
  const plain = server.plain ? rest.slice(server.verb ? 1 : 0).find((word) => !/^\d+$/.test(word)) : undefined;
  return [named ?? plain ?? '.'];
}

function valueOf(args: readonly Word[], flag: string): Word | undefined {
  const joined = args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1);
  return joined ?? (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
}
