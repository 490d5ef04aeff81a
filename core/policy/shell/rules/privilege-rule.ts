import type { ShellFinding } from './command-rule.ts';
import type { SimpleCommand } from '../reading.ts';

const PRIVILEGE = new Set(
  'sudo su doas pkexec runuser gosu mount umount nsenter unshare chroot pivot_root insmod modprobe rmmod setcap capsh setpriv sysctl iptables ip6tables nft ufw useradd usermod userdel groupadd passwd chpasswd visudo losetup swapon swapoff fdisk parted sgdisk cryptsetup bwrap firejail proot fakechroot kexec ptrace mknod ip ifconfig'.split(
    ' ',
  ),
);
const PERSISTENCE = new Set(
  'crontab at batch atd systemctl systemd-run service launchctl update-rc.d chkconfig loginctl init telinit reboot shutdown halt poweroff rc-service initctl busctl dbus-send gsettings xdg-autostart chsh'.split(
    ' ',
  ),
);
const DEBUGGERS = new Set(['gcore', 'reptyr']);

/** Privilege and persistence: more power than the sandbox gives, or work that goes on after it. */
export function judgePrivilege(command: SimpleCommand): ShellFinding | undefined {
  const { name, argv } = command;
  const ask = (reason: string): ShellFinding => ({ verdict: 'ask', reason });
  if (PRIVILEGE.has(name)) {
    // Looking is not changing.
    if (
      (name === 'mount' && argv.length === 1) ||
      (name === 'ip' && /^(?:a|addr|route|link)$/.test(argv[1] ?? '') && argv.length < 4)
    )
      return undefined;
    return ask(`${name} asks for more power than the sandbox gives`);
  }
  if (PERSISTENCE.has(name)) return ask(`${name} starts things that outlive this command, or ends the machine's`);
  if (
    DEBUGGERS.has(name) ||
    ((name === 'strace' || name === 'gdb') && argv.some((arg) => /^(?:-p|--pid.*)$/.test(arg)))
  )
    return ask(`${name} looks into other processes`);
  if (
    name === 'ssh-add' ||
    name === 'ssh-agent' ||
    name === 'gpg' ||
    name === 'pass' ||
    name === 'security' ||
    name === 'secret-tool' ||
    name === 'keyctl'
  ) {
    return argv.some((arg) => /^--?(?:version|help)$/.test(arg)) ? undefined : ask(`${name} handles keys`);
  }
  if (name === 'hash' && argv.includes('-p')) return ask('it gives a program another name');
  if (name === 'enable' && argv.includes('-f')) return ask('it loads foreign code into the shell');
  if (name === 'history' || name === 'fc')
    return argv.some((arg) => /^-[se]/.test(arg)) ? ask(`${name} runs earlier commands again`) : undefined;
  if (name === 'openssl' && argv.some((arg) => /^-(?:engine|provider|provider-path)$/.test(arg)))
    return ask('openssl loads a foreign library');
  if (name === 'openssl' && /^(?:s_client|s_server|s_time)$/.test(argv[1] ?? ''))
    return ask('openssl opens a connection');
  if (
    /^(?:make|gmake)$/.test(name) &&
    argv.some((arg) => /^(?:SHELL|MAKESHELL|\.SHELLFLAGS|MAKEFILES)[:+?]?=/.test(arg))
  )
    return ask('it gives make another shell');
  return undefined;
}
