import { statfsSync } from 'node:fs';

/**
 * File systems of Linux whose times are those of this kernel, by `f_type` of statfs: ext, XFS, Btrfs, tmpfs, overlay, ramfs,
 * F2FS, bcachefs. A server, or a program, sets the times of the others.
 */
const USES_KERNEL_TIME: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x858458f6, 0xf2f52010, 0xca451a4e,
]);
/** APFS and HFS+, on macOS. */
const ON_MACOS: ReadonlySet<number> = new Set([0x1a, 0x11]);

/** True for a folder whose file system may set times by another clock than that of this machine. */
export function hasOwnClock(folder: string): boolean {
  try {
    const { type } = statfsSync(folder);
    return !(process.platform === 'darwin' ? ON_MACOS : USES_KERNEL_TIME).has(type);
  } catch {
    return true;
  }
}
