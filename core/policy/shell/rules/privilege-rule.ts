import { ask, type ShellFinding } from './command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { toSet } from '../../word-list.ts';

const PRIVILEGE = toSet(
  'sudo su doas pkexec runuser gosu mount umount nsenter unshare chroot pivot_root insmod modprobe rmmod setcap capsh setpriv sysctl iptables ip6tables nft ufw useradd usermod userdel groupadd passwd chpasswd visudo losetup swapon swapoff fdisk parted sgdisk cryptsetup bwrap firejail proot fakechroot kexec ptrace mknod ip ifconfig',
);
const PERSISTENCE = toSet(
  'crontab at batch atd systemctl systemd-run service launchctl update-rc.d chkconfig loginctl init telinit reboot shutdown halt poweroff rc-service initctl busctl dbus-send gsettings xdg-autostart chsh',
);
/** Words with which a program of them only shows something. */
const SHOWS: Readonly<Record<string, RegExp>> = {
  systemctl: /^(?:--\S+ )*(?:status|list-\S+|is-\S+|show|cat|get-default|--version)(?: |$)/,
  loginctl: /^(?:list-\S+|show-\S+|session-status)?(?: |$)/,
  launchctl: /^(?:list|print)(?: |$)/,
};
const KEYS = toSet(
  'ssh-add ssh-agent gpg pass gopass security secret-tool keyctl op bw rbw lpass vault aws-vault doppler infisical chamber sops age dcli keepassxc-cli kwallet-query',
);

/** Privilege and persistence: more rights than the sandbox gives, or work that outlives it. */
export function judgePrivilege(command: SimpleCommand): ShellFinding | undefined {
  const { name, argv } = command;
  if (PRIVILEGE.has(name)) {
    // Reading changes nothing.
    const isReading =
      (name === 'mount' && argv.length === 1) ||
      (name === 'ip' && /^(?:a|addr|route|link)$/.test(argv[1] ?? '') && argv.length < 4);
    return isReading ? undefined : ask(`${name} requests more rights than the sandbox gives`);
  }
  const isShown = Object.hasOwn(SHOWS, name) && SHOWS[name]!.test(argv.slice(1).join(' '));
  if (PERSISTENCE.has(name) && !isShown)
    return ask(`${name} starts processes that outlive this command, or stops the machine`);
  if (
    name === 'gcore' ||
    name === 'reptyr' ||
    ((name === 'strace' || name === 'gdb') && argv.some((arg) => /^(?:-p|--pid.*)$/.test(arg)))
  )
    return ask(`${name} inspects other processes`);
  if (KEYS.has(name))
    return argv.some((arg) => /^--?(?:version|help)$/.test(arg)) ? undefined : ask(`${name} handles keys`);
  if (name === 'hash' && argv.includes('-p')) return ask('it gives a program another name');
  if (name === 'enable' && argv.includes('-f')) return ask('it loads other code into the shell');
  if (name === 'history' || name === 'fc')
    return argv.some((arg) => /^-[se]/.test(arg)) ? ask(`${name} runs earlier commands again`) : undefined;
  if (name === 'openssl' && argv.some((arg) => /^-(?:engine|provider|provider-path)$/.test(arg)))
    return ask('openssl loads another library');
  if (name === 'openssl' && /^(?:s_client|s_server|s_time)$/.test(argv[1] ?? ''))
    return ask('openssl opens a connection');
  if (
    /^(?:make|gmake)$/.test(name) &&
    argv.some((arg) => /^(?:SHELL|MAKESHELL|\.SHELLFLAGS|MAKEFILES)[:+?]?=/.test(arg))
  )
    return ask('it gives make another shell');
  return undefined;
}
