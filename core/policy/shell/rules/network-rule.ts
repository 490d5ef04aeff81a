import type { ShellFinding } from './command-rule.ts';
import type { SimpleCommand } from '../reading.ts';
import { isKnown, showWord, type Word } from '../expansion/word.ts';

const PROGRAMS = new Set(
  'curl wget nc ncat netcat socat telnet ftp sftp tftp lftp scp ssh sshfs ssh-copy-id ssh-keyscan aria2c axel http https httpie xh lynx w3m links elinks dig nslookup host drill whois ping traceroute nmap masscan rclone gsutil aws gcloud az gh glab hub kubectl helm terraform tofu pulumi ansible ansible-playbook doctl heroku netlify vercel wrangler fly flyctl firebase s3cmd mail sendmail mutt msmtp swaks ngrok cloudflared tailscale wg openvpn mosh rsh rlogin irc websocat grpcurl mosquitto_pub redis-cli svn hg bzr'.split(
    ' ',
  ),
);
/** Those of them that do nothing here but what the other machine gives them: without a network they fail. */
const REMOTE_ONLY = new Set(
  'curl wget dig nslookup host drill whois ping traceroute http https httpie xh telnet nc ncat netcat ssh scp sftp ssh-copy-id ssh-keyscan gh glab aws gcloud az kubectl helm doctl vercel wrangler fly flyctl s3cmd redis-cli grpcurl mosquitto_pub tailscale'.split(
    ' ',
  ),
);
/** Subcommands of others of which the same is true. */
const ASKS_REMOTE: Record<string, RegExp> = {
  terraform: /^(?:init|plan|get|providers|output|show|graph)$/,
  tofu: /^(?:init|plan|get|providers|output|show|graph)$/,
};
/** Options by which they start a program, or read more options from a file. */
const STARTS: Record<string, RegExp> = {
  curl: /^(?:-\w*K|--config)/,
  wget: /^(?:-e|--execute|--use-askpass|--config)/,
  nc: /^-\w*[ec]/,
  ncat: /^(?:-\w*[ec]|--(?:exec|sh-exec|lua-exec))/,
  netcat: /^-\w*[ec]/,
  ssh: /^-\w*[oFS]/,
  scp: /^-\w*[oFSD]/,
  sftp: /^-\w*[oFSDb]/,
  'ssh-copy-id': /^-\w*[oF]/,
  gh: /^(?:alias|extension|ext|extensions)$/,
  glab: /^alias$/,
  aws: /^configure$/,
  kubectl: /^(?:plugin|--kubeconfig.*)$/,
  helm: /^(?:plugin|--post-renderer.*)$/,
  vercel: /^(?:dev|build)$/,
  wrangler: /^(?:dev|build)$/,
  telnet: /^-/,
};
const LOCAL = /^(?:https?:\/\/)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|::1)(?::\d+)?(?:[/?#].*)?$/;
/** Flags of curl and wget that are followed by something else than an address. */
const VALUED =
  /^(?:-[XHdobwFAeumcTU]|-[sSfLkivG]*[XHdobwFAeumcTUO]|--(?:request|header|data.*|output|write-out|form.*|user.*|max-time|connect-timeout|retry.*|cookie.*|json|output-document|timeout|tries|method|body-data|resolve|unix-socket|proxy|cacert|cert|key))$/;

/** What such programs do with the files here alone, by their first word. */
const LOCAL_WORK: Record<string, RegExp> = {
  terraform: /^(?:fmt|validate|version)$/,
  tofu: /^(?:fmt|validate|version)$/,
  helm: /^(?:lint|template|version)$/,
  kubectl: /^kustomize$/,
};

/** The network: a program whose work is to reach other machines. Addresses of this machine pass. */
export function judgeNetwork(command: SimpleCommand): ShellFinding | undefined {
  const args = command.argv.slice(1);
  const { name } = command;
  if (name === 'rsync') {
    const remote = args.find((arg) => /^[^-/.][^/]*:|^rsync:\/\//.test(arg));
    if (remote === undefined) return undefined;
    return { verdict: 'ask', reason: `rsync reaches ${showWord(remote)}`, needs: 'network' };
  }
  if (!PROGRAMS.has(name)) return undefined;
  if (
    Object.hasOwn(LOCAL_WORK, name) &&
    LOCAL_WORK[name]?.test(args[0] ?? '') &&
    !args.some((arg) => arg.includes('://'))
  )
    return undefined;
  if (args.some((arg) => /^-{0,2}(?:version|help)$|^-V$/.test(arg)) && args.length === 1) return undefined;
  if ((name === 'curl' || name === 'wget' || name === 'nc' || name === 'ncat' || name === 'http') && isLocal(args))
    return undefined;
  const finding: ShellFinding = { verdict: 'ask', reason: `${name} reaches other machines` };
  const starts = STARTS[name];
  const isRemote =
    (REMOTE_ONLY.has(name) || ASKS_REMOTE[name]?.test(args[0] ?? '')) &&
    !args.some((arg) => starts?.test(arg) || !isKnownEnough(arg));
  return isRemote ? { ...finding, needs: 'network' } : finding;
}

/** False for an argument that may be an option which is only known at run time. */
function isKnownEnough(arg: Word): boolean {
  return isKnown(arg) || isKnown(arg[0] ?? '');
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
