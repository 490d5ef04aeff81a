import type { ShellFinding } from './judge-command.ts';
import type { SimpleCommand } from './reading.ts';
import { isKnown, showWord, type Word } from './word.ts';

const PROGRAMS = new Set(
  'curl wget nc ncat netcat socat telnet ftp sftp tftp lftp scp ssh sshfs ssh-copy-id ssh-keyscan aria2c axel http https httpie xh lynx w3m links elinks dig nslookup host drill whois ping traceroute nmap masscan rclone gsutil aws gcloud az gh glab hub kubectl helm terraform tofu pulumi ansible ansible-playbook doctl heroku netlify vercel wrangler fly flyctl firebase s3cmd mail sendmail mutt msmtp swaks ngrok cloudflared tailscale wg openvpn mosh rsh rlogin irc websocat grpcurl mosquitto_pub redis-cli svn hg bzr'.split(
    ' ',
  ),
);
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
    return remote === undefined ? undefined : { verdict: 'ask', reason: `rsync reaches ${showWord(remote)}` };
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
  return { verdict: 'ask', reason: `${name} reaches other machines` };
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
