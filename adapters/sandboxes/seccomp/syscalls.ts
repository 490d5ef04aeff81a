/** Architectures with a profile, as in Node's `process.arch`. */
export type SeccompArch = 'x64' | 'arm64';

/**
 * System calls that no build, test or shell needs and that help to escape from a sandbox or to read other processes.
 * Numbers for x86-64 and AArch64; null if the architecture does not have the call.
 *
 * @source Linux, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h
 */
export const DENIED_SYSCALLS: Readonly<Record<string, readonly [x64: number | null, arm64: number | null]>> = {
  // Mounts: an unmount would remove a mask.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  // Other processes' memory and descriptors.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // Kernel interfaces with many past vulnerabilities.
  bpf: [321, 280],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  userfaultfd: [323, 282],
  perf_event_open: [298, 241],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  // Namespaces.
  setns: [308, 268],
  unshare: [272, 97],
  // Opening files by handle bypasses mount namespaces.
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  // The machine itself.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  acct: [163, 89],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  syslog: [103, 116],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
};

/** Calls that are filtered by their arguments. Same columns as above. */
export const JUDGED_SYSCALLS = {
  clone: [56, 220],
  clone3: [435, 435],
  socket: [41, 198],
  ioctl: [16, 29],
} as const;

/** Every CLONE_NEW* flag that `clone` takes; CLONE_NEWTIME is known to `unshare` and `clone3` only. */
export const NAMESPACE_FLAGS = [
  0x0002_0000, // mount
  0x0200_0000, // cgroup
  0x0400_0000, // uts
  0x0800_0000, // ipc
  0x1000_0000, // user
  0x2000_0000, // pid
  0x4000_0000, // network
] as const;

/** AF_UNIX, AF_INET, AF_INET6. Network namespaces do not restrict others such as AF_VSOCK. */
export const SOCKET_DOMAINS = [1, 2, 10] as const;

/** TIOCSTI and TIOCLINUX insert input into the terminal that started Klaus. */
export const DENIED_IOCTLS = [0x5412, 0x541c] as const;

export const EPERM = 1;
export const ENOSYS = 38;
export const EAFNOSUPPORT = 97;
