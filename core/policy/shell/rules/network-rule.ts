import { ask, askNetwork, type ShellFinding } from './command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isKnown, showWord, type Word } from '../expansion/word.ts';
import { forNames, toSet } from '../../word-list.ts';

const PROGRAMS = toSet(
  'curl wget nc ncat netcat socat telnet ftp sftp tftp lftp scp ssh sshfs ssh-copy-id ssh-keyscan aria2c axel http https httpie xh lynx w3m links elinks dig nslookup host drill whois ping traceroute nmap masscan rclone gsutil aws gcloud az gh glab hub kubectl helm terraform tofu pulumi ansible ansible-playbook doctl heroku netlify vercel wrangler fly flyctl firebase s3cmd mail sendmail mutt msmtp swaks ngrok cloudflared tailscale wg openvpn mosh rsh rlogin irc websocat grpcurl mosquitto_pub redis-cli svn hg bzr',
);
/** Programs that open an address in a browser. */
const OPENERS = toSet(
  'xdg-open open gio gnome-open kde-open wslview start sensible-browser x-www-browser www-browser firefox chromium chromium-browser google-chrome google-chrome-stable brave-browser msedge microsoft-edge',
);
/** Those of them that have no effect without a network. */
const REMOTE_ONLY = toSet(
  'curl wget dig nslookup host drill whois ping traceroute http https httpie xh telnet nc ncat netcat ssh scp sftp ssh-copy-id ssh-keyscan gh glab aws gcloud az kubectl helm doctl vercel wrangler fly flyctl s3cmd redis-cli grpcurl mosquitto_pub tailscale',
);
/** Subcommands of other programs that have no effect without a network. */
const ASKS_REMOTE: Record<string, RegExp> = {
  ...forNames('terraform tofu', /^(?:init|plan|get|providers|output|show|graph)$/),
};
/** Options that start a program, or read more options from a file. */
const STARTS: Record<string, RegExp> = {
  ...forNames('nc netcat', /^-\w*[ec]/),
  ...forNames('vercel wrangler', /^(?:dev|build)$/),
  curl: /^(?:-\w*K|--config)/,
  wget: /^(?:-e|--execute|--use-askpass|--config)/,
  ncat: /^(?:-\w*[ec]|--(?:exec|sh-exec|lua-exec))/,
  ssh: /^-\w*[oFS]/,
  scp: /^-\w*[oFSD]/,
  sftp: /^-\w*[oFSDb]/,
  'ssh-copy-id': /^-\w*[oF]/,
  gh: /^(?:alias|extension|ext|extensions)$/,
  glab: /^alias$/,
  aws: /^configure$/,
  kubectl: /^(?:plugin|--kubeconfig.*)$/,
  helm: /^(?:plugin|--post-renderer.*)$/,
  telnet: /^-/,
};
const LOCAL = /^(?:https?:\/\/)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|::1)(?::\d+)?(?:[/?#].*)?$/;
/** Flags of curl and wget whose value is not an address. */
const VALUED =
  /^(?:-[XHdobwFAeumcTU]|-[sSfLkivG]*[XHdobwFAeumcTUO]|--(?:request|header|data.*|output|write-out|form.*|user.*|max-time|connect-timeout|retry.*|cookie.*|json|output-document|timeout|tries|method|body-data|resolve|unix-socket|proxy|cacert|cert|key))$/;

/** Subcommands that only use local files, by program. */
const LOCAL_WORK: Record<string, RegExp> = {
  ...forNames('terraform tofu', /^(?:fmt|validate|version)$/),
  helm: /^(?:lint|template|version)$/,
  kubectl: /^kustomize$/,
};

/** Network: programs that reach other machines. Addresses of this machine are allowed. */
export function judgeNetwork(command: SimpleCommand): ShellFinding | undefined {
  const args = command.argv.slice(1);
  const { name } = command;
  if (name === 'rsync') {
    const remote = args.find((arg) => /^[^-/.][^/]*:|^rsync:\/\//.test(arg));
    return remote === undefined ? undefined : askNetwork(`rsync reaches ${showWord(remote)}`);
  }
  if (OPENERS.has(name)) {
    const remote = args.find((arg) => /^[a-z]+:\/\//i.test(arg) && !LOCAL.test(arg) && !arg.startsWith('file:'));
    return remote === undefined ? undefined : ask(`${name} opens ${showWord(remote)}`);
  }
  if (!PROGRAMS.has(name)) return undefined;
  if (LOCAL_WORK[name]?.test(args[0] ?? '') && !args.some((arg) => arg.includes('://'))) return undefined;
  if (args.some((arg) => /^-{0,2}(?:version|help)$|^-V$/.test(arg)) && args.length === 1) return undefined;
  if (/^(?:curl|wget|nc|ncat|http)$/.test(name) && isLocal(args)) return undefined;
  const starts = STARTS[name];
  // An argument with an unknown beginning may be an option.
  const isRemote =
    (REMOTE_ONLY.has(name) || ASKS_REMOTE[name]?.test(args[0] ?? '')) &&
    !args.some((arg) => starts?.test(arg) || (!isKnown(arg) && !isKnown(arg[0] ?? '')));
  return (isRemote ? askNetwork : ask)(`${name} reaches other machines`);
}

function isLocal(args: readonly Word[]): boolean {
  if (
    args.some(
      (arg) =>
        /^(?:-[a-zA-Z]*[xK]|--(?:proxy|resolve|connect-to|config|unix-socket|next|engine|socks\S*))$|^-[elcU]/.test(
          arg,
        ) && !/^-(?:L|s|S)/.test(arg),
    )
  )
    return false;
  const addresses = args.filter((arg, at) => !arg.startsWith('-') && !VALUED.test(args[at - 1] ?? ''));
  return (
    addresses.length > 0 &&
    addresses.every((address) => isKnown(address) && (LOCAL.test(address) || /^\d{2,5}$/.test(address)))
  );
}
